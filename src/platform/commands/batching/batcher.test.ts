import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ownTime } from '../../../../tests/harness/own-time.ts'
import fc from '../../../../tests/harness/property.ts'
import { waitFor } from '../../../../tests/harness/wait-for.ts'
import { ConnectionLost, PostgresError } from '../../postgres/failures.ts'
import { createBatcher, Overloaded } from './batcher.ts'
import type { Batching } from './batching.ts'

const lockTimeout = new PostgresError({ message: 'canceling statement due to lock timeout', code: '55P03' })

/** A batcher whose batches end when the test calls `end`. */
function controlled(options: { size?: number; concurrency?: number; waiting?: number; batching?: Batching } = {}) {
  const batches: { items: number[]; end: (error?: Error) => void }[] = []
  const call = createBatcher<number, string>({
    ...options,
    run(items) {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>()
      const end = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => `done ${item}`)))
      batches.push({ items, end })
      return promise
    },
  })
  return { call, batches }
}

test('a call to an idle batcher starts at once, and the calls that come meanwhile form one batch', async () => {
  const { call, batches } = controlled()
  const first = call(1)
  await nextTurn()
  assert.deepEqual(batches[0]?.items, [1])
  const rest = [call(2), call(3), call(4)]
  await nextTurn()
  assert.equal(batches.length, 1)
  batches[0]?.end()
  assert.equal(await first, 'done 1')
  await nextTurn()
  assert.deepEqual(batches[1]?.items, [2, 3, 4])
  batches[1]?.end()
  assert.deepEqual(await Promise.all(rest), ['done 2', 'done 3', 'done 4'])
})

test('a batch right after another waits to fill until it has enough calls or its time is over', async (t) => {
  const pass = ownTime(t)
  const { call, batches } = controlled({ batching: { ms: 1_000, enough: 3 } })
  const items = () => batches.map((batch) => batch.items)
  const end = async () => {
    batches.at(-1)!.end()
    await nextTurn()
    await nextTurn()
  }
  void call(1)
  await nextTurn()
  assert.deepEqual(items(), [[1]], 'the first call after a pause starts at once')
  await end()
  void call(2)
  void call(3)
  await nextTurn()
  assert.deepEqual(items(), [[1]])
  void call(4)
  await nextTurn()
  assert.deepEqual(items(), [[1], [2, 3, 4]], 'three calls are enough to start')
  void call(5)
  await end()
  void call(6)
  await nextTurn()
  await pass(999)
  assert.equal(batches.length, 2)
  await pass(1)
  assert.deepEqual(items()[2], [5, 6])
  await end()
})

test('after a long batch the next one waits longer, up to its limit, but not after a batch of one caller', async (t) => {
  const pass = ownTime(t)
  const { call, batches } = controlled({ batching: { ms: 0, enough: 5, most: 500 } })
  const takeLong = async () => {
    await pass(200)
    batches.at(-1)!.end()
    await nextTurn()
  }
  for (const item of [1, 2, 3, 4]) void call(item)
  await nextTurn()
  await takeLong()
  void call(5)
  await nextTurn()
  await pass(299)
  assert.equal(batches.length, 1, 'neither five times the duration of the first nor the limit is over')
  await pass(1)
  assert.equal(batches.length, 2)
  await takeLong()
  void call(6)
  await nextTurn()
  assert.deepEqual(
    batches.map(({ items }) => items),
    [[1, 2, 3, 4], [5], [6]],
  )
  batches[2]!.end()
})

test('a second batch starts as soon as it has enough calls', async () => {
  const { call, batches } = controlled({ batching: { ms: 60_000, enough: 3 }, concurrency: 2 })
  void call(1)
  await nextTurn()
  for (const item of [2, 3, 4]) void call(item)
  await nextTurn()
  assert.deepEqual(
    batches.map(({ items }) => items),
    [[1], [2, 3, 4]],
  )
  for (const batch of batches) batch.end()
})

