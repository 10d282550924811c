import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSeed } from '../../../tests/harness/seed.ts'
import { createPayerWindows, NOWHERE } from './payer-windows.ts'

test('thousands of windows are found, and stand in the order of opening, while others open and close', (t) => {
  const { between, chance } = openSeed(t)
  const windows = createPayerWindows(between(0, 2 ** 32 - 1))
  /** The same, as a map, which is in the order of opening too. */
  const expected = new Map<number, { ends_at: number; count: number }>()
  const anyPayer = () => (chance(0.5) ? 1 : -1) * (2_250_700_000_000 + between(0, 5_000) * 2 ** between(0, 20))
  let most = 0
  for (let step = 0; step < 200_000; step += 1) {
    const payer = anyPayer()
    const place = windows.find(payer)
    const window = expected.get(payer)
    if (window === undefined) {
      assert.equal(place, NOWHERE, `step ${step}`)
      // By turns there are more and fewer of them.
      if (chance(Math.floor(step / 20_000) % 2 === 0 ? 0.9 : 0.1)) {
        windows.open(payer, step)
        expected.set(payer, { ends_at: step, count: 1 })
      }
    } else {
      assert.deepEqual([windows.endOf(place), windows.countOf(place)], [window.ends_at, window.count], `step ${step}`)
      if (chance(0.3)) {
        windows.close(place)
        expected.delete(payer)
      } else {
        window.count = between(0, 2 ** 32 - 1)
        windows.setCount(place, window.count)
      }
    }
    const [first] = expected
    if (first === undefined) continue
    assert.equal(windows.endOf(windows.first()), first[1].ends_at, `step ${step}`)
    if (chance(0.4)) {
      windows.close(windows.first())
      expected.delete(first[0])
    }
    assert.equal(windows.size(), expected.size, `step ${step}`)
    most = Math.max(most, expected.size)
  }
  assert.ok(most > 5_000, `${most} were open at once`)
  for (const [, { ends_at }] of expected) {
    assert.equal(windows.endOf(windows.first()), ends_at)
    windows.close(windows.first())
  }
  assert.deepEqual([windows.size(), windows.first()], [0, NOWHERE])
})

test('a window stays where all that were opened after it have been closed', () => {
  const windows = createPayerWindows()
  windows.open(1, 1_000)
  for (let payer = 2; payer < 10_000; payer += 1) {
    windows.open(payer, payer)
    windows.close(windows.find(payer))
    assert.equal(windows.find(payer), NOWHERE)
  }
  assert.deepEqual([windows.endOf(windows.first()), windows.find(1), windows.size()], [1_000, windows.first(), 1])
})
