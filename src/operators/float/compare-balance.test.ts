import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Terms } from '../contracts/connector-terms.ts'
import { compareBalance } from './compare-balance.ts'
import type { FloatFacts } from './float-store.ts'

const facts: FloatFacts = {
  ...{ answered_at: new Date(0), base: 100_000, certain: 5_000, maybe_in: 0, maybe_out: 0 },
  ...{ open_in: 0, open_out: 0, held: 0, outflow_of_a_day: 0 },
}

type Said = [from: number | null, to: number | null, difference: number | null, warnings: string[]]

const cases: [said: string, amount: number, more: Partial<FloatFacts>, terms: Terms, said: Said][] = [
  ['what agrees to the franc', 105_000, {}, {}, [105_000, 105_000, 0, []]],
  ['a franc more', 105_001, {}, {}, [105_000, 105_000, 1, ['differs']]],
  ['a franc less', 104_999, {}, {}, [105_000, 105_000, -1, ['differs']]],
  ['orders in flight widen it', 98_000, { open_in: 2_000, open_out: 7_000 }, {}, [98_000, 107_000, 0, []]],
  [
    'orders that moved about a question',
    96_000,
    { maybe_in: 1_000, maybe_out: 8_000 },
    {},
    [97_000, 106_000, -1_000, ['differs']],
  ],
  ['nothing was accepted yet', 3, { base: null }, {}, [null, null, null, []]],
  ['a floor that is kept', 105_000, {}, { float_floor: 105_000 }, [105_000, 105_000, 0, []]],
  ['a floor, after what waits', 105_000, { held: 1 }, { float_floor: 105_000 }, [105_000, 105_000, 0, ['below_floor']]],
  [
    'payouts that it does not cover',
    105_000,
    { open_out: 50_000, held: 60_000 },
    {},
    [55_000, 105_000, 0, ['below_floor']],
  ],
  ['it lasts for 6 hours', 105_000, { outflow_of_a_day: 420_000 }, {}, [105_000, 105_000, 0, []]],
  ['it lasts for less', 105_000, { outflow_of_a_day: 420_001 }, {}, [105_000, 105_000, 0, ['runs_out']]],
  [
    'it lasts for less, after what waits',
    105_000,
    { outflow_of_a_day: 420_000, held: 1 },
    {},
    [105_000, 105_000, 0, ['runs_out']],
  ],
  ['fewer hours were asked for', 105_000, { outflow_of_a_day: 420_001 }, { float_hours: 5 }, [105_000, 105_000, 0, []]],
  ['more came in than went out', 105_000, { outflow_of_a_day: -9 }, {}, [105_000, 105_000, 0, []]],
]
for (const [said, amount, more, terms, expected] of cases) {
  test(`comparison of a balance with the expected one: ${said}`, () => {
    const { expected_from, expected_to, difference, warnings } = compareBalance(amount, { ...facts, ...more }, terms)
    assert.deepEqual([expected_from, expected_to, difference, warnings], expected)
  })
}
