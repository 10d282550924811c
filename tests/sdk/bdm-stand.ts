import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Installation } from '../harness/installation.ts'

/** A command that runs. `out` and `err` grow; `ended` is its exit code, null after a kill. */
export type Running = {
  readonly out: string
  readonly err: string
  kill(signal: NodeJS.Signals): void
  ended: Promise<number | null>
}

/** The command line as an instance gives it out, in a folder with a home of its own. */
export type Stand = {
  folder: string
  /** @param input what comes on its standard input @param env settings besides those of a plain shell */
  start(words: readonly string[], more?: { input?: string; env?: Record<string, string> }): Running
  /** Runs a command to its end. */
  run(
    words: readonly string[],
    more?: { input?: string; env?: Record<string, string> },
  ): Promise<{ code: number | null; out: string; err: string }>
  /** The text of a profile. */
  profile(name?: string): Promise<{ url: string; key: string; secret: string }>
  [Symbol.asyncDispose](): Promise<void>
}

/** Takes the command line from an instance. */
export async function openStand(installation: Installation): Promise<Stand> {
  const folder = await mkdtemp(join(tmpdir(), 'bandama-bdm-'))
  const { packages } = (await installation.ask({ path: '/sdk' })).json() as {
    packages: { name: string; url: string }[]
  }
  const { url } = packages.find(({ name }) => name === 'bdm')!
  const program = join(folder, 'bdm.mjs')
  await writeFile(program, Buffer.from(await (await fetch(url)).arrayBuffer()))
  const running = new Set<Running>()

  function start(words: readonly string[], { input = '', env = {} }: Parameters<Stand['start']>[1] = {}): Running {
    const child = spawn(process.execPath, [program, ...words], {
      ...{ cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] },
      env: { PATH: process.env.PATH, XDG_CONFIG_HOME: join(folder, 'config'), ...env },
    })
    const one = {
      ...{ out: '', err: '' },
      kill: (signal: NodeJS.Signals) => void child.kill(signal),
      ended: once(child, 'close').then(([code]) => {
        running.delete(one)
        return code as number | null
      }),
    }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (one.out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (one.err += text))
    child.stdin.on('error', () => {}).end(input)
    running.add(one)
    return one
  }

  return {
    folder,
    start,
    async run(words, more) {
      const one = start(words, more)
      const code = await one.ended
      return { code, out: one.out, err: one.err }
    },
    async profile(name = 'default') {
      return JSON.parse(await readFile(join(folder, 'config/bdm', `${name}.json`), 'utf8'))
    },
    async [Symbol.asyncDispose]() {
      for (const one of running) one.kill('SIGKILL')
      await Promise.all([...running].map(({ ended }) => ended))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
