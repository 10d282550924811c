import type { Tx } from './database.ts'

/** A transaction that is open for longer belongs to a person at a terminal, and writes no row of the service. */
const SERVICE_TRANSACTION_MINUTES = 10

/**
 * Reads the current time, and the start of the oldest open transaction that writes; null: there is none. Milliseconds since 1970. With Citus
 * a transaction that writes on other machines has no transaction id here, so every open transaction counts.
 */
export async function readOpenWrites(tx: Tx): Promise<{ now: number; oldest_open: number | null }> {
  const writes = tx.sharded ? tx`` : tx`and backend_xid is not null`
  const [row] = await tx<{ now: Date; open_ms: number | null }[]>`
    select clock_now() as now,
           (select extract(epoch from clock_timestamp() - min(xact_start))::float8 * 1000
              from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
               and xact_start > clock_timestamp() - make_interval(mins => ${SERVICE_TRANSACTION_MINUTES})
               ${writes}) as open_ms`
  const now = row!.now.getTime()
  return { now, oldest_open: row!.open_ms === null ? null : Math.floor(now - row!.open_ms) }
}
