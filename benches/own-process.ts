import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { atTheEnd } from './interruption.ts'

/** A part of a bench in a process of its own, ended with its bench. */
export type OwnProcess<Hello> = AsyncDisposable & {
  child: ChildProcess
  /** The first message that it sent: it is ready. */
  hello: Hello
}

/** Starts a file of the benches and resolves when it says its first word. */
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
