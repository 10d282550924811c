import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { atTheEnd } from './interruption.ts'

/** A part of a bench that runs in its own process. The process ends with the bench. */
export type OwnProcess<Hello> = AsyncDisposable & {
  child: ChildProcess
  /** The first message of the process, sent when it is ready. */
  hello: Hello
}

/** Starts a file of the benches in its own process. Resolves with its first message. */
export async function startOwnProcess<Hello>(file: string): Promise<OwnProcess<Hello>> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)))
  const ending = atTheEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  const [hello] = (await once(child, 'message')) as [Hello]
  return { child, hello, [Symbol.asyncDispose]: () => ending.now() }
}
