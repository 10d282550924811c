import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { type DatabaseOptions, type Db, openDatabase, type Sql } from '../platform/postgres/database.ts'
import { startEmbeddedPostgres } from '../platform/postgres/embedded/start.ts'
import { checkConnection } from '../platform/postgres/servers/check-connection.ts'
import { checkPooler } from '../platform/postgres/servers/check-pooler.ts'
import { createReplicaReads } from '../platform/postgres/servers/replica-reads.ts'
import { makeLogDays } from '../platform/postgres/upkeep/log-days.ts'
import { migrate } from '../platform/postgres/upkeep/migrate.ts'
import type { Secret } from '../values/secret.ts'
import { JOIN_EPOCH } from '../webhooks/feed/epoch-store.ts'
import { dailyLogs } from './daily-logs.ts'
import { holdPayoutsIfCollationChanged } from './database-collation.ts'
import { checkSecretKey } from './secret-key/check-secret-key.ts'
import { readSecretKey } from './secret-key/read-secret-key.ts'

/** Connections to a replica in a process that serves the API. */
const READ_CONNECTIONS = 4

export type Resources = {
  secretKey: Secret
  /** Opens a pool on the same database. */
  open(name: string, connections: number): Sql
  /**
   * Opens connections for reads only: to a replica when there is one and it answers, otherwise `sql`. `end` closes the
   * replica's pool.
   */
  openReads(sql: Sql): { reads: Db; end(): Promise<void> }
  /** Closes the database. Stops the embedded server when this process runs it. */
  close(): Promise<void>
}

/**
 * Opens the resources that everything needs: the configured or embedded database at the newest schema, and the secret
 * key.
 * @param own true for the service, which alone runs the embedded server; false for a command beside it
 * @param signal ends a long migration
 * @throws DatabaseUnreachableError, EmbeddedPostgresError when no database is available; ConfigError when the secret key is not
 * that of the database's connectors
 */
export async function openResources(
  config: Config,
  log: Log,
  { own, signal, onLost }: { own: boolean; signal?: AbortSignal; onLost?: (error: Error) => void },
): Promise<Resources> {
  const embedded =
    config.database_url === null
      ? await startEmbeddedPostgres({ dataDir: config.data_dir, log, own, ...(onLost ? { onLost } : {}) })
      : null
  const ends: (() => Promise<unknown>)[] = [async () => embedded?.stop()]
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    const secretKey = await readSecretKey(config)
    const url = config.database_url ?? embedded!.url
    // A command has no time limit for its statements: its user waits for the result.
    const options = { sharded: config.sharded, ...(own ? {} : { answer_ms: Number.POSITIVE_INFINITY }) }
    await prepareDatabase({ url, secretKey, own, signal }, opener(url, options), log)
    const open = opener(url, { ...options, greeting: JOIN_EPOCH })
    return { secretKey, open, openReads: (sql) => openReads(sql, config, log), close }
  } catch (error) {
    await close()
    throw error
  }
}

function opener(url: Secret, options: Pick<DatabaseOptions, 'sharded' | 'answer_ms' | 'greeting'>): Resources['open'] {
  return (name, connections) => openDatabase({ url: url.reveal(), connections, name: `bandama ${name}`, ...options })
}

function openReads(primary: Sql, { database_read_url, sharded }: Config, log: Log): ReturnType<Resources['openReads']> {
  if (database_read_url === null) return { reads: primary, end: async () => {} }
  const url = database_read_url.reveal()
  const replica = openDatabase({ url, connections: READ_CONNECTIONS, name: 'bandama reads', sharded })
  return { reads: createReplicaReads({ primary, replica, log }), end: () => replica.end({ timeout: 5 }) }
}

/** Connects to the database, migrates it to the newest schema, and checks that the secret key is the one of its secrets. */
async function prepareDatabase(
  { url, secretKey, own, signal }: { url: Secret; secretKey: Secret; own: boolean; signal: AbortSignal | undefined },
  open: Resources['open'],
  log: Log,
): Promise<void> {
  const sql = open('start', 1)
  try {
    await checkConnection(sql, url.reveal())
    await checkPooler(url.reveal())
    await migrate(url.reveal(), log, undefined, signal)
    await checkSecretKey(sql, secretKey, log)
    if (own) await holdPayoutsIfCollationChanged(sql, log)
    for (const daily of dailyLogs) await makeLogDays(sql, daily)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
