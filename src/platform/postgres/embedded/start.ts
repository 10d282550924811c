import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Secret } from '../../../values/secret.ts'
import { machineMilliseconds } from '../../clock.ts'
import type { Log } from '../../log.ts'
import { EmbeddedPostgresError } from './account.ts'
import { type Cluster, DATABASE, openCluster, USER } from './cluster.ts'
import { findServer, type Server, type Settings, startServer, stopServer } from './server.ts'

export type EmbeddedOptions = {
  dataDir: string
  log: Log
  /**
   * True for the service: one at a time on a DATA_DIR. It starts the server again when that dies, and stops it. False for
   * a command: it uses the server that runs, or has one for as long as it takes.
   */
  own: boolean
  /** Settings of the server over those of its cluster, when it is we who start it. For tests and benches. */
  settings?: Settings
  /** The server died and another service took DATA_DIR before we came back: there is nothing to go on with. */
  onLost?: (error: EmbeddedPostgresError) => void
}

export type EmbeddedPostgres = {
  /** Of the service's database. It stays the same when the server is started again. */
  url: Secret
  /**
   * Leaves the server. The service stops it; a command does when it started it and no service has taken it over. Close
   * all other connections of the process first: whatever is connected is cut off.
   */
  stop(): Promise<void>
}

/** Another service has this DATA_DIR. */
class DataDirTaken extends EmbeddedPostgresError {
  override name = 'DataDirTaken'
}

/** The advisory lock of the service. It lives and dies with a connection, so that a killed service leaves none behind. */
const LOCK = [0x62_61_6e_64, 1]

/** The server lets go of a service killed a moment ago within this. */
const OWNER_PATIENCE_MS = 500
/** How long a server that takes no connections, or is on its way down, is waited for. */
const REACH_MS = 90_000
const POLL_MS = 20
/** A server that takes connections answers within this. */
const CONNECT_MS = 5_000
/** A connection is ended within this. */
const END_MS = 1_000

/** The server, reached by a connection of our own, on which the service holds its lock. */
type Hold = {
  server: Server
  connection: pg.Client
  /** Resolves when the connection is lost: the server died, or somebody ended it. */
  lost: Promise<void>
}

/**
 * Gives the PostgreSQL of a DATA_DIR: made, started, or found running beside a service or after one was killed.
 * @throws EmbeddedPostgresError when another service has DATA_DIR, or when it cannot be served; the message says why
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log, own, onLost } = options
  const cluster = await openCluster(options.dataDir)
  const leaving = new AbortController()
  const { signal } = leaving
  let hold = await reach(cluster, options, null, signal)
  const { port } = hold.server
  log.debug({ port, server_pid: hold.server.pid }, 'embedded database ready')
  let returning: Promise<void> = Promise.resolve()
  let taken = false

  async function comeBack(): Promise<void> {
    for (let wait = 100; !signal.aborted; wait = Math.min(wait * 2, 5_000)) {
      try {
        hold = await reach(cluster, options, port, signal)
        log.warn({ server_pid: hold.server.pid }, 'embedded database: restarted')
        return supervise()
      } catch (error) {
        if (signal.aborted) return
        log.error({ error }, 'embedded database: restart failed')
        if (error instanceof DataDirTaken) {
          taken = true
          return onLost?.(error)
        }
        await sleep(wait)
      }
    }
  }

  function supervise(): void {
    void hold.lost.then(() => {
      if (signal.aborted) return
      log.error({ server_pid: hold.server.pid }, 'embedded database: stopped unexpectedly, restarting')
      returning = comeBack()
    })
  }

  async function leave(): Promise<void> {
    leaving.abort()
    await returning
    const ours = own ? !taken : hold.server.started && (await takeLock(hold.connection).catch(() => false))
    if (ours) await stopServer(cluster)
    await end(hold.connection)
  }

  if (own) supervise()
  let left: Promise<void> | undefined
  return {
    url: new Secret(addressOf(cluster, port)),
    stop() {
      left ??= leave()
      return left
    },
  }
}

/**
 * Finds or starts the server and connects to it, for the service with its lock. A server on its way down is waited for,
 * then started again.
 * @param port the one we must have, because our pools know no other; null: any
 * @throws DataDirTaken when another service has the lock, EmbeddedPostgresError when the server does not start or answer
 */
