import type { Db, Tx } from '../platform/postgres/database.ts'
import { findKeyById } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'

/** A moment in the past, and the identifier with which an event of that moment would begin. */
export type Before = { time: Date; id: string }

/** Reads the moment so many days ago by the database's clock. */
export async function readMomentAgo(db: Db, days: number): Promise<Date> {
  const [row] = await db<{ moment: Date }[]>`select clock_now() - make_interval(days => ${days}) as moment`
  return row!.moment
}

export type OldEvent = Tenant & { id: string }

/**
 * Lists events of all merchants from before a moment, oldest first, up to so many, after the id `after`. They are together at the
 * beginning of the primary key.
 */
export async function readEventsBefore(db: Db, before: Before, after: string, limit: number): Promise<OldEvent[]> {
  return db<OldEvent[]>`
    select merchant_id, livemode, id
      from events
     where id > ${after} and id < ${before.id}
       and created_at < ${before.time}
     order by id
     limit ${limit}`
}

/**
 * Deletes the ended deliveries of a merchant's old events. Skips a delivery that another transaction has locked, such as a replay, so
 * that the two never wait for each other.
 */
export async function deleteEndedDeliveries(
  db: Db,
  { merchant_id, livemode }: Tenant,
  before: Before,
  eventIds: readonly string[],
): Promise<void> {
  await db`
    delete from deliveries
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and id = any(array(
           select id
             from deliveries
            where merchant_id = ${merchant_id} and livemode = ${livemode}
              and event_id = any(${[...eventIds]}::text[])
              and created_at < ${before.time}
              and status in ('delivered', 'failed')
              for update skip locked))`
}

/** A deleted event, with its place in the feed. */
export type DeletedEvent = { epoch: number; number: string; id: string; created_at: Date }

/** Deletes those of a merchant's events that have no delivery left, and returns them. */
export function deleteEvents(
  tx: Tx,
  { merchant_id, livemode }: Tenant,
  eventIds: readonly string[],
): Promise<DeletedEvent[]> {
  return tx<DeletedEvent[]>`
    delete from events e
     where e.merchant_id = ${merchant_id} and e.livemode = ${livemode}
       and e.id = any(${[...eventIds]}::text[])
       and not exists (
           select from deliveries d
            where d.merchant_id = e.merchant_id and d.livemode = e.livemode and d.event_id = e.id)
    returning e.epoch, e.tx::text as number, e.id, e.created_at`
}

/** Finds the merchant of an event by its identifier, for the staff. */
export const findEventAnywhere = (db: Db, id: string): Promise<Tenant | null> => findKeyById(db, 'events', 'id', id)