test('callers who call again are served in two equal halves', async () => {
  const { call, batches } = controlled({ batching: { ms: 60_000, enough: 2 } })
  const begun = (count: number) => waitFor(() => batches.length === count)
  const sizes = () => batches.map(({ items }) => items.length)
  let open = true
  const callAgain = async (item: number) => {
    while (open) await call(item)
  }
  const callers = Array.from({ length: 12 }, (_, item) => callAgain(item))
  for (let round = 1; round <= 6; round += 1) {
    await begun(round)
    batches.at(-1)!.end()
  }
  await begun(7)
  assert.deepEqual(sizes(), [6, 6, 6, 6, 6, 6, 6])
  open = false
  batches.at(-1)!.end()
  await begun(8)
  batches.at(-1)!.end()
  await Promise.all(callers)
  for (let item = 0; item < 5; item += 1) void call(item)
  assert.equal(batches.length, 8, 'fewer than half of the callers wait')
  void call(5)
  assert.deepEqual(sizes().slice(8), [6], 'half of the callers start in the turn in which they come')
  for (let item = 6; item < 12; item += 1) void call(item)
  batches.at(-1)!.end()
  await begun(10)
  assert.deepEqual(sizes().slice(8), [6, 6])
})

test('no batch is larger than `size`, and at most `concurrency` batches run at once', async () => {
  const { call, batches } = controlled({ size: 2, concurrency: 2 })
  for (let item = 1; item <= 7; item += 1) void call(item)
  await nextTurn()
  assert.deepEqual(
    batches.map(({ items }) => items),
    [
      [1, 2],
      [3, 4],
    ],
  )
})

test('when the work of many items fails, each is tried alone, so that one refused item does not fail the others', async () => {
  const call = createBatcher<number, number>({
    run: async (items) => {
      if (items.includes(13)) throw new Error('the statement was refused')
      return items.map((item) => item * 10)
    },
  })
  const results = await Promise.allSettled([1, 13, 3].map(call))
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : 'refused')),
    [10, 'refused', 30],
  )
})

test('a held lock fails only its owner, and all others wait for it once at most', async () => {
  const runs: string[][] = []
  const call = createBatcher<string, string>({
    run: async (items) => {
      runs.push(items)
      if (items.some((item) => item.startsWith('held'))) throw lockTimeout
      return items.map((item) => item.toUpperCase())
    },
    owner: (item) => item.split(' ')[0]!,
  })
  const results = await Promise.allSettled(['free 1', 'held 1', 'other 1', 'held 2', 'free 2'].map(call))
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason)),
    ['FREE 1', lockTimeout, 'OTHER 1', lockTimeout, 'FREE 2'],
  )
  assert.deepEqual(runs.slice(1), [['free 1', 'free 2'], ['held 1', 'held 2'], ['other 1']])
})

test('a lost connection fails all calls at once, not one after the other', async () => {
  let runs = 0
  const call = createBatcher<number, number>({
    run: async () => {
      runs += 1
      throw new ConnectionLost(new Error('gone'))
    },
  })
  const results = await Promise.allSettled([1, 2, 3].map(call))
  assert.ok(results.every(({ status }) => status === 'rejected'))
  assert.equal(runs, 1)
})

test('a full batcher rejects a call at once', async () => {
  const { call, batches } = controlled({ size: 1, waiting: 2 })
  void call(1)
  await nextTurn()
  void call(2)
  void call(3)
  await assert.rejects(call(4), Overloaded)
  assert.equal(batches.length, 1)
})

