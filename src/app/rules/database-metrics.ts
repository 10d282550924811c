import { Gauge, type Registry } from 'prom-client'
import { createSingleGauge } from '../../platform/metrics.ts'
import type { Db } from '../../platform/postgres/database.ts'

/** The fewest transactions that a replication slot must hold back to count: a quiet database moves on by itself. */
const HELD_TRANSACTIONS_MIN = 1_000

/** A replication slot, the transaction that it holds, and by how many transactions that one is behind. */
type Slot = { slot: string; holds: string; behind: number }

/**
 * Makes the metrics of old snapshots and of the archive of PostgreSQL's log. Returns the function that reads them. A role without `pg_monitor`
 * sees the transactions of its own sessions only.
 * @param now milliseconds of a clock that never goes back
 */
export function measureDatabase(metrics: Registry, now = () => performance.now()): (db: Db) => Promise<void> {
  const snapshot = new Gauge({
    name: 'bandama_database_oldest_snapshot_seconds',
    help: 'Age of the oldest snapshot, from which on nothing is cleaned up, by what holds it: session, prepared or slot.',
    labelNames: ['holder'],
    registers: [metrics],
  })
  const archive = createSingleGauge(
    metrics,
    'bandama_wal_archive_failing',
    '1 while the last attempt to archive the WAL failed. Absent: PostgreSQL archives nothing.',
  )
  const since = new Map<string, number>()

  /** Slots have no time, so this process remembers since when each has held the same transaction. */
  function ageOf(slots: readonly Slot[]): number {
    const held = slots
      .filter(({ behind }) => behind >= HELD_TRANSACTIONS_MIN)
      .map(({ slot, holds }) => `${slot} ${holds}`)
    for (const known of since.keys()) if (!held.includes(known)) since.delete(known)
    for (const one of held) if (!since.has(one)) since.set(one, now())
    return Math.max(0, ...held.map((one) => (now() - since.get(one)!) / 1_000))
  }

  return async (db) => {
    const { session, prepared, failing } = await readHolders(db)
    snapshot.set({ holder: 'session' }, session)
    snapshot.set({ holder: 'prepared' }, prepared)
    snapshot.set({ holder: 'slot' }, ageOf(await readSlots(db)))
    archive.set(failing === null ? null : Number(failing))
  }
}

async function readHolders(db: Db): Promise<{ session: number; prepared: number; failing: boolean | null }> {
  const [row] = await db<{ session: number; prepared: number; failing: boolean | null }[]>`
    select coalesce((select extract(epoch from clock_timestamp() - min(xact_start))
                       from pg_stat_activity
                      where (backend_xmin is not null or backend_xid is not null)
                        and backend_type = 'client backend'), 0)::float8 as session,
           coalesce((select extract(epoch from clock_timestamp() - min(prepared)) from pg_prepared_xacts), 0)::float8 as prepared,
           (select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false)
              from pg_stat_archiver
             where current_setting('archive_mode') <> 'off') as failing`
  return row!
}

async function readSlots(db: Db): Promise<Slot[]> {
  return db<Slot[]>`
    select slot_name::text as slot, least_xmin::text as holds, age(least_xmin) as behind
      from pg_replication_slots,
           lateral (select case when age(xmin) >= coalesce(age(catalog_xmin), -1) then xmin else catalog_xmin end as least_xmin) oldest
     where xmin is not null or catalog_xmin is not null`
}
