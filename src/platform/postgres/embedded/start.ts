import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Secret } from '../../../values/secret.ts'
import { machineMilliseconds } from '../../clock.ts'
import type { Log } from '../../log.ts'
import { EmbeddedPostgresError } from './account.ts'
import { type Cluster, openCluster, urlOf } from './cluster.ts'
import { removeDeadDrafts } from './dead-drafts.ts'
import { findServer, type Server, type Settings, startServer, stopServer } from './server.ts'

export type EmbeddedOptions = {
  dataDir: string
  log: Log
  /**
   * True for the service, of which a DATA_DIR has one at a time: it restarts the server when the server dies, and stops it.
   * False for a command: it uses the running server, or starts one for its own duration. It makes no new database.
   */
  own: boolean
  /** Settings that override those of the cluster, if this process starts the server. For tests and benches. */
  settings?: Settings
  /** Called if the server died and another service took DATA_DIR before we restarted it: this service must end. */
  onLost?: (error: EmbeddedPostgresError) => void
}

export type EmbeddedPostgres = {
  /** The URL of the service's database. It stays the same when the server restarts. */
  url: Secret
  /**
   * Leaves the server. The service stops it; a command stops it if the command started it and no service has taken it over.
   * Close all other connections of the process first, because the stop cuts them.
   */
  stop(): Promise<void>
}

/** Another service has this DATA_DIR. */
class DataDirTaken extends EmbeddedPostgresError {
  override name = 'DataDirTaken'
}

/** The advisory lock of the service. It ends with its connection, so that a killed service leaves no lock. */
const LOCK = [0x62_61_6e_64, 1]

/** The time within which the server releases the lock of a service that was just killed. */
const OWNER_PATIENCE_MS = 500
/** The time to wait for a server that accepts no connections or is stopping. */
const REACH_MS = 90_000
const POLL_MS = 20
/** The time-out for the first answer of a server that accepts connections. */
const CONNECT_MS = 5_000
/** The time-out for ending a connection. */
const END_MS = 1_000

/** The server, reached by a connection of our own, on which the service holds its lock. */
type Hold = {
  server: Server
  connection: pg.Client
  /** Resolves when the connection is lost: the server died, or somebody ended it. */
  lost: Promise<void>
}

/**
 * Returns the PostgreSQL of a DATA_DIR. Creates its cluster and starts it, or uses the one that runs for a service or that a
 * killed process left.
 * @throws EmbeddedPostgresError if another service has DATA_DIR, or if it is unusable; the message gives the reason
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log, own, onLost } = options
  const cluster = await openCluster(options.dataDir, { make: own })
  await removeDeadDrafts(dirname(cluster.folder))
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
    url: new Secret(urlOf(cluster, port)),
    stop() {
      left ??= leave()
      return left
    },
  }
}

/**
 * Finds or starts the server and connects to it; the service also takes its lock. Waits for a stopping server, then starts it
 * again.
 * @param port the required port, because our pools know no other. Null: any
 * @throws DataDirTaken if another service has the lock, EmbeddedPostgresError if the server does not start or answer
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

/** Connects. Null if the server is starting or stopping, or died meanwhile. */
async function connect(cluster: Cluster, server: Server, own: boolean): Promise<Hold | DataDirTaken | null> {
  const connection = new pg.Client({
    connectionString: urlOf(cluster, server.port),
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
    // A wrong password stays wrong, so another try is useless.
    if (error instanceof pg.DatabaseError && error.code === '28P01') {
      throw new EmbeddedPostgresError(`The database in ${cluster.data} refuses the password kept beside it.`)
    }
    return null
  } finally {
    if (!held) await end(connection)
  }
}

/** Tries to take the lock. Returns whether it was free. */
async function takeLock(connection: pg.Client): Promise<boolean> {
  const { rows } = await connection.query('select pg_try_advisory_lock($1::int, $2::int) as ours', LOCK)
  return rows[0].ours
}

/** Returns the error with the holder's process id, which the name of the holder's connection contains. */
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

/** Ends the connection. If the server does not answer, gives up after a moment. */
async function end(connection: pg.Client): Promise<void> {
  await Promise.race([connection.end().catch(() => {}), sleep(END_MS, undefined, { ref: false })])
}
