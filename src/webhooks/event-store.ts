import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'

/** The end of a time that is past, and the identifier that an event of that moment would begin with. */
export type Before = { time: Date; id: string }

/** So many days ago, by the database's clock. */
export async function readMomentAgo(db: Db, days: number): Promise<Date> {
  const [row] = await db<{ moment: Date }[]>`select clock_now() - make_interval(days => ${days}) as moment`
  return row!.moment
}

/**
 * Whose oldest events are older than that. The lateral join makes it one look into the primary key for each merchant and
 * mode, whatever the planner believes.
 */
export async function readTenantsWithEventsBefore(db: Db, before: Before): Promise<Tenant[]> {
  return db<Tenant[]>`
    select m.merchant_id, modes.livemode
      from merchants m
     cross join (values (false), (true)) as modes(livemode)
     cross join lateral (
           select e.id
             from events e
            where e.merchant_id = m.merchant_id and e.livemode = modes.livemode
            order by e.merchant_id, e.livemode, e.id
            limit 1) oldest
     where oldest.id < ${before.id}`
}

/**
 * Deletes deliveries of a merchant's old events that have ended, up to so many, and returns how many. As an array, what was
 * found is looked up by the whole key; joined, all that the merchant has could be read for it. One that is being sent again in
 * this moment is skipped, so that nobody waits for us while we wait for them.
 */
export async function deleteEndedDeliveries(
  db: Db,
  { merchant_id, livemode }: Tenant,
  before: Before,
  limit: number,
): Promise<number> {
  const { count } = await db`
    delete from deliveries
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and id = any(array(
           select id
             from deliveries
            where merchant_id = ${merchant_id} and livemode = ${livemode}
              and event_id < ${before.id}
              and created_at < ${before.time}
              and status in ('delivered', 'failed')
            order by event_id
            limit ${limit}
              for update skip locked))`
  return count
}

/** Deletes a merchant's old events that have no delivery left, up to so many, and returns how many. */
export async function deleteEvents(
  db: Db,
  { merchant_id, livemode }: Tenant,
  before: Before,
  limit: number,
): Promise<number> {
  const { count } = await db`
    delete from events
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and id = any(array(
           select e.id
             from events e
            where e.merchant_id = ${merchant_id} and e.livemode = ${livemode}
              and e.id < ${before.id}
              and e.created_at < ${before.time}
              and not exists (
                  select from deliveries d
                   where d.merchant_id = e.merchant_id and d.livemode = e.livemode and d.event_id = e.id)
            order by e.id
            limit ${limit}))`
  return count
}
