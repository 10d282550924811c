import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createBatcher } from './commands/batching/batcher.ts'
import { createTurns } from './http/turns.ts'
import { createOwnerLocks } from './owner-locks.ts'

const always = () => true
const busy = { merchant_id: 1, livemode: false }

test('a lock goes to its callers one after the other, in the order of their requests', () => {
  const locks = createOwnerLocks()
  const woken: string[] = []
  const asker = (name: string) => ({ wake: (owner: string) => void woken.push(`${name} for ${owner}`) })
  const [a, b, c] = [asker('a'), asker('b'), asker('c')]
  assert.equal(locks.take('1', a), true)
  assert.equal(locks.take('1', b), false)
  assert.equal(locks.take('1', c), false)
  assert.equal(locks.take('2', c), true, 'the lock of another owner is another lock')
  locks.release('1')
  assert.deepEqual(woken, ['b for 1'])
  assert.equal(locks.take('1', a), false, 'it is kept for whoever asked first')
  assert.equal(locks.take('1', b), true)
  locks.forgo('1', c)
  locks.release('1')
  assert.deepEqual(woken, ['b for 1', 'a for 1'])
  locks.forgo('1', a)
  assert.equal(locks.take('1', c), true)
})

/** Batches of payouts and calls that run alone, which lock the same; what a batch does ends when the test says so. */
function sharing() {
  const locks = createOwnerLocks()
  const turns = createTurns({ alone_max: 4, waiting_max: 300, wait_max_ms: 60_000, locks })
  const batches: { items: string[]; end: () => void }[] = []
  const send = createBatcher<string, string>({
    owner: (item) => `${item[0]}/false`,
    locks,
    run: (items) => new Promise((resolve) => batches.push({ items, end: () => resolve(items) })),
  })
  return { turns, send, batches }
}

test('a batch leaves out the items of an owner whose lock a call holds, and carries them when it is free', async () => {
  const { turns, send, batches } = sharing()
  const call = await turns.enter(busy, 'exclusive', always)
  const sent = ['1 a', '2 b', '1 c', '2 d'].map(send)
  await nextTurn()
  assert.deepEqual(
    batches.map(({ items }) => items),
    [['2 b', '2 d']],
  )
  batches[0]!.end()
  await nextTurn()
  assert.equal(batches.length, 1, 'nothing else can travel')
  call!.end()
  await nextTurn()
  assert.deepEqual(batches[1]?.items, ['1 a', '1 c'])
  batches[1]!.end()
  assert.deepEqual(await Promise.all(sent), ['1 a', '2 b', '1 c', '2 d'])
})

test('a call waits for the batch that holds its merchant, and calls and batches take turns', async () => {
  const { turns, send, batches } = sharing()
  const begun: string[] = []
  const enter = async (name: string) => {
    const turn = (await turns.enter(busy, 'exclusive', always))!
    begun.push(name)
    return turn
  }
  void send('1 a')
  await nextTurn()
  const first = enter('first')
  const second = enter('second')
  void send('1 b')
  await nextTurn()
  assert.deepEqual(begun, [])
  batches[0]!.end()
  await nextTurn()
  await nextTurn()
  assert.deepEqual(begun, ['first'], 'it asked before the second batch did')
  ;(await first).end()
  await nextTurn()
  assert.deepEqual(batches[1]?.items, ['1 b'], 'the batch asked before the second call')
  assert.deepEqual(begun, ['first'])
  batches[1]!.end()
  ;(await second).end()
  assert.deepEqual(begun, ['first', 'second'])
})

test('a batch that no longer wants a lock leaves it to others', async () => {
  const locks = createOwnerLocks()
  let wanted = true
  const send = createBatcher<string, string>({
    owner: () => '1/false',
    locks,
    isWanted: () => wanted,
    run: async (items) => items,
  })
  const asker = { wake: () => {} }
  assert.equal(locks.take('1/false', asker), true)
  const dropped = assert.rejects(send('1 a'))
  await nextTurn()
  wanted = false
  locks.release('1/false')
  await dropped
  await nextTurn()
  assert.equal(locks.take('1/false', asker), true)
})
