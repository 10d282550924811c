import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSeed } from '../../../tests/harness/seed.ts'
import { NumberTable } from './number-table.ts'

test('a table holds what a map would, through every growth', (t) => {
  const { between, chance } = openSeed(t)
  const table = new NumberTable()
  const expected = new Map<number, number>()
  for (let step = 0; step < 50_000; step += 1) {
    // Payers' numbers, of either sign, some of them equal in their lower 32 bits.
    const key = (chance(0.5) ? 1 : -1) * (2_250_700_000_000 + between(0, 20_000) + (chance(0.1) ? 2 ** 32 : 0))
    assert.equal(table.get(key), expected.get(key), `step ${step}`)
    if (chance(0.3)) continue
    table.set(key, step)
    expected.set(key, step)
    assert.equal(table.size, expected.size, `step ${step}`)
  }
  for (const [key, value] of expected) assert.equal(table.get(key), value)
  assert.equal(table.get(1), undefined)
})

test('keys that all begin at one slot are still told apart', () => {
  const table = new NumberTable(7)
  const keys = Array.from({ length: 600 }, (_, at) => 5 + at * 2 ** 32)
  for (const [at, key] of keys.entries()) table.set(key, at)
  assert.deepEqual(
    keys.map((key) => table.get(key)),
    keys.map((_, at) => at),
  )
})
