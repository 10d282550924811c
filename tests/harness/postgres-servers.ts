import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { postgresAccount } from './account.ts'
import { freePort } from './free-port.ts'
import { waitFor } from './wait-for.ts'

// PostgreSQL servers as an administrator sets them up with the programs of Debian's package: one alone, or a primary and its standby.

const execute = promisify(execFile)

const START_MS = 30_000

/** The reason to skip the tests: this machine has no such server. False if it has. */
export const cannotStartServers = findPrograms() === null ? 'postgresql is not installed (Debian)' : false

/** The oldest version that we support, or the newest on this machine. */
function findPrograms(): string | null {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return (
    ['15', ...versions].map((one) => join(root, one, 'bin')).find((bin) => existsSync(join(bin, 'postgres'))) ?? null
  )
}

export type Server = {
  /** Such as `127.0.0.1:41234`. */
  address: string
  url: string
  /** Starts the server with the settings of its folder, and resolves when it answers. */
  start(): Promise<void>
  /** Kills the server with all its work at once, like the failure of its machine. */
  fall(): Promise<void>
  /** Freezes the server. Its connections stay open, so clients notice nothing. */
  freeze(): Promise<void>
  /** Wakes the server, which does not know that time has passed. */
  thaw(): Promise<void>
  /** Promotes the server, so that it accepts writes. */
  promote(): Promise<void>
  /** Runs a query on the server, on a separate connection. */
  ask<Row extends object>(text: string): Promise<Row[]>
}

/** A server alone, of the oldest version on this machine that we support. @param settings lines of postgresql.conf */
export async function startAlone(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = await newServer(folder, 'oldest')
  await initialize(server.folder, settings)
  await server.start()
  return { url: server.url, stop: server.fall }
}

async function initialize(folder: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const options = ['--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C', '--no-sync']
  await run('initdb', '-D', folder, '-U', 'postgres', ...options)
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', ...settings }
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`)
  await appendFile(join(folder, 'postgresql.conf'), lines.join(''))
}

export type Pair = {
  primary: Server
  standby: Server
  /** The URL of both servers, for `DATABASE_URL`. */
  url: string
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A server, and another that follows it. Nothing is flushed to disk: here servers fall, machines stand.
 * @param synchronous whether the first acknowledges nothing without the word of the second
 */
export async function startPair({ synchronous }: { synchronous: boolean }): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'bandama-servers-'))
  await chmod(folder, 0o711)
  const servers: Server[] = []
  const end = async () => {
    await Promise.all(servers.map((server) => server.fall()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const primary = await newServer(folder, 'one')
    servers.push(primary)
    await initialize(primary.folder, { max_connections: '200', hot_standby_feedback: 'on' })
    await primary.start()
    const standby = await newServer(folder, 'other')
    servers.push(standby)
    const [host, port] = primary.address.split(':')
    // `-R` writes the name of the standby and the address of its primary into the copy.
    const follow = `host=${host} port=${port} user=postgres application_name=other`
    await run('pg_basebackup', '-d', follow, '-D', standby.folder, '-X', 'stream', '-c', 'fast', '-R', '--no-sync')
    await standby.start()
    if (synchronous) {
      // Set after the copy, and only on the primary: the promoted copy must not wait for a standby of its own.
      await primary.ask(`alter system set synchronous_standby_names = 'other'`)
      await primary.ask('select pg_reload_conf()')
    }
    const state = synchronous ? 'sync' : 'async'
    await waitFor(
      async () => (await primary.ask(`select from pg_stat_replication where sync_state = '${state}'`)).length === 1,
      { deadline_ms: START_MS, what: 'the standby to follow' },
    )
    const url = `postgres://postgres@${primary.address},${standby.address}/postgres?target_session_attrs=read-write`
    return { primary, standby, url, [Symbol.asyncDispose]: end }
  } catch (error) {
    await end()
    throw error
  }
}

async function newServer(parent: string, name: string): Promise<Server & { folder: string }> {
  const folder = join(parent, name)
  // The server's account must be able to create the folder.
  await execute('install', ['-d', '-m', '0700', folder])
  const { uid, gid } = postgresAccount()
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  const url = `postgres://postgres@${address}/postgres`
  let child: ChildProcess | null = null
  let said = ''

  async function ask<Row extends object>(text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url, application_name: 'test', connectionTimeoutMillis: 2_000 })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }

  async function signalAll(signal: NodeJS.Signals): Promise<void> {
    const pid = child!.pid!
    for (const one of [pid, ...(await childrenOf(pid))]) send(one, signal)
  }

  return {
    address,
    url,
    folder,
    ask,
    async start() {
      const program = join(findPrograms()!, 'postgres')
      const started = spawn(program, ['-D', folder, '-p', String(port)], {
        stdio: ['ignore', 'ignore', 'pipe'],
        cwd: folder,
        ...postgresAccount(),
      })
      child = started
      started.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-10_000)
      })
      await waitFor(
        async () => {
          if (started.exitCode !== null) throw new Error(`The server ended. It said:\n${said}`)
          return await ask('select').then(
            () => true,
            () => false,
          )
        },
        { deadline_ms: START_MS, what: 'the server to answer' },
      )
    },
    async fall() {
      if (child === null) return
      const fallen = child
      const ended = once(fallen, 'exit')
      await signalAll('SIGKILL')
      child = null
      if (fallen.exitCode === null && fallen.signalCode === null) await ended
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async promote() {
      await run('pg_ctl', '-D', folder, 'promote', '-w')
    },
  }
}

async function run(program: string, ...words: string[]): Promise<void> {
  await execute(join(findPrograms()!, program), words, { cwd: '/', ...postgresAccount() })
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The server had already ended.
  }
}
