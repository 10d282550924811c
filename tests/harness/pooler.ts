import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresAccount } from './account.ts'
import { freePort } from './free-port.ts'
import { waitFor } from './wait-for.ts'

/** Debian's, or the one that PGBOUNCER names. */
const program = process.env.PGBOUNCER || '/usr/sbin/pgbouncer'

/** Why there can be none here; false when there can. */
export const cannotStartPooler = existsSync(program) ? false : 'pgbouncer is not installed (Debian)'

export type Pooler = {
  /** That of the server, by way of the pooler. */
  url: string
  /** Ends it at once, with the connections through it. */
  fall(): Promise<void>
  /** Starts it again at the same place. */
  start(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a PgBouncer in transaction mode before a server. Whoever connects is taken for whom the URL names, and any of the
 * server's databases is reached by its name.
 * @param connections to the server for each database, at most: fewer than those who share them
 * @param settings more lines of its section `[pgbouncer]`
 */
export async function startPooler(
  server: string,
  { connections, settings = {} }: { connections: number; settings?: Record<string, string | number> },
): Promise<Pooler> {
  const { hostname, port: behind, username, password } = new URL(server)
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'bandama-pooler-'))
  await chmod(folder, 0o711)
  const file = join(folder, 'pgbouncer.ini')
  const section = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: connections,
    max_client_conn: 2_000,
    // As docs/postgresql.md advises.
    server_login_retry: 1,
    query_wait_timeout: 10,
    ...settings,
  }
  const lines = Object.entries(section).map(([name, value]) => `${name} = ${value}`)
  const target = `host=${hostname} port=${behind || 5432} user=${username}${password === '' ? '' : ` password=${password}`}`
  await writeFile(file, `[databases]\n* = ${target}\n[pgbouncer]\n${lines.join('\n')}\n`)
  // Readable by the account that it runs as, and by nobody who has no business here: it is gone with the run.
  await chmod(file, 0o644)

  let said = ''
  let child: ReturnType<typeof spawnIt> | null = null
  const spawnIt = () =>
    spawn(program, ['-q', file], { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/', ...postgresAccount() })

  async function start(): Promise<void> {
    const started = spawnIt()
    child = started
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10_000)
    })
    await waitFor(
      () => {
        if (started.exitCode !== null) throw new Error(`The pooler ended. It said:\n${said}`)
        return listens(port)
      },
      { deadline_ms: 10_000, what: 'the pooler to listen' },
    )
  }
  async function fall(): Promise<void> {
    if (child === null) return
    const fallen = child
    child = null
    if (fallen.exitCode !== null || fallen.signalCode !== null) return
    const ended = once(fallen, 'exit')
    fallen.kill('SIGKILL')
    await ended
  }
  const end = async () => {
    await fall()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await end()
    throw error
  }
  const url = new URL(server)
  url.host = `127.0.0.1:${port}`
  return { url: url.href, fall, start, [Symbol.asyncDispose]: end }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
