import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLooksAt, untilNextLook } from './late-looks.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const looksAt = createLooksAt([600, 3_600, 21_600, 86_400, 259_200])
const after = looksAt('payout', {})

test('money that went out is looked at by the whole setting, a collection by its second and fourth time', () => {
  assert.deepEqual(after, [600_000, HOUR, 6 * HOUR, DAY, 3 * DAY])
  assert.deepEqual(looksAt('refund', {}), after)
  assert.deepEqual(looksAt('collect', {}), [HOUR, DAY])
  assert.deepEqual(createLooksAt([5])('collect', {}), [])
})

test('a refusal for good, and an order without a connector, are not looked at', () => {
  assert.deepEqual(looksAt('collect', { refusesForGood: ['collect'] }), [])
  assert.deepEqual(looksAt('payout', { refusesForGood: ['collect'] }), after)
  assert.deepEqual(looksAt('payout', null), [])
})

/** The time since the refusal, whether the last look was unanswered, and the time until the next look. */
const cases: [string, number, boolean, number | null][] = [
  ['right after the refusal', 0, false, 600_000],
  ['after the first look', 600_010, false, HOUR - 600_010],
  ['after a standstill over three looks, which one look makes up for', 7 * HOUR, false, 17 * HOUR],
  ['after the last look: never', 3 * DAY + 5, false, null],
  ['without an answer, when the next look comes soon', 600_010, true, HOUR - 600_010],
  ['without an answer, when the next look is far away', 7 * HOUR, true, HOUR],
  ['without an answer to the last look', 3 * DAY + 5, true, HOUR],
  ['without an answer a day after the last look: never', 4 * DAY + 5, true, null],
]
for (const [when, ended_ms_ago, isUnanswered, expected] of cases) {
  test(`the next look ${when}`, () => {
    assert.equal(untilNextLook(ended_ms_ago, after, isUnanswered), expected)
  })
}

test('without looks there is no next one, answered or not', () => {
  assert.equal(untilNextLook(0, []), null)
  assert.equal(untilNextLook(0, [], true), null)
})
