import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createBatcher, NotWanted } from './batcher.ts'

test('owners take turns: each has one in a batch before any has a second, and keeps its order', async () => {
  const batches: string[][] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const call = createBatcher<string, string>({
    size: 4,
    owner: (item) => item[0]!,
    async run(items) {
      batches.push(items)
      await promise
      return items
    },
  })
  const first = call('a0')
  await nextTurn()
  const rest = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map(call)
  resolve()
  await Promise.all([first, ...rest])
  assert.deepEqual(batches, [['a0'], ['a1', 'b1', 'c1', 'a2'], ['a3', 'a4', 'a5', 'b2']])
})

test('an item whose caller was answered meanwhile is not begun', async () => {
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
