import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { machineMilliseconds } from '../../clock.ts'
import { EmbeddedPostgresError, spawnAs } from './account.ts'
import type { Cluster } from './cluster.ts'

/** A running server. If `ready` it accepts connections; otherwise it is starting, recovering or stopping. */
export type Server = {
  pid: number
  port: number
  ready: boolean
  /** Whether this process started the server. */
  started: boolean
}

/** Settings of a server that override those of its cluster, by their names in PostgreSQL. */
export type Settings = Readonly<Record<string, string>>

/**
 * Settings that the service relies on, which nobody may change. Errors stay out of the server's log, because they quote the
 * refused rows, with payers' numbers.
 */
const SETTINGS: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  timezone: 'UTC',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_timezone: 'UTC',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
}

/**
 * Ports below those that systems use for outgoing connections. In that range a client that keeps calling a closed port is
 * at last given the same port as its own. It then connects to itself and blocks the port for the server.
 */
const PORTS = { from: 20_000, to: 30_000 }

/** The number of failed starts after which we give up. The waits between them grow, to six seconds in all. */
const START_TRIES = 8

/** The time for a stopping server to write its memory to disk. After that we kill it, and its next start recovers. */
const STOP_MS = 60_000

const POLL_MS = 10

/** Finds the server of this cluster, whichever process started it, or null. PostgreSQL prevents two servers on one cluster. */
export async function findServer(cluster: Cluster): Promise<Server | null> {
  const [pid, , , port, , , , status] = (await readNote(cluster)).split('\n')
  if (!(Number(pid) > 0) || !(await serves(Number(pid), cluster.data))) return null
  return { pid: Number(pid), port: Number(port), ready: status?.trim() === 'ready', started: false }
}

/**
 * Starts the server and waits until it accepts connections, or finds the one that another process started meanwhile.
 * `port` is its only port. Null: its last port, or another if that is taken.
 * @throws EmbeddedPostgresError with the end of the server's log if it does not start
 */
export async function startServer(cluster: Cluster, port: number | null, settings: Settings): Promise<Server> {
  let said = ''
  for (let tries = 1; tries <= START_TRIES; tries += 1) {
    const running = await findServer(cluster)
    if (running !== null) return running
    const chosen = port ?? (await choosePort(cluster, tries))
    const outcome = await launch(cluster, chosen, settings)
    if (outcome.server !== null) {
      await writeFile(portFile(cluster), String(chosen), { mode: 0o600 })
      return outcome.server
    }
    said = outcome.said
    // Another start may be faster than ours, or the processes of a killed server may still be exiting.
    await sleep(Math.min(25 * 2 ** tries, 2_000))
  }
  throw new EmbeddedPostgresError(`PostgreSQL does not start in ${cluster.data}. It said: ${said}`)
}

/**
 * Ends all connections and the server, and waits for its end. Does nothing if it has ended already.
 * @throws EmbeddedPostgresError if it does not end within 75 seconds
 */
export async function stopServer(cluster: Cluster): Promise<void> {
  const server = await findServer(cluster)
  if (server === null) return
  for (const [signal, patience] of [
    ['SIGINT', STOP_MS],
    ['SIGQUIT', STOP_MS / 4],
  ] as const) {
    signalTo(server.pid, signal)
    const deadline = machineMilliseconds() + patience
    while (machineMilliseconds() < deadline) {
      if (!(await serves(server.pid, cluster.data))) return
      await sleep(POLL_MS)
    }
  }
  throw new EmbeddedPostgresError(`PostgreSQL (process ${server.pid}) does not stop.`)
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const portFile = (cluster: Cluster): string => join(cluster.folder, 'port')
const logFile = (cluster: Cluster): string => join(cluster.folder, 'server.log')

/** Reads the server's postmaster.pid: its process, port and state. Empty if there is none. */
const readNote = (cluster: Cluster): Promise<string> =>
  readFile(join(cluster.data, 'postmaster.pid'), 'utf8').catch(() => '')

/**
 * Whether this process is the server of this folder. Its id alone does not prove that: after a crash another process may have
 * the id, often in a container, where ids start from one again. A process that cannot be read counts as the server.
 */
async function serves(pid: number, data: string): Promise<boolean> {
  const words = await commandOf(pid)
  if (basename(words[0] ?? '') !== 'postgres') return false
  const folder = words[words.indexOf('-D') + 1] ?? ''
  const served = await stat(folder).catch(() => null)
  const ours = await stat(data)
  return served === null || (served.dev === ours.dev && served.ino === ours.ino)
}

/** The command line of a process. Empty if there is no such process, or only its zombie. */
async function commandOf(pid: number): Promise<string[]> {
  if (existsSync('/proc/self/cmdline')) {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return text.split('\0').slice(0, -1)
  }
  const listed = promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
  const { stdout } = await listed.catch(() => ({ stdout: '' }))
  // The folder is the last argument of the server and may contain spaces.
  const [, program = '', folder = ''] = /^(\S+).*? -D (.*)$/.exec(stdout.trim()) ?? []
  return program === '' ? [] : [program, '-D', folder]
}

/** The port of a try: the last one first. A server whose port is taken ends at once, and the next try uses another. */
async function choosePort(cluster: Cluster, tries: number): Promise<number> {
  const last = Number(await readFile(portFile(cluster), 'utf8').catch(() => '0'))
  return tries === 1 && last > 0 ? last : randomInt(PORTS.from, PORTS.to)
}

/**
 * Makes one try. The server gets its own process group: Ctrl-C in a terminal reaches us and not the server, so that we stop
 * it last. Its start has no time limit, because after a crash it first recovers.
 */
async function launch(
  cluster: Cluster,
  port: number,
  settings: Settings,
): Promise<{ server: Server; said?: never } | { server: null; said: string }> {
  const set = Object.entries({ ...SETTINGS, ...settings, port: String(port) })
  const args = [...set.flatMap(([name, value]) => ['-c', `${name}=${value}`]), '-D', cluster.data]
  await using log = await openLog(cluster)
  const { size: before } = await log.stat()
  const child = spawnAs(cluster.account, cluster.program, args, {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: await strangerToIgnore(cluster),
  })
  const end = { reached: false, error: '' }
  child.once('exit', () => {
    end.reached = true
  })
  child.once('error', (error) => {
    end.reached = true
    end.error = error.message
  })
  child.unref()
  while (!end.reached) {
    const server = await findServer(cluster)
    if (server?.ready && server.pid === child.pid) return { server: { ...server, started: true } }
    await sleep(POLL_MS)
  }
  const text = await readFile(logFile(cluster), 'utf8')
  return { server: null, said: `${end.error}${text.slice(before).trim().slice(-1_000)}` }
}

/**
 * PostgreSQL refuses a folder whose postmaster.pid names a living process, even if another program has that id by now. It
 * makes an exception for the id in PG_GRANDPARENT_PID. From the rest of postmaster.pid it still makes sure that no process
 * of the dead server uses the files.
 */
async function strangerToIgnore(cluster: Cluster): Promise<NodeJS.ProcessEnv> {
  const noted = Number.parseInt(await readNote(cluster), 10)
  return noted > 0 && !(await serves(noted, cluster.data)) ? { PG_GRANDPARENT_PID: String(noted) } : {}
}

async function openLog(cluster: Cluster) {
  const path = logFile(cluster)
  const size = (await stat(path).catch(() => null))?.size ?? 0
  if (size > 1_000_000) await rename(path, `${path}.1`)
  return await open(path, 'a', 0o600)
}
