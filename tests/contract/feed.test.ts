import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import type { Tx } from '../../src/platform/postgres/database.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { idFrom, newId } from '../../src/values/ids.ts'
import { emitEvents, type NewEvent } from '../../src/webhooks/emit.ts'
import { isCitus } from '../harness/citus.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { untilSettled } from '../harness/settled.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import { ask } from './ask.ts'
import { type Feed, feed } from './feed.ts'
import { newSender, PATIENCE, type Sender } from './sender.ts'
import { askExtensions, type Event, readBody } from './x-answers.ts'
import { EVENTS, newEvent } from './x-refusal-cases.ts'

// The feed of GET /x/events. The order and what a restore does to it: src/webhooks/feed/read-feed.test.ts and tests/faults/feed.test.ts.

const skip = isCitus && 'the feed is not offered on a cluster'
const clock = createClock()

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

const { list, get, stage } = askExtensions(() => installation)
const read = async (key: string, place: string, more = '') =>
  readBody<Feed>(await installation.ask({ ...feed(key, place, more), patience_ms: 40_000 }))

/** Writes an event that has happened, and waits for the transactions before it, of other tests too. */
async function happened(tenant: Tenant, more: Parameters<typeof newEvent>[2] = {}): Promise<string> {
  const id = await newEvent(stage(), tenant, more)
  await untilSettled(installation.db.sql)
  return id
}

const newest = () => newSender(installation, { funds: 0 })
const ids = ({ data }: Pick<Feed, 'data'>) => data.map(({ id }) => id)

/** Writes an event in a transaction that the test ends. */
function emit(tx: Tx, tenant: Tenant, more: Partial<NewEvent> = {}): Promise<string[]> {
  const subject_id = newId('txn', 1)
  const data = { id: subject_id, object: 'payout', status: 'succeeded' }
  return emitEvents(tx, [{ ...tenant, type: 'payout.succeeded', subject_id, data, ...more }], clock.now())
}

/** The events of a payout key that one call after the other gives, from a place on. */
async function readAll({ key }: Pick<Sender, 'key'>, place: string, more = ''): Promise<string[]> {
  const found: string[] = []
  for (let after = place; ; ) {
    const page = await read(key, after, more)
    found.push(...ids(page))
    after = page.next
    if (!page.has_more) return found
  }
}

test('the feed gives every event once, in the form of webhooks, and goes on from next or from any event', {
  skip,
}, async () => {
  const sender = await newest()
  const { key, tenant } = sender
  const written: string[] = []
  for (let count = 0; count < 7; count += 1) written.push(await happened(tenant))
  const whole = await read(key, 'begin')
  assert.deepEqual(ids(whole), written)
  assert.deepEqual(
    [whole.object, whole.has_more, whole.restored_at, Object.keys(whole).length],
    ['feed', false, null, 5],
  )
  const { cursor, ...first } = whole.data[0]!
  const { deliveries: _, ...listed } = await get<Event>(key, `${EVENTS}/${written[0]}`)
  assert.deepEqual(first, listed)
  assert.match(cursor, /^[0-9A-Za-z_-]{24,200}$/)

  assert.deepEqual(await readAll(sender, 'begin', '&limit=3'), written)
  assert.deepEqual(await readAll(sender, 'begin', '&limit=1'), written)
  for (const [at, event] of whole.data.entries())
    assert.deepEqual(ids(await read(key, event.cursor)), written.slice(at + 1))
  const end = await read(key, whole.next)
  assert.deepEqual([end.data, end.has_more], [[], false])
  const late = await happened(tenant)
  assert.deepEqual(ids(await read(key, end.next)), [late])
  assert.deepEqual((await list(key)).data.map(({ id }) => id).toReversed(), [...written, late])
})

test('an event that is committed late comes before one that began later, and no reader passes it', {
  skip,
}, async () => {
  const sender = await newest()
  const { next } = await read(sender.key, 'now')
  let early: string[] = []
  let late = ''
  await installation.db.sql.begin(async (tx) => {
    early = await emit(tx, sender.tenant)
    await tx`select pg_current_xact_id()`
    late = await newEvent(stage(), sender.tenant)
    assert.equal((await list(sender.key)).data[0]!.id, late, 'the list has what was committed')
    assert.deepEqual((await read(sender.key, next)).data, [], 'the feed waits')
  })
  await untilSettled(installation.db.sql)
  assert.deepEqual(await readAll(sender, next), [...early, late])
})

