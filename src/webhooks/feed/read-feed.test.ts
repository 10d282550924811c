import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { isCitus } from '../../../tests/harness/citus.ts'
import { openCopies } from '../../../tests/harness/copies.ts'
import { openPool, openTestDatabase } from '../../../tests/harness/database.ts'
import { untilSettled } from '../../../tests/harness/settled.ts'
import { payments } from '../../../tests/harness/webhooks.ts'
import { withoutTriggers } from '../../../tests/harness/without-triggers.ts'
import { createClock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { dropOldEvents } from '../drop-old-events.ts'
import { emitEvents } from '../emit.ts'
import { eventTypes } from '../event-types.ts'
import { JOIN_EPOCH } from './epoch-store.ts'
import type { Position } from './position.ts'
import { type FeedPage, type ReadFrom, readFeed } from './read-feed.ts'

const skip = isCitus && 'the feed is not offered on a cluster'
const clock = createClock()
const tenant = { merchant_id: 1, livemode: false }

/** A pool as the service has it, closed at the end of the test. */
function openJoined(t: TestContext, url: string): Sql {
  const sql = openPool({ url, connections: 2, name: 'joined', greeting: JOIN_EPOCH })
  t.after(() => sql.end({ timeout: 1 }))
  return sql
}

async function emit(sql: Sql, of = tenant): Promise<string> {
  const [id] = await sql.begin((tx) => emitEvents(tx, payments(of, 1), clock.now()))
  await untilSettled(sql)
  return id!
}

const wanted = (from: ReadFrom) => ({ tenant, from, types: eventTypes, subject_id: null, limit: 100 })

async function read(sql: Sql, from: ReadFrom): Promise<FeedPage> {
  const page = await readFeed(sql, wanted(from))
  assert.equal(page.kind, 'page', JSON.stringify(page))
  return page as FeedPage
}

const idsOf = ({ events }: FeedPage) => events.map(({ place }) => place.id)

/** Reads until nothing follows, and returns the place. */
async function readToEnd(sql: Sql): Promise<Position> {
  return (await read(sql, 'beginning')).next
}

test('readers of what a restore lost are told once, and nobody misses what follows it', { skip }, async (t) => {
  await using db = await openTestDatabase()
  await using copies = openCopies()
  const before = openJoined(t, db.url)
  const kept_ids = [await emit(before), await emit(before)]
  const behindKept = await readToEnd(before)
  const kept = await copies.copyOf(db.url)
  const after = openJoined(t, db.url)
  for (let count = 0; count < 5; count += 1) await emit(after)
  const behindLost = await readToEnd(after)
  const now = (await read(after, 'now')).next
  await copies.putBack(db.url, kept)

  const restored = openJoined(t, db.url)
  const [epoch] = await restored<{ begun_at: Date }[]>`
    select begun_at from feed_epochs order by epoch desc limit 1`
  const told = await read(restored, behindLost)
  assert.deepEqual([told.restored_at, told.events, told.has_more], [epoch!.begun_at, [], false])
  assert.equal((await read(restored, told.next)).restored_at, null)
  assert.equal((await read(restored, behindKept)).restored_at, null, 'this reader has lost nothing')

  const next_ids = [await emit(restored), await emit(restored)]
  for (const place of [told.next, behindKept]) {
    const page = await read(restored, place)
    assert.deepEqual([idsOf(page), page.restored_at], [next_ids, null])
  }
  for (const place of [behindLost, now]) {
    const page = await read(restored, place)
    assert.deepEqual([idsOf(page), page.restored_at], [next_ids, epoch!.begun_at])
    assert.equal((await read(restored, page.next)).restored_at, null)
  }
  assert.deepEqual(idsOf(await read(restored, 'beginning')), [...kept_ids, ...next_ids])
})

test('a restore on a server whose transaction numbers are lower puts what follows behind what it kept', {
  skip,
}, async (t) => {
  await using db = await openTestDatabase()
  await using copies = openCopies()
  const before = openJoined(t, db.url)
  const ids = [await emit(before), await emit(before), await emit(before)]
  // As if the first server had counted much further.
  await before.begin(async (tx) => {
    await withoutTriggers(tx)
    await tx`update events set tx = (tx::text::bigint + 1000000000000)::text::xid8`
  })
  const restored = openJoined(t, await copies.copyOf(db.url))
  ids.push(await emit(restored), await emit(restored))
  const all = await read(restored, 'beginning')
  assert.deepEqual(idsOf(all), ids)
  for (const [at, { place }] of all.events.entries()) {
    assert.deepEqual(idsOf(await read(restored, place)), ids.slice(at + 1))
  }
})

test('a restore on a server whose clock is behind tells readers and goes on in its epoch', { skip }, async (t) => {
  await using db = await openTestDatabase()
  const sql = openJoined(t, db.url)
  const id = await emit(sql)
  const { events } = await read(sql, 'beginning')
  const { place } = events[0]!
  const page = await read(sql, { epoch: place.epoch + 100, tx: '9', id: 'evt_9' })
  assert.deepEqual(idsOf(page), [id])
  assert.notEqual(page.restored_at, null)
  assert.equal((await read(sql, page.next)).restored_at, null)
})

test('a reader behind whom events were deleted learns the moment from which it can go on', { skip }, async (t) => {
  await using db = await openTestDatabase()
  const sql = openJoined(t, db.url)
  const other = { ...tenant, merchant_id: 2 }
  const start = (await read(sql, 'now')).next
  await emit(sql)
  const first = await readToEnd(sql)
  await emit(sql)
  const second = await readToEnd(sql)
  await db.moveClock('400 days')
  const ahead = new Date(clock.now().getTime() + 400 * 86_400_000)
  const [late] = await sql.begin((tx) => emitEvents(tx, payments(tenant, 1), ahead))
  await sql.begin((tx) => emitEvents(tx, payments(other, 1), ahead))
  await untilSettled(sql)
  for (const place of [start, first, second, 'beginning'] as const)
    assert.equal((await read(sql, place)).events.at(-1)!.place.id, late)

  assert.equal(await dropOldEvents(sql, 365), 2)
  const moments: Date[] = []
  for (const place of [start, first, new Date(clock.now().getTime() - 86_400_000)]) {
    const refused = await readFeed(sql, wanted(place))
    assert.equal(refused.kind, 'deleted')
    if (refused.kind === 'deleted') moments.push(refused.go_on_from)
  }
  for (const place of [second, 'beginning', ...moments, ahead] as const) {
    const page = await read(sql, place)
    assert.deepEqual([idsOf(page), page.restored_at], [[late], null])
  }
  // A reader at the end has missed nothing when everything is deleted.
  const end = await readToEnd(sql)
  await db.moveClock('800 days')
  assert.equal(await dropOldEvents(sql, 365), 2)
  assert.equal((await readFeed(sql, wanted(second))).kind, 'deleted')
  for (const place of [end, 'beginning', 'now'] as const) {
    const page = await read(sql, place)
    assert.deepEqual([idsOf(page), page.restored_at, page.next], [[], null, end])
  }
})
