import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'

/** The end of a time that is past, and the identifier that an event of that moment would begin with. */
export type Before = { time: Date; id: string }

/** So many days ago, by the database's clock. */
export async function readMomentAgo(db: Db, days: number): Promise<Date> {
  const [row] = await db<{ moment: Date }[]>`select clock_now() - make_interval(days => ${days}) as moment`
  return row!.moment
}

/** Whose oldest events are older than that. One look into the primary key for each merchant and mode. */
export async function readTenantsWithEventsBefore(db: Db, before: Before): Promise<Tenant[]> {
  return db<Tenant[]>`
    select m.merchant_id, modes.livemode
      from merchants m
     cross join (values (false), (true)) as modes(livemode)
     where exists (
           select from events e
            where e.merchant_id = m.merchant_id and e.livemode = modes.livemode and e.id < ${before.id})`
}

/** Deletes deliveries of a merchant's old events that have ended, up to so many, and returns how many. */
export async function deleteEndedDeliveries(
  db: Db,
  { merchant_id, livemode }: Tenant,
  before: Before,
  limit: number,
): Promise<number> {
  const { count } = await db`
    delete from deliveries
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and id in (
           select id
             from deliveries
            where merchant_id = ${merchant_id} and livemode = ${livemode}
              and event_id < ${before.id}
              and created_at < ${before.time}
              and status in ('delivered', 'failed')
            limit ${limit})
       and status in ('delivered', 'failed')`
  return count
}

/** Deletes a merchant's old events that no delivery waits for, up to so many, and returns how many. */
export async function deleteEvents(
  db: Db,
  { merchant_id, livemode }: Tenant,
  before: Before,
  limit: number,
): Promise<number> {
  const { count } = await db`
    delete from events
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and id in (
           select e.id
             from events e
            where e.merchant_id = ${merchant_id} and e.livemode = ${livemode}
              and e.id < ${before.id}
              and e.created_at < ${before.time}
              and not exists (
                  select from deliveries d
                   where d.merchant_id = e.merchant_id and d.livemode = e.livemode and d.event_id = e.id)
            limit ${limit})`
  return count
}
