import { Gauge, type Registry } from 'prom-client'
import { createSingleGauge } from '../../platform/metrics.ts'
import type { Db } from '../../platform/postgres/database.ts'

/** Hours after which a backup is too old: two of its rounds were missed. */
export const BACKUP_HOURS_MAX = 12

/** A backup that succeeded. `began_at` is the moment to which it can be restored; null: it did not tell. */
type Backup = { finished_at: Date; kind: string; began_at: Date | null; bytes: number; age_hours: number }

/** The newest backup that succeeded, with its age by the database's clock. Null: none ever did. */
export async function readNewestBackup(db: Db): Promise<Backup | null> {
  const [row] = await db<Backup[]>`
    select finished_at, coalesce(level, kind) as kind, began_at, bytes,
           floor(extract(epoch from clock_timestamp() - finished_at) / 3600)::int as age_hours
      from backup_runs
     order by finished_at desc
     limit 1`
  return row ?? null
}

/** Whether the newest backup was refused for want of space, and when a restore was last tried with success; null: never. */
async function readRefusedAndDrilled(db: Db): Promise<{ refused: boolean; drilled_at: Date | null }> {
  const [row] = await db<{ refused: boolean; drilled_at: Date | null }[]>`
    select coalesce((select max(refused_at) from backup_refusals)
                    > coalesce((select max(finished_at) from backup_runs), '-infinity'), false) as refused,
           (select max(finished_at) from restore_drills where passed) as drilled_at`
  return row!
}

/** Makes the metrics of backups. They are absent until a backup has succeeded. Returns the function that reads them. */
export function measureBackups(metrics: Registry): (db: Db) => Promise<void> {
  const at = new Gauge({
    name: 'bandama_backup_last_success_timestamp_seconds',
    help: 'When the newest backup was complete, in seconds since 1970. Absent: none was ever.',
    labelNames: ['kind'],
    registers: [metrics],
  })
  const size = new Gauge({
    name: 'bandama_backup_bytes',
    help: 'The bytes of the newest backup.',
    labelNames: ['kind'],
    registers: [metrics],
  })
  const no_space = createSingleGauge(
    metrics,
    'bandama_backup_no_space',
    '1 while the newest backup was not made because the disk has no room for it.',
  )
  const drill = createSingleGauge(
    metrics,
    'bandama_restore_drill_last_success_timestamp_seconds',
    'When a restore was last tried with success, in seconds since 1970. Absent: none ever was.',
  )
  return async (db) => {
    const { refused, drilled_at } = await readRefusedAndDrilled(db)
    no_space.set(Number(refused))
    drill.set(drilled_at === null ? null : drilled_at.getTime() / 1_000)
    const newest = await readNewestBackup(db)
    if (newest === null) return
    const { kind } = newest
    // The kind may be another than before.
    at.reset()
    size.reset()
    at.set({ kind }, newest.finished_at.getTime() / 1_000)
    size.set({ kind }, newest.bytes)
  }
}