async function reach(
  cluster: Cluster,
  { own, settings = {} }: EmbeddedOptions,
  port: number | null,
  signal: AbortSignal,
): Promise<Hold> {
  const began = machineMilliseconds()
  let refusedAt: number | null = null
  let startedPid: number | null = null
  for (;;) {
    signal.throwIfAborted()
    const server = (await findServer(cluster)) ?? (await startServer(cluster, port, settings))
    if (server.started) startedPid = server.pid
    const usable = server.ready && (port === null || port === server.port)
    const answer = usable ? await connect(cluster, { ...server, started: server.pid === startedPid }, own) : null
    if (answer instanceof DataDirTaken) {
      refusedAt ??= machineMilliseconds()
      if (machineMilliseconds() - refusedAt > OWNER_PATIENCE_MS) throw answer
    } else if (answer !== null) return answer
    if (machineMilliseconds() - began > REACH_MS) {
      throw new EmbeddedPostgresError(
        `PostgreSQL (process ${server.pid}) runs in ${cluster.data} and takes no connection on port ${server.port}.`,
      )
    }
    await sleep(POLL_MS)
  }
}

/** Null when the server starts, stops or died meanwhile. */
async function connect(cluster: Cluster, server: Server, own: boolean): Promise<Hold | DataDirTaken | null> {
  const connection = new pg.Client({
    connectionString: addressOf(cluster, server.port),
    application_name: `bandama embedded ${process.pid}`,
    connectionTimeoutMillis: CONNECT_MS,
  })
  const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
  connection.on('error', () => lose())
  connection.on('end', () => lose())
  let held = false
  try {
    await connection.connect()
    held = !own || (await takeLock(connection))
    return held ? { server, connection, lost } : await dataDirTaken(cluster, connection)
  } catch (error) {
    // A password that the server does not know will not mend itself.
    if (error instanceof pg.DatabaseError && error.code === '28P01') {
      throw new EmbeddedPostgresError(`The database in ${cluster.data} refuses the password kept beside it.`)
    }
    return null
  } finally {
    if (!held) await end(connection)
  }
}

/** Whether the lock was free, and is ours now. */
async function takeLock(connection: pg.Client): Promise<boolean> {
  const { rows } = await connection.query('select pg_try_advisory_lock($1::int, $2::int) as ours', LOCK)
  return rows[0].ours
}

/** The holder of the lock says in its connection's name which process it is. */
async function dataDirTaken(cluster: Cluster, connection: pg.Client): Promise<DataDirTaken> {
  const { rows } = await connection.query(
    `select split_part(a.application_name, ' ', 3) as pid
       from pg_locks l
       join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and l.classid = $1 and l.objid = $2`,
    LOCK,
  )
  const who = rows.length === 0 ? 'Another Bandama' : `Another Bandama (process ${rows[0].pid})`
  const dataDir = dirname(cluster.folder)
  return new DataDirTaken(`${who} already serves ${dataDir}. Stop it first, or set DATA_DIR to another folder.`)
}

/** Ends the connection; one that the server does not answer is left to itself after a moment. */
async function end(connection: pg.Client): Promise<void> {
  await Promise.race([connection.end().catch(() => {}), sleep(END_MS, undefined, { ref: false })])
}

/** The address of the service's database. Holds the password. */
function addressOf(cluster: Cluster, port: number): string {
  return `postgres://${USER}:${cluster.password.reveal()}@127.0.0.1:${port}/${DATABASE}`
}
