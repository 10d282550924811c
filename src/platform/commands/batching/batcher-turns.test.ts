import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createBatcher, NotWanted } from './batcher.ts'
import { takeInTurns } from './take-in-turns.ts'

/** Divides calls, named by owner and number, into the next batch of `count` and the rest. */
function divided(calls: string[], count: number): [taken: string[], left: string[]] {
  const turnOf = (item: string) => (item[0] === '-' ? '' : item[0]!)
  const [taken, left] = takeInTurns(
    calls.map((item) => ({ item })),
    count,
    turnOf,
  )
  return [taken.map(({ item }) => item), left.map(({ item }) => item)]
}
const many = (owner: string, count: number) => Array.from({ length: count }, (_, at) => `${owner}${at}`)

test('owners take turns: each gets one call in a batch before any gets a second, and calls of an owner stay in order', () => {
  const [taken, left] = divided([...many('a', 80), 'b0', 'b1', 'c0'], 6)
  assert.deepEqual(taken, ['a0', 'b0', 'c0', 'a1', 'b1', 'a2'])
  assert.deepEqual(left, many('a', 80).slice(3))
})

test('an owner gets a quarter of a batch while others wait, and the whole batch when alone', () => {
  const [taken, left] = divided([...many('a', 300), 'b0'], 256)
  assert.equal(taken.length, 65)
  assert.equal(left.length, 236)
  assert.deepEqual(divided(many('a', 300), 256), [many('a', 256), many('a', 300).slice(256)])
})

test('items without an owner do not wait for owners’ turns', () => {
  const [taken] = divided([...many('a', 200), ...many('-', 100)], 256)
  assert.deepEqual(taken, ['a0', ...many('-', 100), ...many('a', 64).slice(1)])
})

test('an item is not begun when its caller was answered while it waited', async () => {
  const answered = new Set<number>()
  const begun: number[][] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const call = createBatcher<number, number>({
    isWanted: (item) => !answered.has(item),
    async run(items) {
      begun.push(items)
      await promise
      return items
    },
  })
  const first = call(1)
  await nextTurn()
  const late = call(2)
  const other = call(3)
  answered.add(2)
  resolve()
  await assert.rejects(late, NotWanted)
  await Promise.all([first, other])
  assert.deepEqual(begun, [[1], [3]])
})