test('types, resources and the scope of a key leave events out, and a cursor serves every key and filter', {
  skip,
}, async () => {
  const sender = await newest()
  const { key: paying, tenant, merchant } = sender
  const out = await happened(tenant, { subject_id: 'txn_out' })
  const into = await happened(tenant, { type: 'payment.succeeded', subject_id: 'txn_in' })
  const again = await happened(tenant, { subject_id: 'txn_out' })
  await happened({ ...tenant, livemode: !tenant.livemode })
  await happened((await newest()).tenant)
  assert.deepEqual(ids(await read(paying, 'begin')), [out, again])
  assert.deepEqual(ids(await read(merchant.key, 'begin')), [into])
  assert.deepEqual(ids(await read(paying, 'begin', '&subject_id=txn_out&limit=1')), [out])
  assert.deepEqual(await readAll(sender, 'begin', '&subject_id=txn_out&limit=1'), [out, again])
  assert.deepEqual(ids(await read(paying, 'begin', '&subject_id=txn_in')), [])
  assert.deepEqual(ids(await read(paying, 'begin', '&type=payout.failed')), [])
  const { data, next } = await read(merchant.key, 'begin')
  assert.deepEqual(ids(await read(paying, data[0]!.cursor)), [again])
  assert.deepEqual(ids(await read(paying, next)), [])
  // A filter passes for good what it leaves out.
  const passed = await read(paying, 'begin', '&subject_id=txn_none')
  assert.deepEqual(ids(await read(paying, passed.next)), [])
  const later = await happened(tenant)
  assert.deepEqual(ids(await read(paying, passed.next)), [later])
})

test('now begins behind the newest event, a moment up to ten minutes early, and begin with the oldest', {
  skip,
}, async () => {
  const sender = await newest()
  const { key, tenant } = sender
  const nothing = await read(key, 'now')
  const at = async (minutes: number) => {
    const when = new Date(clock.now().getTime() - minutes * 60_000)
    const id = idFrom('evt', when.getTime(), randomBytes(10))
    await installation.db.sql.begin((tx) => emitEvents(tx, [{ ...aboutPayout(tenant), id }], when))
    return id
  }
  const written: string[] = []
  for (const minutes of [90, 61, 59, 5]) written.push(await at(minutes))
  await untilSettled(installation.db.sql)
  const ago = (minutes: number) => new Date(clock.now().getTime() - minutes * 60_000).toISOString()
  assert.deepEqual(await readAll(sender, ago(200)), written)
  assert.deepEqual(await readAll(sender, ago(70)), written.slice(1))
  assert.deepEqual(await readAll(sender, ago(50).replace(/\.\d+Z$/, '+00:00')), written.slice(2))
  assert.deepEqual(await readAll(sender, ago(0)), written.slice(3), 'less than ten minutes old')
  assert.deepEqual(await readAll(sender, 'now'), [])
  assert.deepEqual(await readAll(sender, nothing.next), written)
  assert.deepEqual(await readAll(sender, 'begin'), written)
})

function aboutPayout(tenant: Tenant): NewEvent {
  const data = { id: 'txn_1', object: 'payout', status: 'succeeded' }
  return { ...tenant, type: 'payout.succeeded', subject_id: 'txn_1', data }
}

test('a page has 1 MB at most or one event alone, and the pages after it bring the rest', { skip }, async () => {
  const sender = await newest()
  const written: string[] = []
  for (const kilobytes of [1, 1_500, 350, 350, 350, 350, 1, 1_500]) {
    const noise = randomBytes(kilobytes * 750).toString('base64')
    const data = { id: 'pob_1', object: 'payout_batch', status: 'termine', noise }
    const about = { type: 'payout_batch.finished', subject_id: 'pob_1', data } as const
    written.push(...(await installation.db.sql.begin((tx) => emit(tx, sender.tenant, about))))
  }
  await untilSettled(installation.db.sql)
  const found: string[] = []
  for (let place = 'begin'; ; ) {
    const answer = await installation.ask(feed(sender.key, place))
    const { data, next, has_more } = readBody<Feed>(answer)
    assert.ok(Buffer.byteLength(answer.text) <= 1_000_000 || data.length === 1, `${data.length} events`)
    found.push(...data.map(({ id }) => id))
    assert.equal(has_more, found.length < written.length)
    if (!has_more) break
    place = next
  }
  assert.deepEqual(found, written)
})

test('a call passes ten thousand events at most, and goes on behind them', { skip }, async () => {
  const sender = await newest()
  const { key, tenant } = sender
  const payments = Array.from({ length: 21_000 }, (_, at) => {
    return { ...tenant, type: 'payment.pending', subject_id: `txn_${at}`, data: { id: `txn_${at}` } } as const
  })
  await installation.db.sql.begin((tx) => emitEvents(tx, payments, clock.now()))
  const last = await happened(tenant)
  const pages: Feed[] = []
  for (let place = 'begin'; pages.at(-1)?.has_more !== false; place = pages.at(-1)!.next) {
    pages.push(await read(key, place, '&wait=20'))
  }
  assert.deepEqual(
    pages.map(({ data, has_more }) => [data.length, has_more]),
    [
      [0, true],
      [0, true],
      [1, false],
    ],
  )
  assert.deepEqual(ids(pages[2]!), [last])
})

