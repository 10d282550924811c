import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { openDatabase, type Sql } from '../platform/postgres/database.ts'
import { startEmbeddedPostgres } from '../platform/postgres/embedded.ts'
import { migrate } from '../platform/postgres/migrate.ts'
import { reachDatabase } from '../platform/postgres/reach.ts'
import type { Secret } from '../words/secret.ts'
import { readSecretKey } from './secret-key.ts'

export type Ground = {
  url: Secret
  secretKey: Secret
  /** Opens a pool on the same database. */
  open(name: string, connections: number): Sql
  /** Leaves the database: the embedded server is stopped, when we are the last to use it. */
  close(): Promise<void>
}

/**
 * What everything stands on: a database at the newest schema, ours or the embedded one, and the secret key.
 * @param own true for the service, which holds the embedded server alone; false for a command beside it
 * @throws DatabaseUnreachableError, EmbeddedPostgresError when there is none to stand on
 */
export async function openGround(
  config: Config,
  log: Log,
  { own, onLost }: { own: boolean; onLost?: (error: Error) => void },
): Promise<Ground> {
  const embedded =
    config.database_url === null
      ? await startEmbeddedPostgres({ dataDir: config.data_dir, log, own, ...(onLost ? { onLost } : {}) })
      : null
  const url = config.database_url ?? embedded!.url
  const { database_prepare: prepare, sharded } = config
  const open = (name: string, connections: number) =>
    openDatabase({ url: url.reveal(), connections, name: `bandama ${name}`, prepare, sharded })
  try {
    const secretKey = await readSecretKey(config)
    const sql = open('migrations', 1)
    try {
      await reachDatabase(sql, url.reveal())
      await migrate(sql)
      await maintainLogs(sql, config)
    } finally {
      await sql.end({ timeout: 5 })
    }
    return { url, secretKey, open, close: async () => embedded?.stop() }
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}

/** Makes the partitions of the logs for the days ahead and drops those past their time. */
export async function maintainLogs(sql: Sql, config: Config): Promise<void> {
  await sql`select maintain_log('request_log', ${config.request_log_days})`
  await sql`select maintain_log('delivery_attempts', ${config.delivery_attempt_days})`
}
