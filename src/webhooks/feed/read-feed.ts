import type { Sql, Tx } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { firstIdAt } from '../../values/ids.ts'
import type { EventType } from '../event-types.ts'
import { PAGE_BYTES } from '../find-events.ts'
import * as store from './feed-store.ts'
import { BEGINNING, isLater, isSame, type Position, startOf } from './position.ts'

/** The most events of any type that one read passes. */
const ROWS_MAX = 10_000
/** Bytes of a cursor and its name in an answer. */
const CURSOR_BYTES = 150
/** Milliseconds by which a read from a moment begins earlier: no transaction is open for so long. */
const EARLY_MS = 600_000

/** The point at which a read begins: a place, or a moment. `beginning`: the oldest event that is kept. `now`: behind the newest. */
export type ReadFrom = 'beginning' | 'now' | Date | Position

export type FeedWanted = {
  readonly tenant: Tenant
  readonly from: ReadFrom
  /** The types of event that the caller may read and wants. */
  readonly types: readonly EventType[]
  /** The resource that the events are about; null: any. */
  readonly subject_id: string | null
  readonly limit: number
}

export type FeedPage = {
  readonly kind: 'page'
  readonly events: readonly { readonly place: Position; readonly body: string }[]
  /** The place at which the next read goes on. */
  readonly next: Position
  /** Whether a next read finds more at once, or has more to pass. */
  readonly has_more: boolean
  /** The moment at which an older state of the database was restored, if this reader has read events that it does not have. */
  readonly restored_at: Date | null
}

/** Events after the place were deleted. The reader has missed them, and goes on from the moment. */
export type FeedDeleted = { readonly kind: 'deleted'; readonly go_on_from: Date }

/**
 * Reads the settled events behind a place, in the order of the feed, which is the same for every reader and never changes. So a reader who goes on
 * from `next` misses none. All statements see one state of the database.
 */
export function readFeed(sql: Sql, wanted: FeedWanted): Promise<FeedPage | FeedDeleted> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    const found = await findStart(tx, wanted)
    return found.kind === 'deleted' ? found : await readPage(tx, wanted, found)
  })
}

type Start = {
  readonly kind: 'start'
  readonly place: Position
  readonly restored_at: Date | null
  readonly ends: Position
}

async function findStart(tx: Tx, { tenant, from }: FeedWanted): Promise<Start | FeedDeleted> {
  if (typeof from === 'object' && 'tx' in from) return await findPlace(tx, tenant, from)
  const floor = await store.readFloor(tx, tenant, BEGINNING)
  if (from instanceof Date) return await findMoment(tx, tenant, from, floor)
  const newest = from === 'now' ? await store.readNewest(tx, tenant) : null
  return startAt(latest(newest, floor?.place ?? null))
}

function startAt(place: Position): Start {
  return { kind: 'start', place, restored_at: null, ends: place }
}

function latest(one: Position | null, other: Position | null): Position {
  if (one === null || other === null) return one ?? other ?? BEGINNING
  return isLater(one, other) ? one : other
}

/**
 * The last event of ten minutes before the moment: later ones have later transactions. A transaction that hangs may be older than it, and then
 * the read begins earlier.
 */
async function findMoment(
  tx: Tx,
  tenant: Tenant,
  moment: Date,
  floor: store.Floor | null,
): Promise<Start | FeedDeleted> {
  const early = moment.getTime() - EARLY_MS
  if (floor !== null && floor.created_at.getTime() >= early) return deleted(floor)
  const last = await store.readLastBefore(tx, tenant, firstIdAt('evt', early))
  const newest = await store.readNewest(tx, tenant)
  const settled = last !== null && (newest === null || isLater(last, newest)) ? newest : last
  return startAt(latest(settled, floor?.place ?? null))
}

function deleted({ created_at }: store.Floor): FeedDeleted {
  return { kind: 'deleted', go_on_from: new Date(created_at.getTime() + EARLY_MS + 1_000) }
}

/**
 * Checks the place of a cursor. Its event is missing if an older state of the database was restored since: the reader has read what was lost. All
 * that follows is in a later epoch or behind the place.
 */
async function findPlace(tx: Tx, tenant: Tenant, place: Position): Promise<Start | FeedDeleted> {
  const floor = await store.readFloor(tx, tenant, place)
  if (floor?.is_behind === true) return deleted(floor)
  const { epoch, epoch_begun_at, next_begun_at, stands, has_prepared } = await store.readStanding(tx, tenant, place)
  if (has_prepared) return startAt(place)
  // The clock of the restored server is behind.
  if (place.epoch > epoch)
    return { kind: 'start', place: startOf(epoch), restored_at: epoch_begun_at, ends: startOf(epoch) }
  const isKnown = stands || place.id === '' || (floor !== null && isSame(floor.place, place))
  if (isKnown || next_begun_at === null) return startAt(place)
  // If nothing follows, the next read begins in the newest epoch, so that it does not tell of the restore again.
  return { kind: 'start', place, restored_at: next_begun_at, ends: startOf(epoch) }
}

async function readPage(tx: Tx, wanted: FeedWanted, { place, restored_at, ends }: Start): Promise<FeedPage> {
  const { tenant, types, subject_id, limit } = wanted
  const stretch = { tenant, after: place, subject_id, rows: ROWS_MAX }
  const found = await store.findInStretch(tx, stretch, { types, limit: limit + 1 })
  const fitting = found.slice(0, countFitting(found.slice(0, limit)))
  const bodies = await store.readBodies(
    tx,
    tenant,
    fitting.map(({ place: { id } }) => id),
  )
  const events = fitting.map((event) => ({ place: event.place, body: bodies.get(event.place.id)! }))
  const page = { kind: 'page', events, restored_at } as const
  if (found.length > fitting.length) return { ...page, next: fitting.at(-1)!.place, has_more: true }
  const end = await findEnd(tx, stretch)
  return { ...page, next: end?.place ?? ends, has_more: end?.has_more ?? false }
}

/** The number of events whose answer is not too long. One alone always fits. */
function countFitting(found: readonly { bytes: number }[]): number {
  let sum = 0
  const tooLong = found.findIndex(({ bytes }, at) => {
    sum += bytes + CURSOR_BYTES
    return at > 0 && sum > PAGE_BYTES
  })
  return tooLong === -1 ? found.length : tooLong
}

/** Finds the place up to which a read has passed all events. Null: none follow. */
async function findEnd(tx: Tx, stretch: store.Stretch): Promise<{ place: Position; has_more: boolean } | null> {
  if (stretch.subject_id === null) {
    const end = await store.findEndOfStretch(tx, stretch)
    return end === null ? null : { place: end.place, has_more: end.rows === ROWS_MAX }
  }
  // All events of a resource were read.
  const newest = await store.readNewest(tx, stretch.tenant)
  return newest !== null && isLater(newest, stretch.after) ? { place: newest, has_more: false } : null
}
