import type { Db, Statement, Tx } from '../../platform/postgres/database.ts'
import { given, sameRow } from '../../platform/postgres/rows.ts'
import type { Tenant } from '../../values/caller.ts'
import { type EventType, eventTypes } from '../event-types.ts'
import type { Position } from './position.ts'

// The statements of the feed. A transaction number is read as the text `number`: a column of the result with the name `tx` would be sorted as a
// text.

/** A row of the feed. */
type PlaceRow = { epoch: number; number: string; id: string }

const placeOf = ({ epoch, number, id }: PlaceRow): Position => ({ epoch, tx: number, id })

/**
 * The condition of a settled event: every transaction with a lower number has ended, so no event can appear before it any more. Transactions of
 * earlier epochs ended with their server, except prepared ones. While there is any, nothing is settled.
 */
function isSettled(db: Db, events: 'events' | 'e'): Statement<object[]> {
  return db`(${db(`${events}.epoch`)}, ${db(`${events}.tx`)})
           < ((select coalesce(max(epoch), 0) from feed_epochs), (select pg_snapshot_xmin(pg_current_snapshot())))
       and not (${hasPrepared(db)})`
}

function hasPrepared(db: Db): Statement<object[]> {
  return db`select count(*) > 0 from pg_prepared_xacts where database = current_database()`
}

/** The state of the database as seen from a place of the feed. */
export type Standing = {
  /** The newest epoch, and its beginning. Epoch 0: none has begun. */
  epoch: number
  epoch_begun_at: Date | null
  /** The beginning of the first epoch after that of the place. Null: there is none. */
  next_begun_at: Date | null
  /** Whether the event at the place is in the database. */
  stands: boolean
  /** Whether a prepared transaction holds the feed. */
  has_prepared: boolean
}

export async function readStanding(db: Db, { merchant_id, livemode }: Tenant, place: Position): Promise<Standing> {
  const [row] = await db<Standing[]>`
    select coalesce(newest.epoch, 0) as epoch,
           newest.begun_at as epoch_begun_at,
           (select begun_at from feed_epochs where epoch > ${place.epoch} order by epoch limit 1) as next_begun_at,
           exists (
             select id
               from events
              where merchant_id = ${merchant_id} and livemode = ${livemode}
                and epoch = ${place.epoch} and tx = ${place.tx}::xid8 and id = ${place.id}) as stands,
           (${hasPrepared(db)}) as has_prepared
      from (select 1) one
      left join (select epoch, begun_at from feed_epochs order by epoch desc limit 1) newest on true`
  return row!
}

/** The last deleted event of a merchant in the order of the feed. */
export type Floor = { place: Position; created_at: Date }

/** Reads the floor of a merchant's feed, and whether a place is before it. Null: no event was deleted. */
export async function readFloor(
  db: Db,
  { merchant_id, livemode }: Tenant,
  place: Position,
): Promise<(Floor & { is_behind: boolean }) | null> {
  const [row] = await db<(PlaceRow & { created_at: Date; is_behind: boolean })[]>`
    select epoch, tx::text as number, id, created_at,
           (epoch, tx, id) > (${place.epoch}::integer, ${place.tx}::xid8, ${place.id}) as is_behind
      from feed_floors
     where merchant_id = ${merchant_id} and livemode = ${livemode}`
  return row === undefined ? null : { place: placeOf(row), created_at: row.created_at, is_behind: row.is_behind }
}

/** Raises the floor of a merchant's feed to an event that is deleted in this transaction. It never sinks. */
export async function raiseFloor(
  tx: Tx,
  { merchant_id, livemode }: Tenant,
  { place, created_at }: Floor,
): Promise<void> {
  await tx`
    insert into feed_floors as f (merchant_id, livemode, epoch, tx, id, created_at)
    values (${merchant_id}, ${livemode}, ${place.epoch}, ${place.tx}::xid8, ${place.id}, ${created_at})
    on conflict (merchant_id, livemode) do update
       set epoch = excluded.epoch, tx = excluded.tx, id = excluded.id, created_at = excluded.created_at
     where (excluded.epoch, excluded.tx, excluded.id) > (f.epoch, f.tx, f.id)`
}

/** Reads the last settled event of a merchant. Null: there is none. */
export async function readNewest(db: Db, { merchant_id, livemode }: Tenant): Promise<Position | null> {
  const [row] = await db<PlaceRow[]>`
    select epoch, tx::text as number, id
      from events
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and ${isSettled(db, 'events')}
     order by epoch desc, events.tx desc, id desc
     limit 1`
  return row === undefined ? null : placeOf(row)
}

/**
 * Reads the last event of a merchant with an identifier before this one, settled or not. Null: there is none. One lookup for each type in the index
 * of types and identifiers: the comparison of both keeps the planner from reading the primary key backwards in search of a type that never occurs.
 */
