import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { machineMilliseconds } from '../clock.ts'
import { EmbeddedPostgresError } from './embedded-account.ts'
import { type Cluster, USER } from './embedded-cluster.ts'
import { findServer, type Server, type Settings, startServer, stopServer } from './embedded-server.ts'

/** A process that uses the server, as long as its connection lives. */
export type Member = {
  server_pid: number
  port: number
  /** The connection on which the locks are held. */
  connection: pg.Client
  /** Resolves when the connection is lost: the server died, or somebody ended it. */
  lost: Promise<void>
  /** Whether it was. */
  isLost(): boolean
}

export type JoinOptions = {
  own: boolean
  settings: Settings
  /** The port we must have, because our pools know no other; null: any. */
  port: number | null
  /** Ends the waiting; the join then throws. */
  signal: AbortSignal
}

/** Another service has this DATA_DIR. */
export class DataDirTaken extends EmbeddedPostgresError {
  override name = 'DataDirTaken'
}

/** The database that every server has; the locks are kept in it. */
const LOCK_DATABASE = 'postgres'

/**
 * Session locks on the server, with which processes that share no memory agree. They live and die with a connection, so
 * a killed process leaves nothing behind that somebody must clean up.
 */
const LOCKS = 0x62_61_6e_64
/** Held by the service. */
const OWNER = 1
/** Shared by all who use the server. Who gets it alone is the last, and nobody can join while it stops the server. */
const USERS = 2

/** The server lets go of a service killed a moment ago within this. */
const OWNER_PATIENCE_MS = 500
/** How long a server that takes no connections, or is on its way down, is waited for. */
const JOIN_PATIENCE_MS = 90_000
const POLL_MS = 20
/** A server that takes connections answers within this. */
const CONNECT_MS = 5_000
/** A connection is ended within this. */
const END_MS = 1_000

/**
 * Finds or starts the server and becomes one of its users, and its owner when `own`. A server on its way down is waited
 * for, then started again.
 * @throws DataDirTaken when another process owns it, EmbeddedPostgresError when it does not start
 */
export async function joinServer(cluster: Cluster, { own, settings, port, signal }: JoinOptions): Promise<Member> {
  const began = machineMilliseconds()
  let refusedAt: number | null = null
  for (;;) {
    signal.throwIfAborted()
    const server = (await findServer(cluster)) ?? (await startServer(cluster, port, settings))
    const usable = server.ready && (port === null || port === server.port)
    const answer = usable ? await ask(cluster, server, own) : 'come back'
    if (answer instanceof DataDirTaken) {
      refusedAt ??= machineMilliseconds()
      if (machineMilliseconds() - refusedAt > OWNER_PATIENCE_MS) throw answer
    } else if (answer !== 'come back') return answer
    if (machineMilliseconds() - began > JOIN_PATIENCE_MS) {
      throw new EmbeddedPostgresError(
        `PostgreSQL (process ${server.pid}) runs in ${cluster.data} and takes no connection on port ${server.port}.`,
      )
    }
    await sleep(POLL_MS)
  }
}

async function ask(cluster: Cluster, server: Server, own: boolean): Promise<Member | DataDirTaken | 'come back'> {
  const member = prepare(cluster, server, own)
  let joined = false
  try {
    await member.connection.connect()
    if (!(await lock(member, 'pg_try_advisory_lock_shared', USERS))) return 'come back'
    if (own && !(await lock(member, 'pg_try_advisory_lock', OWNER))) return await dataDirTaken(cluster, member)
    joined = !member.isLost()
    return joined ? member : 'come back'
  } catch (error) {
    // A server that starts, stops or died says so, or nothing; only a password it does not know will not mend itself.
    if (error instanceof pg.DatabaseError && error.code === '28P01') {
      throw new EmbeddedPostgresError(`The database in ${cluster.data} refuses the password kept beside it.`)
    }
    return 'come back'
  } finally {
    if (!joined) await end(member)
  }
}

type LockFunction = 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared' | 'pg_advisory_unlock_shared'

/** Whether it did as asked: the lock was had, or given up. */
async function lock({ connection }: Member, ask: LockFunction, which: number): Promise<boolean> {
  const { rows } = await connection.query<{ done: boolean }>(`select ${ask}($1::int, $2::int) as done`, [LOCKS, which])
  return rows[0]!.done
}

/** The holder of the owner's lock says in its connection's name which process it is. */
async function dataDirTaken(cluster: Cluster, { connection }: Member): Promise<DataDirTaken> {
  const { rows } = await connection.query<{ pid: string }>(
    `select split_part(a.application_name, ' ', 3) as pid
       from pg_locks l
       join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and l.classid = $1 and l.objid = $2`,
    [LOCKS, OWNER],
  )
  const [holder] = rows
  const who = holder === undefined ? 'Another Bandama' : `Another Bandama (process ${holder.pid})`
  const dataDir = dirname(cluster.folder)
  return new DataDirTaken(`${who} already serves ${dataDir}. Stop it first, or set DATA_DIR to another folder.`)
}

/**
 * Gives up the place; the last of all users stops the server. Commands that still run when the service ends keep their
 * server, and stop it when they end.
 */
export async function leaveServer(cluster: Cluster, member: Member): Promise<void> {
  // A server that died just now has no users.
  const last = await isLast(member).catch(() => member.isLost())
  if (last) await stopServer(cluster)
  await end(member)
}

async function isLast(member: Member): Promise<boolean> {
  await lock(member, 'pg_advisory_unlock_shared', USERS)
  return await lock(member, 'pg_try_advisory_lock', USERS)
}

/** Ends the connection; one that the server does not answer is left to itself after a moment. */
async function end({ connection }: Member): Promise<void> {
  await Promise.race([connection.end().catch(() => {}), sleep(END_MS, undefined, { ref: false })])
}

/** The address of a database of the server. Holds the password. */
export function addressOf(cluster: Cluster, port: number, database: string): string {
  return `postgres://${USER}:${cluster.password.reveal()}@127.0.0.1:${port}/${database}`
}

function prepare(cluster: Cluster, server: Server, own: boolean): Member {
  const { promise: lost, resolve } = Promise.withResolvers<void>()
  let isLost = false
  const lose = () => {
    isLost = true
    resolve()
  }
  const connection = new pg.Client({
    connectionString: addressOf(cluster, server.port, LOCK_DATABASE),
    application_name: `bandama ${own ? 'service' : 'command'} ${process.pid}`,
    connectionTimeoutMillis: CONNECT_MS,
  })
  connection.on('error', lose)
  connection.on('end', lose)
  return { server_pid: server.pid, port: server.port, connection, lost, isLost: () => isLost }
}
