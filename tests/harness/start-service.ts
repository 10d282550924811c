import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseSettings } from './database.ts'
import { livemode } from './mode.ts'
import { program } from './program.ts'
import { starting } from './starting.ts'

const READY_MS = 90_000
/** The deadline of a stop: longer than 40 s, after which the service aborts its own shutdown. */
const STOP_MS = 45_000
/** The length of the kept end of a service's output, for a failed test's message. */
const OUTPUT_CHARACTERS = 200_000

export type ServiceOptions = {
  /** DATABASE_URL. Null: the embedded database, in the DATA_DIR of `env`. */
  url: string | null
  /** Settings that override those of the rig. Processes on one database need the same SECRET_KEY. */
  env?: Record<string, string>
  /** The words after `serve`, such as `--only api`. */
  args?: string[]
  /** The words before `serve`: a program in place of bin/bandama, such as one in a container. */
  command?: readonly string[]
  /** Gets all output as it comes. `output` keeps only the end. */
  onOutput?: (text: string) => void
}

export type Ending = { code: number | null; signal: NodeJS.Signals | null }

export type Service = {
  /** The origin, such as http://127.0.0.1:41234. Empty for a process without the API. */
  address: string
  pid: number
  secret_key: string
  /** Resolves when the process has ended for any reason. */
  ended: Promise<Ending>
  /** Sends the signal and resolves when the process has ended. For SIGSTOP and SIGCONT use `process.kill(pid, …)`. */
  kill(signal: NodeJS.Signals): Promise<Ending>
  /** Stops it in order. @throws when it does not end within 45 s, or ends with another code than 0 */
  stop(): Promise<void>
  /** Returns the last 200 000 characters of both outputs. */
  output(): string
  /** Kills it if it still runs. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts the real service in a separate process, on free ports, without the demo, with webhooks to this machine allowed. Resolves when it is
 * ready.
 * @throws with its output when it ends, or does not become ready
 */
export function startService(options: ServiceOptions): Promise<Service> {
  return starting('service', () => serve(options))
}

async function serve({ url, env = {}, args = [], command = [program], onOutput }: ServiceOptions): Promise<Service> {
  const secret_key = env.SECRET_KEY ?? randomBytes(32).toString('base64url')
  const [first, ...words] = [...command, 'serve', ...args]
  const child = spawn(first!, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      METRICS_PORT: '0',
      DEMO: 'off',
      EGRESS_ALLOW: '127.0.0.0/8',
      EGRESS_LOOPBACK_HTTP: livemode ? 'on' : 'off',
      SECRET_KEY: secret_key,
      ...(url === null ? {} : databaseSettings(url)),
      ...env,
    },
  })
  let output = ''
  const keep = (text: string) => {
    output = (output + text).slice(-OUTPUT_CHARACTERS)
    onOutput?.(text)
  }
  child.stdout.setEncoding('utf8').on('data', keep)
  child.stderr.setEncoding('utf8').on('data', keep)
  const ended = once(child, 'exit').then(([code, signal]): Ending => ({ code, signal }))
  const kill = async (signal: NodeJS.Signals): Promise<Ending> => {
    child.kill(signal)
    return await ended
  }
  const ready = readyAddress(createInterface(child.stdout))
  const address = await within(READY_MS, Promise.race([ready, ended.then(() => null)]))
  if (address === null) {
    await kill('SIGKILL')
    throw new Error(`The service did not become ready. It printed:\n${output}`)
  }
  return {
    address,
    pid: child.pid!,
    secret_key,
    ended,
    kill,
    async stop() {
      const ending = await within(STOP_MS, kill('SIGTERM'))
      if (ending === null) await kill('SIGKILL')
      if (ending?.code !== 0) throw new Error(`The service did not stop cleanly. It printed:\n${output}`)
    },
    output: () => output,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await kill('SIGKILL')
    },
  }
}

/** Reads the address from the log line `ready`. */
async function readyAddress(lines: AsyncIterable<string>): Promise<string | null> {
  for await (const line of lines) {
    const address = addressIn(line)
    if (address !== null) return address
  }
  return null
}

function addressIn(line: string): string | null {
  if (!line.startsWith('{')) return null
  try {
    const entry = JSON.parse(line) as { msg?: unknown; address?: unknown }
    if (entry.msg !== 'ready') return null
    return typeof entry.address === 'string' ? entry.address : ''
  } catch {
    return null
  }
}

/** Waits for a promise until a deadline. Null when it takes longer. */
async function within<Result>(milliseconds: number, result: Promise<Result>): Promise<Result | null> {
  const cancel = new AbortController()
  const late = sleep(milliseconds, null, { signal: cancel.signal }).catch(() => null)
  try {
    return await Promise.race([result, late])
  } finally {
    cancel.abort()
  }
}

/** Returns the lines of a service's log, without the two lines for people that a start without an administrator prints. */
export function logLines(output: string): string[] {
  return output
    .replace(/^This service has no administrator .*\n.*\n/m, '')
    .trim()
    .split('\n')
}
