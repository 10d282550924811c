import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownTime } from '../../../tests/harness/own-time.ts'
import { createReadThroughCache } from './read-through-cache.ts'

/** A table in memory that counts the statements it is asked. */
function tableOf(rows: Map<string, number>) {
  const statements: string[][] = []
  return {
    statements,
    async load(keys: string[]): Promise<(number | null)[]> {
      statements.push(keys)
      return keys.map((key) => rows.get(key) ?? null)
    },
  }
}

test('a value read a moment ago is answered at once, without a promise', async () => {
  const table = tableOf(new Map([['a', 1]]))
  const read = createReadThroughCache({ load: table.load, max_entries: 10, max_missing_entries: 10 })
  assert.equal(await read('a'), 1)
  assert.equal(read('a'), 1)
  assert.equal(await read('none'), null)
  assert.equal(read('none'), null)
  assert.equal(table.statements.length, 2)
})

test('one statement serves all waiting readers, and asks for each key once', async () => {
  const table = tableOf(new Map([['a', 1]]))
  const read = createReadThroughCache({ load: table.load, max_entries: 10, max_missing_entries: 10 })
  assert.deepEqual(await Promise.all([read('a'), read('b'), read('a'), read('c')]), [1, null, 1, null])
  assert.deepEqual(table.statements, [['a', 'b', 'c']])
})

test('a change is seen within a second by a reader who never stops reading', async (t) => {
  const pass = ownTime(t)
  const rows = new Map([['a', 1]])
  const read = createReadThroughCache({ load: tableOf(rows).load, max_entries: 10, max_missing_entries: 10 })
  await read('a')
  rows.set('a', 2)
  const changedAt = performance.now()
  while ((await read('a')) !== 2) await pass(5)
  assert.ok(performance.now() - changedAt < 1_000)
})

test('a reader who comes back after a second never sees the old value', async (t) => {
  const pass = ownTime(t)
  const rows = new Map([['a', 1]])
  const read = createReadThroughCache({ load: tableOf(rows).load, max_entries: 10, max_missing_entries: 10 })
  await read('a')
  rows.delete('a')
  await pass(950)
  assert.equal(await read('a'), null)
})

test('while the database is unavailable the last value serves for less than a second, then reading fails', async (t) => {
  const pass = ownTime(t)
  let away = false
  const load = async (keys: string[]) => {
    if (away) throw new Error('away')
    return keys.map(() => 1)
  }
  const read = createReadThroughCache<string, number>({ load, max_entries: 10, max_missing_entries: 10 })
  await read('a')
  away = true
  await pass(500)
  assert.equal(read('a'), 1)
  await pass(450)
  await assert.rejects(async () => read('a'), /away/)
  away = false
  assert.equal(await read('a'), 1)
})

test('while the database is unavailable the first failure reaches all waiting readers', async () => {
  let statements = 0
  const load = async () => {
    statements += 1
    throw new Error('away')
  }
  const read = createReadThroughCache<string, number>({ load, max_entries: 10, max_missing_entries: 10 })
  const told = await Promise.allSettled([...'abcdef'].map((key) => read(key)))
  assert.ok(told.every((one) => one.status === 'rejected'))
  assert.equal(statements, 1)
})

test('guessed keys neither fill the memory nor push out existing ones', async () => {
  const table = tableOf(new Map([['a', 1]]))
  const read = createReadThroughCache({ load: table.load, max_entries: 2, max_missing_entries: 3 })
  await read('a')
  for (let guess = 0; guess < 20; guess += 1) await read(`guess ${guess}`)
  assert.equal(read('a'), 1)
  assert.equal(read('guess 19'), null)
  assert.ok(read('guess 0') instanceof Promise, 'the oldest guess was forgotten')
})

test('the value whose last reading is the oldest makes room', async () => {
  const table = tableOf(new Map([...'abc'].map((key, at) => [key, at])))
  const read = createReadThroughCache({ load: table.load, max_entries: 2, max_missing_entries: 2 })
  for (const key of 'abc') await read(key)
  assert.equal(read('c'), 2)
  assert.equal(read('b'), 1)
  assert.ok(read('a') instanceof Promise)
})
