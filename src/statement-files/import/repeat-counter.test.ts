import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { RepeatCounter } from './repeat-counter.ts'

test('each of a hundred thousand keys is counted by itself, however often it comes', () => {
  const counter = new RepeatCounter()
  const keyOf = (nth: number) => hash('sha256', String(nth), 'buffer')
  for (let nth = 0; nth < 100_000; nth += 1) assert.equal(counter.count(keyOf(nth)), 1)
  for (let nth = 0; nth < 100_000; nth += 7) assert.equal(counter.count(keyOf(nth)), 2)
  assert.deepEqual([counter.count(keyOf(7)), counter.count(keyOf(8)), counter.count(keyOf(8))], [3, 2, 3])
})

test('keys that differ in one of their words are different, and a key of zeros is one', () => {
  const counter = new RepeatCounter()
  for (const at of [0, 4, 8]) {
    const key = Buffer.alloc(32)
    key.writeUInt32LE(9, at)
    assert.equal(counter.count(key), 1)
  }
  assert.equal(counter.count(Buffer.alloc(32)), 1)
  assert.equal(counter.count(Buffer.alloc(32)), 2)
})
