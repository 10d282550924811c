import { defineEffect } from '../platform/commands/effects.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import type { ScheduleRow } from './schedule.ts'

const columns = [
  ...['merchant_id', 'livemode', 'days', 'at_hour', 'keep', 'set_by', 'set_at', 'next_at', 'last_at', 'last_outcome'],
  'last_settlement_id',
]

/** Reads a merchant's schedule. Null when it has none. */
export async function readSchedule(db: Db, { merchant_id, livemode }: Tenant): Promise<ScheduleRow | null> {
  const [row] = await db<ScheduleRow[]>`
    select ${db(columns)}
      from settlement_schedules
     where merchant_id = ${merchant_id} and livemode = ${livemode}`
  return row ?? null
}

/** Writes a schedule in place of the one before. Its merchant is locked. */
export const writeSchedule = defineEffect<Omit<ScheduleRow, 'last_at' | 'last_outcome' | 'last_settlement_id'>>(
  'settlement schedule',
  async (tx, rows) => {
    for (const { merchant_id, livemode, days, at_hour, keep, set_by, set_at, next_at } of rows) {
      await tx`
        insert into settlement_schedules (merchant_id, livemode, days, at_hour, keep, set_by, set_at, next_at)
        values (${merchant_id}, ${livemode}, ${[...days]}::text[], ${at_hour}, ${keep}, ${set_by}, ${set_at}, ${next_at})
        on conflict (merchant_id, livemode) do update
           set days = excluded.days, at_hour = excluded.at_hour, keep = excluded.keep, set_by = excluded.set_by,
               set_at = excluded.set_at, next_at = excluded.next_at`
    }
  },
)

export const removeSchedule = defineEffect<Tenant>('settlement schedule', async (tx, rows) => {
  for (const { merchant_id, livemode } of rows) {
    await tx`
      delete from settlement_schedules
       where merchant_id = ${merchant_id} and livemode = ${livemode}`
  }
})

/** Lists the merchants whose next run is due, the one due longest first. */
export async function readDueSchedules(db: Db, limit: number): Promise<Tenant[]> {
  return db<Tenant[]>`
    select merchant_id, livemode
      from settlement_schedules
     where next_at <= clock_now()
     order by next_at
     limit ${limit}`
}

/** Locks a schedule that is due. Null when another worker has it, or ran it, or it was removed. */
export async function lockDueSchedule(tx: Tx, { merchant_id, livemode }: Tenant): Promise<ScheduleRow | null> {
  const [row] = await tx<ScheduleRow[]>`
    select ${tx(columns)}
      from settlement_schedules
     where merchant_id = ${merchant_id} and livemode = ${livemode} and next_at <= clock_now()
       for no key update skip locked`
  return row ?? null
}

/** Records the run of a locked schedule, and when the next one is due. */
export const writeRun = defineEffect<ScheduleRow>('settlement schedule', async (tx, rows) => {
  for (const { next_at, last_at, last_outcome, last_settlement_id, ...of } of rows) {
    const { merchant_id, livemode } = tenantOf(of)
    await tx`
      update settlement_schedules
         set next_at = ${next_at}, last_at = ${last_at}, last_outcome = ${last_outcome}, last_settlement_id = ${last_settlement_id}
       where merchant_id = ${merchant_id} and livemode = ${livemode}`
  }
})
