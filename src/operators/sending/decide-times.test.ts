import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instruction } from '../instruction.ts'
import { liveInquiryPlan, promisesNothing, type ReferencePromise, usualSilence } from '../port.ts'
import type { Answer } from './answer.ts'
import { decide, SENDS_MAX } from './decide.ts'
import { repetitionsMax } from './repetition.ts'

// The times at which operators are asked, and all that "not found" can and cannot bring about.

const MINUTE = 60_000
const evidence = {}
const notFound: Answer = { kind: 'not_found', evidence }
const unknown: Answer = { kind: 'unknown', evidence }
const pending: Answer = { kind: 'pending', evidence }

const never: ReferencePromise = { same_reference: 'never_twice', not_found: { times: 1, after_seconds: 10 } }
/** A live operator that promises this. */
const live = (promise: ReferencePromise) => ({
  inquiryPlan: liveInquiryPlan,
  silenceAfter: usualSilence(),
  promises: { collect: promise, payout: promise, refund: promise },
})

/** Some milliseconds after its send, with so many answers. */
function aged(sent_ms_ago: number, asked: number, fields: Partial<Instruction> = {}) {
  const sent = { state: 'unknown', direction: 'payout', attempts: 1, sent_again: 0, sent_ms_ago, asked }
  return { ...sent, amount: 10_000, currency: 'XOF', ...fields } as Instruction
}

/** Seconds after the send at which it is asked, when each question is answered alike, some milliseconds later. */
function questions(answer: Answer, until: number, takes = 0, also: readonly number[] = []): number[] {
  const connector = live(promisesNothing)
  const times: number[] = []
  let asked = 1
  let next = decide(aged(0, 0, { direction: 'collect' }), unknown, connector).check_in!
  const extra = [...also]
  while (next <= until) {
    const hinted = extra.length > 0 && extra[0]! < next
    const at = hinted ? extra.shift()! : next
    if (!hinted) times.push(at / 1_000)
    const age = at + takes
    next = age + decide(aged(age, asked, { direction: 'collect' }), answer, connector).check_in!
    asked += 1
  }
  return times
}

const planned = [2, 5, 10, 20, 40, 60, ...Array.from({ length: 14 }, (_, at) => 120 + at * 60)]

test('a live operator is asked after 2, 5, 10, 20, 40 and 60 s, then each minute to 15 minutes, then less and less often', () => {
  const asked = questions(pending, 3 * 1_440 * MINUTE)
  const hours = (time: number) => time * 3_600
  assert.deepEqual(asked.slice(0, planned.length), planned)
  assert.deepEqual(asked.slice(planned.length), [1.25, 7.25, 31.25, 55.25].map(hours))
})

test('a slow answer does not delay the next inquiry', () => {
  assert.deepEqual(questions(unknown, 15 * MINUTE, 400), planned)
})

test('extra inquiries, caused by a callback or a person, do not delay the planned ones', () => {
  const also = Array.from({ length: 30 }, (_, at) => 1_500 + at * 100)
  assert.deepEqual(questions(pending, 15 * MINUTE, 0, also), planned)
})

test('after a standstill no inquiry of the plan is skipped', () => {
  const connector = live(promisesNothing)
  assert.equal(decide(aged(180 * MINUTE, 1), pending, connector).check_in, 3_000)
  assert.equal(decide(aged(180 * MINUTE, 30), pending, connector).check_in, 255 * MINUTE)
})

test('where an order may be sent again, we ask as soon as an answer "not found" counts', () => {
  const after = (sent_ms_ago: number, fields: Partial<Instruction> = {}, promise = never) =>
    decide(aged(sent_ms_ago, 30, fields), notFound, live(promise)).check_in
  assert.equal(after(80 * MINUTE), 20 * MINUTE, 'less and less often')
  assert.equal(after(80 * MINUTE, { sent_again: repetitionsMax('payout') }), 355 * MINUTE, 'it will not leave again')
  assert.equal(after(80 * MINUTE, { state: 'sent' }), 355 * MINUTE, 'it was held once')
  assert.equal(after(80 * MINUTE, {}, promisesNothing), 355 * MINUTE, 'nothing is promised')
  assert.equal(after(80 * MINUTE, {}, { ...never, for_seconds: 3_600 }), 355 * MINUTE, 'it is promised for an hour')
  assert.equal(after(76 * MINUTE, {}, { ...never, not_found: { times: 4, after_seconds: 60 } }), 19 * MINUTE)
  for (const direction of ['collect', 'payout', 'refund'] as const)
    assert.equal(after(3_600_000, { direction }), 15 * MINUTE)
})

test('a payout of which the operator says another amount is asked about when its silence ends, then daily', () => {
  const wrong: Answer = { kind: 'settled', amount: 9_999, currency: 'XOF', evidence }
  const after = (minutes: number) => decide(aged(minutes * MINUTE, 3, { state: 'sent' }), wrong, live(never)).check_in
  assert.deepEqual([after(1), after(16)], [14 * MINUTE, 1_440 * MINUTE])
})

test('no number of "not found" answers fails an instruction, whatever the operator promises', () => {
  for (const promise of [never, promisesNothing]) {
    for (const direction of ['collect', 'payout', 'refund'] as const) {
      for (const state of ['sending', 'sent', 'unknown'] as const) {
        for (const [asked, age] of [
          [1, 2_000],
          [30, 20 * MINUTE],
          [400, 400 * 1_440 * MINUTE],
        ] as const) {
          const {
            conclusion,
            check_in,
            state: left,
          } = decide(aged(age, asked, { direction, state }), notFound, live(promise))
          assert.ok(conclusion === null || conclusion.kind === 'silent', `${direction} ${state}`)
          assert.notEqual(check_in, null, 'it goes on being asked about')
          assert.notEqual(left, 'refused')
        }
      }
    }
  }
})

test('an unsent payout waits while its operator does not answer, longer each time up to five minutes', () => {
  const neverLeft: Answer = { kind: 'not_sent', evidence: {} }
  const after = (attempts: number, isSilent: boolean, direction: Instruction['direction'] = 'payout') => {
    const fields: Partial<Instruction> = { state: 'sending', attempts, direction }
    const { state, check_in } = decide(aged(0, 0, fields), neverLeft, live(never), attempts, isSilent)
    return [state, check_in]
  }
  for (const [attempts, seconds] of [
    [SENDS_MAX - 1, 30],
    [SENDS_MAX, 30],
    [SENDS_MAX + 1, 60],
    [SENDS_MAX + 3, 240],
    [SENDS_MAX + 4, 300],
    [10_000, 300],
  ] as const) {
    assert.deepEqual(after(attempts, true), ['prepared', seconds * 1_000], `${attempts}`)
  }
  assert.deepEqual(after(SENDS_MAX, true, 'refund'), ['prepared', 30_000])
  assert.deepEqual(after(SENDS_MAX, false), ['refused', null])
  assert.deepEqual(after(SENDS_MAX, true, 'collect'), ['refused', null])
})