export async function readLastBefore(
  db: Db,
  { merchant_id, livemode }: Tenant,
  before_id: string,
): Promise<Position | null> {
  const [row] = await db<PlaceRow[]>`
    select e.epoch, e.tx::text as number, e.id
      from (select n.id
              from unnest(${[...eventTypes]}::text[]) as t(type)
             cross join lateral (
               select type, id
                 from events
                where merchant_id = ${merchant_id} and livemode = ${livemode} and (type, id) < (t.type, ${before_id})
                order by type desc, id desc
                limit 1) n
             where n.type = t.type
             order by n.id desc
             limit 1) last
      join events e on e.merchant_id = ${merchant_id} and e.livemode = ${livemode} and e.id = last.id`
  return row === undefined ? null : placeOf(row)
}

/** The part of the feed that one call looks at. */
export type Stretch = {
  readonly tenant: Tenant
  readonly after: Position
  /** The resource that the events are about; null: any. */
  readonly subject_id: string | null
  /** The most rows of the index. */
  readonly rows: number
}

/** The statement of a stretch. The index has the types, but not the resources: events of one are found by its own index, and are few. */
function eventsIn(
  db: Db,
  { tenant: { merchant_id, livemode }, after, subject_id, rows }: Stretch,
): Statement<object[]> {
  const from = subject_id === null ? db`events` : db`about_subject as events`
  return db`
    select epoch, tx, id, type
      from ${from}
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and (epoch, tx, id) > (${after.epoch}::integer, ${after.tx}::xid8, ${after.id})
       and ${isSettled(db, 'events')}
     order by epoch, tx, id
     limit ${rows}`
}

/** Finds the events of a resource first, in a statement that begins so. */
function withSubject(db: Db, { tenant: { merchant_id, livemode }, subject_id }: Stretch): Statement<object[]> {
  if (subject_id === null) return db``
  return db`
    with about_subject as materialized (
      select merchant_id, livemode, epoch, tx, id, type
        from events
       where subject_id = ${subject_id} and merchant_id = ${merchant_id} and livemode = ${livemode})`
}

/**
 * Finds the first events of some types in a stretch, with the length of their bodies. It stops reading as soon as it has found as many as it
 * may, and reads no body (`readEvents` of `journal-store.ts`).
 */
export async function findInStretch(
  db: Db,
  stretch: Stretch,
  { types, limit }: { types: readonly EventType[]; limit: number },
): Promise<{ place: Position; bytes: number }[]> {
  const { merchant_id, livemode } = stretch.tenant
  const rows = await db<(PlaceRow & { bytes: number })[]>`
    ${withSubject(db, stretch)}
    select e.epoch, e.tx::text as number, e.id, size.bytes
      from (select epoch, tx, id
              from (${eventsIn(db, stretch)}) stretch
             where type = any(${[...types]}::text[])
             limit ${limit}) e
     cross join lateral (
       select octet_length(body) as bytes
         from events
        where merchant_id = ${merchant_id} and livemode = ${livemode} and id = e.id
        limit 1) size
     order by e.epoch, e.tx, e.id`
  return rows.map((row) => ({ place: placeOf(row), bytes: row.bytes }))
}

/** Finds the last event of a stretch, of whatever type, and the number of its events. Null: it has none. */
export async function findEndOfStretch(db: Db, stretch: Stretch): Promise<{ place: Position; rows: number } | null> {
  const [row] = await db<(PlaceRow & { rows: number })[]>`
    select epoch, stretch.tx::text as number, id, (count(*) over ())::integer as rows
      from (${eventsIn(db, stretch)}) stretch
     order by epoch desc, stretch.tx desc, id desc
     limit 1`
  return row === undefined ? null : { place: placeOf(row), rows: row.rows }
}

/** Reads the bodies of these events, by their ids. */
export async function readBodies(
  db: Db,
  { merchant_id, livemode }: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db<{ id: string; body: string }[]>`
    select id, body
      from events
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = any(${[...ids]}::text[])`
  return new Map(rows.map(({ id, body }) => [id, body]))
}

/** Somebody who waits for events behind a place. */
export type Waiting = Tenant & Position

/** Returns, for each who waits, whether an event is settled behind the place, in the order of the list. */
export async function findNews(db: Db, waiting: readonly Waiting[]): Promise<boolean[]> {
  const rows = waiting.map(({ merchant_id, livemode, epoch, tx, id }, place) => {
    return { merchant_id, livemode, epoch, tx, id, place: String(place) }
  })
  const found = await db<{ place: string }[]>`
    select w.place
      from ${given(db, 'events w', rows, ['merchant_id', 'livemode', 'epoch', 'tx', 'id', 'place'])}
     where exists (
       select e.id
         from events e
        where ${sameRow(db, 'e', 'w', waiting)}
          and (e.epoch, e.tx, e.id) > (w.epoch, w.tx, w.id)
          and ${isSettled(db, 'e')})`
  const places = new Set(found.map(({ place }) => place))
  return rows.map(({ place }) => places.has(place))
}

/** Reads the oldest running transaction of the server, by its number in `pg_stat_activity`. Null: none is older than a transaction that has ended. */
export async function readOldestTransaction(db: Db): Promise<string | null> {
  const [row] = await db<{ oldest: string | null }[]>`
    select case when pg_snapshot_xmin(now) < pg_snapshot_xmax(now) then pg_snapshot_xmin(now)::xid::text end as oldest
      from pg_current_snapshot() now`
  return row!.oldest
}
