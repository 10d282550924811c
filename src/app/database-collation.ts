import { Gauge, type Registry } from 'prom-client'
import { stopPayoutsBecause } from '../payouts/stop-payouts.ts'
import type { Log } from '../platform/log.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import { type PeriodicTask, runEvery } from '../platform/run-every.ts'

const PAUSE_MS = 60_000

/** How the database orders texts, on which its indexes and so its unique keys depend. */
export type Collation = {
  locale: string
  /** Whether the order can change with the system's libraries: every locale but C. */
  can_change: boolean
  /** The version with which the database was made, and the installed one, when they differ: its indexes may be wrong. Null: they agree. */
  change: string | null
}

/** Reads the collation of the database. Every role may. */
export async function readCollation(db: Db): Promise<Collation> {
  const [row] = await db<{ locale: string; provider: string; recorded: string | null; actual: string | null }[]>`
    select datcollate as locale, datlocprovider as provider, datcollversion as recorded,
           pg_database_collation_actual_version(oid) as actual
      from pg_database
     where datname = current_database()`
  const { locale, provider, recorded, actual } = row!
  // The builtin provider orders by code points, as C does.
  const isFixed = provider === 'b' || (provider === 'c' && /^(?:C|POSIX)(?:\.|$)/i.test(locale))
  const changed = recorded !== null && recorded !== actual
  return { locale, can_change: !isFixed, change: changed ? `${recorded} to ${actual ?? 'none'}` : null }
}

/**
 * Stops all payouts once the libraries that order texts have changed under the database. A unique index in the old order no longer finds every
 * row, so that a key that was used could be accepted again.
 */
export async function holdPayoutsIfCollationChanged(sql: Sql, log: Log): Promise<Collation> {
  const collation = await readCollation(sql)
  const { change } = collation
  if (change === null) return collation
  const stopped = await stopPayoutsBecause(sql, { cause: 'collation_changed', cause_detail: change })
  if (stopped)
    log.error({ change }, 'database: its collation has changed, payouts are stopped until its indexes are rebuilt')
  return collation
}

/** Looks again each minute, because the database may move to another machine, and shows the findings as metrics. */
export function followCollation({ sql, log, metrics }: { sql: Sql; log: Log; metrics: Registry }): PeriodicTask {
  const gauge = new Gauge({
    name: 'bandama_database_collation_problem',
    help: '1 when the collation of the database has changed (changed), or can change with the system (locale).',
    labelNames: ['kind'],
    registers: [metrics],
  })
  return runEvery('collation of the database', PAUSE_MS, log, async () => {
    const { can_change, change } = await holdPayoutsIfCollationChanged(sql, log)
    gauge.set({ kind: 'changed' }, change === null ? 0 : 1)
    gauge.set({ kind: 'locale' }, can_change ? 1 : 0)
  })
}