test('a call that waits is answered when an event is committed, or when its time is over', { skip }, async () => {
  const { key, tenant, merchant } = await newest()
  const { next } = await read(key, 'now')
  const began = performance.now()
  assert.deepEqual((await read(key, next, '&wait=1')).data, [])
  const waited_ms = performance.now() - began
  assert.ok(waited_ms >= 1_000 && waited_ms < 10_000, `${waited_ms} ms`)

  const waiting = read(key, next, '&wait=25')
  // It has no place in front of the database meanwhile: more than two others are answered.
  const others = [1, 2, 3].map(() => read(key, next, '&wait=25'))
  assert.equal((await list(key)).data.length, 0)
  // One for another key first, which wakes nobody for good.
  await happened(tenant, { type: 'payment.succeeded' })
  const id = await happened(tenant)
  for (const answer of await Promise.all([waiting, ...others])) assert.deepEqual(ids(answer), [id])
  assert.equal((await read(merchant.key, next)).data.length, 1)
})

test('the ninth wait of a merchant answers the oldest', { skip }, async () => {
  const { key, tenant } = await newest()
  const { next } = await read(key, 'now')
  const waits = Array.from({ length: 9 }, () => read(key, next, '&wait=25'))
  const began = performance.now()
  const answered: Feed[] = []
  for (const wait of waits) void wait.then((answer) => answered.push(answer))
  await waitFor(() => answered.length > 0, { ...PATIENCE, what: 'one to be answered' })
  assert.ok(performance.now() - began < 20_000, 'long before its time')
  assert.deepEqual(
    answered.map(({ data }) => data),
    [[]],
  )
  // Calls that do not wait end no other.
  for (let count = 0; count < 3; count += 1) await read(key, next)
  const id = await happened(tenant)
  const rest = (await Promise.all(waits)).flatMap(ids)
  assert.deepEqual(rest, Array(8).fill(id))
})

test('those who wait are answered when the service stops', { skip }, async () => {
  const { key } = await newest()
  const process = await installation.start()
  const { address } = process
  const { next } = readBody<Feed>(await ask(address, feed(key, 'now')))
  const waits = Array.from({ length: 9 }, () => ask(address, { ...feed(key, next, '&wait=25'), patience_ms: 40_000 }))
  await Promise.race(waits)
  // Eight are left.
  const began = performance.now()
  await process.stop()
  for (const answer of await Promise.all(waits)) assert.deepEqual(readBody<Feed>(answer).data, [])
  const took_ms = performance.now() - began
  assert.ok(took_ms < 8_500, `${took_ms} ms`)
})

test('the program of docs/samples follows the feed, goes on after its death, and stops at a refusal', {
  skip,
}, async () => {
  const sample = new URL('../../docs/samples/javascript/follow-without-sdk.js', import.meta.url)
  const code = await readFile(sample, 'utf8')
  const { follow } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { follow: Follow }
  const { key, tenant } = await newest()
  const url = installation.services[0]!.address
  const handled: string[] = []
  let kept: string | null = null
  const program = (dies_at: number, of = key) =>
    follow({
      url,
      key: of,
      load: async () => kept,
      save: async (cursor) => {
        kept = cursor
      },
      handle: async ({ id }) => {
        if (handled.length === dies_at) throw new Error('died')
        handled.push(id)
      },
    })
  const written = [await happened(tenant), await happened(tenant), await happened(tenant)]
  await assert.rejects(program(2), /died/)
  const waiting = program(4)
  await waitFor(() => handled.length === 3, { ...PATIENCE, what: 'the third event' })
  written.push(await happened(tenant), await happened(tenant))
  await assert.rejects(waiting, /died/)
  await assert.rejects(program(5, (await newest()).key), /no cursor of this merchant/)
  await assert.rejects(program(5, 'bdm_test_nobody'), /API key/)
  assert.deepEqual(handled, written.slice(0, 4))
})

type Follow = (options: {
  url: string
  key: string
  load: () => Promise<string | null>
  save: (cursor: string) => Promise<void>
  handle: (event: { id: string }) => Promise<void>
}) => Promise<never>

test('a wait above the longest is lowered, and one of no seconds asks once', { skip }, async () => {
  const { key, tenant } = await newest()
  assert.deepEqual((await read(key, 'now', '&wait=0')).data, [])
  const id = await happened(tenant)
  assert.deepEqual(ids(await read(key, 'begin', '&wait=999999999&limit=500')), [id])
})

test('an installation that keeps merchants on several machines refuses after, and says so', { skip }, async () => {
  await using sharded = await openInstallation({ env: { SHARDED: 'on' } })
  const { key } = await newSender(sharded, { funds: 0 })
  const answer = await sharded.ask(feed(key, 'begin'))
  checkRefusal(answer, 400, 'invalid_request')
  assert.match(answer.text, /not offered here yet/)
})
