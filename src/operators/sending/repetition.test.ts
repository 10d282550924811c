import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repetitionOf, repetitionsMax } from './repetition.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Repeats a payout as soon as it may leave, asked about once a minute. Returns the minutes of its repetitions, and the end. */
function outage(direction: 'payout' | 'collect', answers: (age: number) => boolean) {
  const left: number[] = []
  for (let age = 0; age < 48 * HOUR; age += MINUTE) {
    const last_sent = (left.at(-1) ?? 0) * MINUTE
    const repetition = repetitionOf({ direction, sent_again: left.length, sent_ms_ago: age, last_sent }, answers(age))
    if (repetition === 'now') left.push(age / MINUTE)
    if (repetition === 'never') return { left, ended: age / MINUTE }
  }
  return { left, ended: null }
}

test('in an outage an order is repeated less and less often, for twenty hours, before people get it', () => {
  const { left, ended } = outage('payout', () => false)
  assert.deepEqual(left, [0, 1, 5, 30, 60, 120, 180, 240, 360, 480, 720, 960, 1_200])
  assert.equal(ended, 1_201)
  assert.equal(left.length, repetitionsMax('payout'))
  assert.deepEqual(outage('collect', () => false).left, [0, 1, 5, 30], 'a payer is asked for half an hour')
})

test('after an outage an order leaves at once, however often it was repeated', () => {
  for (const hours of [1.5, 5, 19]) {
    const back = hours * HOUR
    const { left } = outage('payout', (age) => age >= back)
    assert.ok(left.includes(back / MINUTE), `${hours} h: ${left}`)
  }
})

test('an operator that answers now and then in an outage does not bring its orders to people', () => {
  const back = 4.5 * HOUR
  for (const now_and_then of [[35], [35, 36, 37], [90, 100, 200]]) {
    const { left } = outage('payout', (age) => age >= back || now_and_then.includes(age / MINUTE))
    assert.ok(left.includes(back / MINUTE), `${now_and_then}: ${left}`)
  }
})

test('an operator that answers, and does not hold an order after five sends, needs a person at once', () => {
  for (const direction of ['payout', 'collect'] as const)
    assert.deepEqual(
      outage(direction, () => true),
      { left: [0, 1, 2, 3], ended: 4 },
    )
  for (const last_sent of [3 * MINUTE, 30 * MINUTE - 1]) {
    const taken = { direction: 'payout', sent_again: 4, sent_ms_ago: 5 * HOUR, last_sent } as const
    for (const answers of [true, false]) assert.equal(repetitionOf(taken, answers), 'never', 'also hours later')
  }
})
