import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ownTime } from '../../../tests/harness/own-time.ts'
import { createOwnerLocks } from '../owner-locks.ts'
import { type Concurrency, createTurns, type Turn } from './turns.ts'

const one = { merchant_id: 1, livemode: false }
const two = { merchant_id: 2, livemode: false }
const three = { merchant_id: 3, livemode: false }
const always = () => true

/** Turns of which a test sees which calls have begun. */
function watched(options: Partial<Parameters<typeof createTurns>[0]> = {}) {
  const turns = createTurns({
    alone_max: 4,
    waiting_max: 300,
    wait_max_ms: 60_000,
    locks: createOwnerLocks(),
    ...options,
  })
  const begun: string[] = []
  const refused: string[] = []
  const held = new Map<string, Turn>()
  async function call(name: string, tenant: typeof one, concurrency: Concurrency, isWanted = always): Promise<void> {
    const turn = await turns.enter(tenant, concurrency, isWanted)
    if (turn === null) refused.push(name)
    else {
      begun.push(name)
      held.set(name, turn)
    }
  }
  async function end(...names: string[]): Promise<void> {
    for (const name of names) held.get(name)!.end()
    await nextTurn()
  }
  return { call, end, begun, refused, held }
}

test('a merchant has two calls that run alone under way in each mode, and the others wait in the order in which they came', async () => {
  const { call, end, begun } = watched()
  for (const name of ['a', 'b', 'c', 'd']) void call(name, one, 'alone')
  void call('live', { ...one, livemode: true }, 'alone')
  await nextTurn()
  assert.deepEqual(begun, ['a', 'b', 'live'])
  await end('b')
  assert.deepEqual(begun, ['a', 'b', 'live', 'c'])
  await end('a', 'c')
  assert.deepEqual(begun, ['a', 'b', 'live', 'c', 'd'])
})

test('one exclusive call of a merchant is under way, beside one that runs alone', async () => {
  const { call, end, begun } = watched()
  void call('x1', one, 'exclusive')
  void call('x2', one, 'exclusive')
  void call('read', one, 'alone')
  await nextTurn()
  assert.deepEqual(begun, ['x1', 'read'])
  await end('x1')
  assert.deepEqual(begun, ['x1', 'read', 'x2'])
})

test("while others call too, a merchant's next exclusive call begins only after twice the time of its last one", async (t) => {
  const pass = ownTime(t)
  const turns = createTurns({ alone_max: 4, waiting_max: 300, wait_max_ms: 60_000, locks: createOwnerLocks() })
  const other = await turns.enter(two, 'batched', always)
  const first = await turns.enter(one, 'exclusive', always)
  await pass(20)
  let begun = false
  const second = Promise.resolve(turns.enter(one, 'exclusive', always)).then((turn) => {
    begun = true
    return turn
  })
  first!.end()
  // A call that is not exclusive does not wait.
  const unhindered = await turns.enter(one, 'alone', always)
  await pass(39)
  assert.equal(begun, false)
  await pass(1)
  assert.equal(begun, true)
  ;(await second)!.end()
  other!.end()
  unhindered!.end()
})

test('merchants take turns for the shared places', async () => {
  const { call, end, begun } = watched({ alone_max: 2 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) void call(name, one, 'alone')
  for (const name of ['b1', 'b2']) void call(name, two, 'alone')
  void call('c1', three, 'alone')
  await nextTurn()
  assert.deepEqual(begun, ['a1', 'a2'])
  await end('a1', 'a2')
  assert.deepEqual(begun.slice(2), ['a3', 'b1'])
  await end('a3', 'b1')
  assert.deepEqual(begun.slice(4), ['c1', 'a4'])
  await end('c1', 'a4')
  assert.deepEqual(begun.slice(6), ['b2'])
})

test('calls that run in batches do not wait for calls that run alone', async () => {
  const { call, begun } = watched({ alone_max: 1 })
  void call('read', one, 'alone')
  void call('waiting', one, 'alone')
  void call('payment', one, 'batched')
  await nextTurn()
  assert.deepEqual(begun, ['read', 'payment'])
})

test('a merchant has as many calls in batches under way as one batch carries', async () => {
  const { call, end, begun } = watched()
  for (let at = 0; at < 257; at += 1) void call(`p${at}`, one, 'batched')
  await nextTurn()
  assert.equal(begun.length, 256)
  await end('p7')
  assert.equal(begun.at(-1), 'p256')
})

test('a call beyond the length of its line is refused at once, and one that waited too long when its time is over', async () => {
  const { call, begun, refused } = watched({ waiting_max: 1, wait_max_ms: 20, locks: createOwnerLocks() })
  void call('a', one, 'alone')
  void call('b', one, 'alone')
  const late = call('late', one, 'alone')
  await call('beyond', one, 'alone')
  assert.deepEqual(refused, ['beyond'])
  await late
  assert.deepEqual(refused, ['beyond', 'late'])
  assert.deepEqual(begun, ['a', 'b'])
})

test('a call whose caller was answered is not begun', async () => {
  const { call, end, begun, refused } = watched()
  let wanted = true
  for (const name of ['a', 'b']) void call(name, one, 'alone')
  void call('left', one, 'alone', () => wanted)
  void call('next', one, 'alone')
  await nextTurn()
  wanted = false
  await end('a')
  assert.deepEqual(refused, ['left'])
  assert.deepEqual(begun, ['a', 'b', 'next'])
})

test('a call that waits for something else gives up its place, and later gets the next free one', async () => {
  const { call, end, begun, held } = watched()
  for (const name of ['a', 'b', 'c', 'd']) void call(name, one, 'alone')
  await nextTurn()
  const { promise, resolve } = Promise.withResolvers<string>()
  let returned: string | undefined
  const outcome = held.get('a')!.without(() => promise)
  void outcome.then((result) => {
    returned = result
  })
  await nextTurn()
  assert.deepEqual(begun, ['a', 'b', 'c'])
  resolve('ended')
  await nextTurn()
  assert.equal(returned, undefined, 'both places are taken')
  await end('b')
  assert.equal(returned, 'ended')
  assert.deepEqual(begun, ['a', 'b', 'c'], 'ahead of what has not begun')
  await end('a')
  assert.deepEqual(begun, ['a', 'b', 'c', 'd'])
})