test('with any size, concurrency, batching and failures, every call gets its own answer once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 3 }),
      fc.record({
        ms: fc.constantFrom(0, 2),
        enough: fc.integer({ min: 1, max: 10 }),
        most: fc.constantFrom(2, 10),
      }),
      async (items, size, concurrency, batching) => {
        let running = 0
        const call = createBatcher<number, string>({
          size,
          concurrency,
          batching,
          run: async (batch) => {
            running += 1
            assert.ok(running <= concurrency)
            assert.ok(batch.length <= size)
            await nextTurn()
            running -= 1
            if (batch.some((item) => item % 7 === 3)) throw new Error('refused')
            return batch.map((item) => `done ${item}`)
          },
        })
        const callTwice = async (item: number) => {
          const first = await call(item).catch(() => 'refused')
          return [first, await call(item).catch(() => 'refused')]
        }
        const results: Promise<string[]>[] = []
        for (const item of items) {
          if (item % 5 === 4) await nextTurn()
          results.push(callTwice(item))
        }
        const told = (item: number) => (item % 7 === 3 ? 'refused' : `done ${item}`)
        assert.deepEqual(
          await Promise.all(results),
          items.map((item) => [told(item), told(item)]),
        )
      },
    ),
    { numRuns: 200 },
  )
})

/** A batcher of items `<key><number>`, whose batches end when the test calls `end`. */
function keyed(options: { size?: number; concurrency: number }) {
  const batches: { items: string[]; end: () => void }[] = []
  const call = createBatcher<string, string>({
    ...options,
    key: (item) => item[0]!,
    run(items) {
      const { promise, resolve } = Promise.withResolvers<string[]>()
      batches.push({ items, end: () => resolve(items) })
      return promise
    },
  })
  return { call, batches, seen: () => batches.map(({ items }) => items.join(' ')) }
}

test('a batch holds items of one key only, and batches of several keys run at once', async () => {
  const { call, seen } = keyed({ concurrency: 2 })
  for (const item of ['a1', 'b1', 'a2', 'c1', 'b2']) void call(item)
  await nextTurn()
  assert.deepEqual(seen(), ['a1 a2', 'b1 b2'])
})

test('no two batches of one key run at once; items that come meanwhile wait for the next', async () => {
  const { call, batches, seen } = keyed({ concurrency: 3 })
  void call('a1')
  await nextTurn()
  void call('a2')
  void call('b1')
  void call('a3')
  await nextTurn()
  assert.deepEqual(seen(), ['a1', 'b1'])
  batches[0]?.end()
  await nextTurn()
  assert.deepEqual(seen(), ['a1', 'b1', 'a2 a3'])
})

test('keys take turns: a key with a thousand waiting items does not delay another', async () => {
  const { call, batches, seen } = keyed({ concurrency: 1, size: 2 })
  for (let at = 1; at <= 5; at += 1) void call(`a${at}`)
  void call('b1')
  for (let at = 0; at < 4; at += 1) {
    await nextTurn()
    batches[at]?.end()
    await nextTurn()
  }
  assert.deepEqual(seen(), ['a1 a2', 'b1', 'a3 a4', 'a5'])
})

test('with any keys, concurrency and sizes, every item is answered once and no batch mixes keys', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ key: fc.integer({ min: 1, max: 4 }), pause: fc.boolean() }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 5 }),
      async (arrivals, concurrency, size) => {
        const underWay = new Set<number>()
        const call = createBatcher<{ key: number; at: number }, number>({
          key: ({ key }) => key,
          concurrency,
          size,
          async run(items) {
            const { key } = items[0]!
            assert.ok(items.length <= size && items.every((item) => item.key === key))
            assert.ok(!underWay.has(key) && underWay.size < concurrency)
            underWay.add(key)
            await nextTurn()
            underWay.delete(key)
            return items.map(({ at }) => at)
          },
        })
        const answers: Promise<number>[] = []
        for (const [at, { key, pause }] of arrivals.entries()) {
          answers.push(call({ key, at }))
          if (pause) await nextTurn()
        }
        assert.deepEqual(
          await Promise.all(answers),
          arrivals.map((_, at) => at),
        )
      },
    ),
    { numRuns: 200 },
  )
})
