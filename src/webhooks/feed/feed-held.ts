import { Gauge, type Registry as Metrics } from 'prom-client'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readOldestTransaction } from './feed-store.ts'

/** Seconds for which a transaction may hold the feed before a person should look. */
const WARN_SECONDS = 10

/**
 * Creates the watch over transactions that hold the feed: it ends before the oldest running one, whoever's and in whatever database of the server.
 * Call it every few seconds.
 * @param now milliseconds of a clock that never goes back
 */
export function watchFeed({
  log,
  metrics,
  now = () => performance.now(),
}: {
  log: Pick<Log, 'info' | 'warn'>
  metrics: Metrics
  now?: () => number
}): (sql: Sql) => Promise<void> {
  const held = new Gauge({
    name: 'bandama_feed_held_seconds',
    help: 'Seconds for which the feed of events has waited for the same transaction; 0 when it waits for none.',
    registers: [metrics],
  })
  let holder: { transaction: string; since: number; isTold: boolean } | null = null

  return async (sql) => {
    const transaction = await readOldestTransaction(sql)
    const before = holder
    if (before !== null && before.transaction !== transaction && before.isTold) {
      log.info({ backend_xid: before.transaction }, 'webhooks: the feed of events goes on')
    }
    if (transaction === null) holder = null
    else if (before?.transaction !== transaction) holder = { transaction, since: now(), isTold: false }
    const seconds = holder === null ? 0 : (now() - holder.since) / 1_000
    held.set(seconds)
    if (holder === null || holder.isTold || seconds < WARN_SECONDS) return
    holder.isTold = true
    log.warn(
      { backend_xid: holder.transaction, seconds: Math.round(seconds) },
      'webhooks: a transaction holds the feed of events, find its session in pg_stat_activity by backend_xid, or in pg_prepared_xacts',
    )
  }
}
