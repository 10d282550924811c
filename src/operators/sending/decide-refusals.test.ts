import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instruction } from '../instruction.ts'
import { promisesNothing } from '../port.ts'
import type { Answer } from './answer.ts'
import { type Decision, decide } from './decide.ts'

// Refusals that may be followed by money.

const plan = {
  inquiryPlan: [30, 60, 120],
  silenceAfter: 1_000,
  promises: { collect: promisesNothing, payout: promisesNothing, refund: promisesNothing },
}
const evidence = {}

function instruction(fields: Partial<Instruction>): Instruction {
  const usual = {
    direction: 'collect',
    state: 'sent',
    amount: 10_000,
    currency: 'XOF',
    failure_code: null,
    operator_reference: null,
  }
  const counts = { asked: 0, attempts: 1, sent_again: 0, sent_ms_ago: 0, vague_ms_ago: null, ended_ms_ago: null }
  return { ...usual, ...counts, operator_state: null, next_action: null, ...fields } as Instruction
}

const settled: Answer = { kind: 'settled', amount: 10_000, currency: 'XOF', evidence }
const refused: Answer = { kind: 'refused', failure_code: 'payer_declined', evidence }
const notFound: Answer = { kind: 'not_found', evidence }
const vague: Answer = { kind: 'refused', failure_code: 'operator_refused', evidence }
const held = { state: 'sent', conclusion: null, failure_code: null, is_vague: true } as const
/** An open order before, the answer, the send that it answers (null: it is about the reference), and the only fields that may change. */
const cases: [string, Partial<Instruction>, Answer, number | null, Partial<Decision>][] = [
  [
    'a refusal without a reason holds an accepted order for a second answer, and a lost job is made up for',
    {},
    vague,
    null,
    { ...held, ask_in: 10_000, check_in: 70_000, look_in: null },
  ],
  [
    'so it does one that may have left, because the operator shows that it holds it',
    { state: 'unknown' },
    vague,
    null,
    { ...held, ask_in: 10_000 },
  ],
  [
    'a second refusal that comes too early is asked about once more',
    { vague_ms_ago: 4_000 },
    vague,
    null,
    { ...held, ask_in: 6_000 },
  ],
  [
    'a second refusal in its time fails the order',
    { vague_ms_ago: 10_000 },
    vague,
    null,
    {
      state: 'refused',
      is_vague: false,
      ask_in: null,
      conclusion: { kind: 'failed', failure_code: 'operator_refused' },
    },
  ],
  [
    'a refusal with a reason after one without fails the order for that reason',
    { vague_ms_ago: 100 },
    refused,
    null,
    { state: 'refused', is_vague: false, conclusion: { kind: 'failed', failure_code: 'payer_declined' } },
  ],
  [
    'a proof after a vague refusal is a proof',
    { vague_ms_ago: 100 },
    settled,
    null,
    { state: 'confirmed', is_vague: false },
  ],
  [
    'an order under way again has to be refused twice anew',
    { vague_ms_ago: 100 },
    { kind: 'pending', evidence },
    null,
    { state: 'sent', is_vague: false },
  ],
  [
    'an answer that tells nothing leaves a vague refusal as it is',
    { vague_ms_ago: 100 },
    { kind: 'unknown', evidence },
    null,
    { state: 'sent', is_vague: true, conclusion: null },
  ],
  [
    'a payout that is refused vaguely after its time of silence falls silent',
    { direction: 'payout', sent_ms_ago: 1_000 },
    vague,
    null,
    { ...held, conclusion: { kind: 'silent' } },
  ],
  [
    'a refusal of the only send fails without a reason too: the operator took nothing',
    { state: 'sending' },
    { kind: 'refused', failure_code: 'operator_refused', evidence },
    1,
    { state: 'refused', look_in: null, conclusion: { kind: 'failed', failure_code: 'operator_refused' } },
  ],
  [
    'unless the answer shows that it did',
    { state: 'sending' },
    { kind: 'refused', failure_code: 'operator_refused', held: true, evidence },
    1,
    { state: 'sent', is_vague: true, conclusion: null, ask_in: 10_000 },
  ],
]
for (const [promise, known, answer, attempt, expected] of cases) {
  test(promise, () => {
    const decision = decide(instruction(known), answer, plan, attempt)
    assert.deepEqual({ ...decision, ...expected }, decision)
  })
}

/** The time since the end of a refused order, the answer, whether a look made us ask, and the next look and check. */
const looked: [string, number, Answer, boolean, Partial<Decision>][] = [
  ['a look that is refused again goes on by plan', 600, refused, true, { look_in: 3_000, check_in: null }],
  ['a look at an order that the operator holds no longer too', 600, notFound, true, { look_in: 3_000 }],
  ['a look without an answer is tried again by looks', 600, { kind: 'unknown', evidence }, true, { check_in: null }],
  ['a callback without an answer is followed at once', 600, { kind: 'pending', evidence }, false, { check_in: 30 }],
  ['a proof ends the looks', 600, settled, true, { look_in: null, anomaly: 'proof_after_refusal' }],
  ['the last look has no next one', 4_000, refused, true, { look_in: null, check_in: null }],
]
for (const [promise, ended_ms_ago, answer, isLook, expected] of looked) {
  test(promise, () => {
    const known = instruction({ direction: 'payout', state: 'refused', failure_code: 'operator_refused', ended_ms_ago })
    const decision = decide(known, answer, plan, null, false, { after: [500, 3_600], isLook })
    assert.deepEqual({ ...decision, ...expected }, decision)
  })
}
