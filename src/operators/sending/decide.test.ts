import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instruction } from '../instruction.ts'
import { promisesNothing, type ReferencePromise } from '../port.ts'
import type { Answer } from './answer.ts'
import { type Decision, decide, SENDS_MAX } from './decide.ts'

const plan = {
  inquiryPlan: [30, 60, 120],
  silenceAfter: 1_000,
  promises: { collect: promisesNothing, payout: promisesNothing, refund: promisesNothing },
}
/** Of an operator that carries a reference out once, and is believed after four answers over a tenth of a second. */
const never: ReferencePromise = { same_reference: 'never_twice', not_found: { times: 4, after_seconds: 0.1 } }
const promising = { ...plan, promises: { collect: never, payout: never, refund: never } }
const evidence = {}

/** As old as its answers make it by the plan, unless said otherwise. */
function instruction(fields: Partial<Instruction> = {}): Instruction {
  const sent_ms_ago = Array.from({ length: fields.asked ?? 0 }, (_, at) => plan.inquiryPlan[at] ?? 120)
  return {
    ...{ merchant_id: 1, livemode: false, subject_id: 'txn_1' },
    direction: 'collect',
    connector: 'simulator',
    operator: 'orange_ci',
    amount: 10_000,
    currency: 'XOF',
    msisdn: null,
    simulate: null,
    state: 'sent',
    reference: '00000000-0000-4000-8000-000000000000',
    operator_reference: null,
    operator_state: null,
    refund_of: null,
    next_action: null,
    failure_code: null,
    asked: 0,
    attempts: 1,
    sent_again: 0,
    next_check_at: null,
    created_at: new Date(0),
    sent_at: new Date(0),
    sent_ms_ago: sent_ms_ago.reduce((sum, pause) => sum + pause, 0),
    ...fields,
  }
}

const settled: Answer = { kind: 'settled', amount: 10_000, currency: 'XOF', evidence }
const refused: Answer = { kind: 'refused', failure_code: 'payer_declined', evidence }
const lapsed: Answer = { kind: 'refused', failure_code: 'payer_timeout', evidence }

/** The instruction before, the operator's answer, and the only fields that may change. */
const cases: [string, Partial<Instruction>, Answer, Partial<Decision>][] = [
  ['proof of the exact amount succeeds', {}, settled, { state: 'confirmed', conclusion: { kind: 'succeeded' } }],
  [
    'proof ends what was unknown',
    { state: 'unknown' },
    settled,
    { state: 'confirmed', conclusion: { kind: 'succeeded' } },
  ],
  [
    'a second proof of another amount is an anomaly, and the end stays',
    { state: 'confirmed' },
    { ...settled, amount: 9_999 },
    { state: 'confirmed', anomaly: 'amount_differs', conclusion: null, check_in: null },
  ],
  ['a second proof changes nothing', { state: 'confirmed' }, settled, { state: 'confirmed', conclusion: null }],
  [
    'proof of another amount is an anomaly and no end',
    {},
    { ...settled, amount: 9_999 },
    { state: 'sent', anomaly: 'amount_differs', conclusion: null },
  ],
  [
    'proof in another currency is an anomaly and no end',
    {},
    { ...settled, currency: 'EUR' },
    { state: 'sent', anomaly: 'currency_differs', conclusion: null },
  ],
  [
    'proof after the request lapsed is credited',
    { state: 'refused', failure_code: 'payer_timeout' },
    settled,
    { state: 'confirmed', conclusion: { kind: 'succeeded' }, failure_code: null },
  ],
  [
    'proof after a refusal is an anomaly and no end',
    { state: 'refused', failure_code: 'payer_declined' },
    settled,
    { state: 'refused', anomaly: 'proof_after_refusal', conclusion: null },
  ],
  [
    'a refusal fails',
    {},
    refused,
    { state: 'refused', conclusion: { kind: 'failed', failure_code: 'payer_declined' } },
  ],
  [
    'a lapse ends with its own code',
    {},
    lapsed,
    { state: 'refused', conclusion: { kind: 'failed', failure_code: 'payer_timeout' } },
  ],
  [
    'a refusal after proof is an anomaly and no end',
    { state: 'confirmed' },
    refused,
    { state: 'confirmed', anomaly: 'refusal_after_proof', conclusion: null },
  ],
  [
    'what was refused and could not be read when a callback made us ask is asked about again: it may be a late proof',
    { state: 'refused', failure_code: 'payer_timeout', asked: 1 },
    { kind: 'unknown', evidence },
    { state: 'refused', check_in: 60, conclusion: null },
  ],
  [
    'so is what was refused and is said to be under way again',
    { direction: 'payout', state: 'refused', failure_code: 'operator_refused', sent_ms_ago: 5_010 },
    { kind: 'pending', evidence },
    { state: 'refused', check_in: 30, conclusion: null, failure_code: 'operator_refused' },
  ],
  ['what is refused once more is not asked about again', { state: 'refused' }, refused, { check_in: null }],
  ['a second refusal changes nothing', { state: 'refused' }, refused, { state: 'refused', conclusion: null }],
  [
    'an unknown send is asked about',
    { state: 'sending' },
    { kind: 'unknown', evidence },
    { state: 'unknown', check_in: 30 },
  ],
  [
    'an unknown answer does not undo what was accepted',
    { asked: 1 },
    { kind: 'unknown', evidence },
    { state: 'sent', check_in: 60 },
  ],
  [
    'not found is no refusal',
    { state: 'unknown', asked: 2 },
    { kind: 'not_found', evidence },
    { state: 'unknown', check_in: 120 },
  ],
  ['the last pause of the plan repeats', { asked: 9 }, { kind: 'pending', evidence }, { state: 'sent', check_in: 120 }],
  [
    'a send that never left is prepared again',
    { state: 'sending' },
    { kind: 'not_sent', evidence },
    { state: 'prepared', not_sent: true, conclusion: null },
  ],
  [
    'a send that never left, too often, is refused: certainly nothing moved',
    { state: 'sending', attempts: SENDS_MAX },
    { kind: 'not_sent', evidence },
    { state: 'refused', conclusion: { kind: 'failed', failure_code: 'operator_unavailable' } },
  ],
  [
    'what was never sent can be given up',
    { state: 'prepared', attempts: 0 },
    { kind: 'expired_unsent', evidence },
    { state: 'refused', conclusion: { kind: 'failed', failure_code: 'payer_timeout' } },
  ],
  [
    'what a worker has begun to send can no longer be given up',
    { state: 'sending' },
    { kind: 'expired_unsent', evidence },
    { state: 'sending', conclusion: null },
  ],
]

const payout: Partial<Instruction> = { direction: 'payout', state: 'unknown' }
cases.push(
  [
    'a payout is asked about at the end of its time of silence, whatever the plan says',
    { ...payout, asked: 2, sent_ms_ago: 950 },
    { kind: 'unknown', evidence },
    { check_in: 50, conclusion: null },
  ],
  [
    'a payout that the operator does not conclude falls silent, and goes on being asked about',
    { ...payout, sent_ms_ago: 1_000 },
    { kind: 'not_found', evidence },
    { state: 'unknown', check_in: 30, conclusion: { kind: 'silent' } },
  ],
  [
    'a payout of which the operator says another amount falls silent too, so that its batch can end',
    { ...payout, sent_ms_ago: 1_000 },
    { ...settled, amount: 9_999 },
    { state: 'sent', anomaly: 'amount_differs', conclusion: { kind: 'silent' } },
  ],
  [
    'proof after a payout was refused is an anomaly, whatever it was refused for: its money went back',
    { ...payout, state: 'refused', failure_code: 'payer_timeout' },
    settled,
    { state: 'refused', anomaly: 'proof_after_refusal', conclusion: null },
  ],
  [
    'an answer that tells nothing does not keep back what is proven never to have left',
    { ...payout, state: 'prepared', sent_ms_ago: 5_000 },
    { kind: 'not_found', evidence },
    { state: 'prepared', check_in: 30_000, conclusion: null },
  ],
  [
    'a refund never becomes silent: inquiries go on',
    { direction: 'refund', state: 'unknown', sent_ms_ago: 1_000_000 },
    { kind: 'not_found', evidence },
    { state: 'unknown', check_in: 30, conclusion: null },
  ],
  [
    'a proof after the refusal of a refund is an anomaly whatever the failure code, because its money was returned',
    { direction: 'refund', state: 'refused', failure_code: 'payer_timeout' },
    settled,
    { state: 'refused', anomaly: 'proof_after_refusal', conclusion: null },
  ],
  [
    'a collection never becomes silent',
    { sent_ms_ago: 1_000_000 },
    { kind: 'unknown', evidence },
    { conclusion: null },
  ],
)

for (const [promise, known, answer, expected] of cases) {
  test(promise, () => {
    const decision = decide(instruction(known), answer, plan)
    assert.deepEqual({ ...decision, ...expected }, decision)
  })
}

test('only a proof or a definite refusal ever concludes anything', () => {
  const states = ['prepared', 'sending', 'sent', 'unknown', 'confirmed', 'refused'] as const
  const undecided = ['accepted', 'duplicate', 'pending', 'not_found', 'unknown'] as const
  for (const state of states) {
    for (const kind of undecided) {
      assert.equal(decide(instruction({ state }), { kind, evidence }, plan).conclusion, null, `${state} ${kind}`)
    }
  }
})

/** The second send of an instruction whose first may have left. */
const twice: Partial<Instruction> = { state: 'sending', attempts: 2, sent_again: 1 }
const notSent: Answer = { kind: 'not_sent', evidence }
const notFound: Answer = { kind: 'not_found', evidence }
const next_action = { type: 'approve_on_phone', message: 'Approve' } as const

/** The instruction before, the answer, the send that it answers (null: it is about the reference), and the fields that may change. */
const ofSends: [string, Partial<Instruction>, Answer, number | null, Partial<Decision>][] = [
  [
    'a duplicate counts as accepted, and brings what the payer is to do',
    twice,
    { kind: 'duplicate', evidence, next_action },
    2,
    { state: 'sent', check_in: 30, next_action, conclusion: null },
  ],
  [
    'a proof in answer to a repeated send is a proof',
    twice,
    settled,
    2,
    { state: 'confirmed', conclusion: { kind: 'succeeded' } },
  ],
  [
    'a repeated send that never left leaves the first in doubt: it is asked about, and neither prepared nor refused',
    { ...twice, attempts: SENDS_MAX, sent_again: 4 },
    notSent,
    SENDS_MAX,
    { state: 'unknown', not_sent: true, check_in: 30, conclusion: null },
  ],
  [
    'an earlier send that turns out never to have left changes nothing while a later one is on its way',
    twice,
    notSent,
    1,
    { state: 'sending', not_sent: true, conclusion: null, check_in: 30 },
  ],
  [
    'nor once the operator holds the later one',
    { ...twice, state: 'sent' },
    notSent,
    1,
    { state: 'sent', not_sent: true, conclusion: null, check_in: 30 },
  ],
  [
    'a refusal of a repeated send says nothing of the first, and fails nothing',
    twice,
    refused,
    2,
    { state: 'unknown', failure_code: null, conclusion: null, check_in: 30 },
  ],
  [
    'a late refusal of the first send says nothing of the second',
    { ...twice, state: 'sent' },
    refused,
    1,
    { state: 'sent', failure_code: null, conclusion: null, check_in: 30 },
  ],
  [
    'a late refusal of the first send contradicts no proof of the second',
    { ...twice, state: 'confirmed' },
    refused,
    1,
    { state: 'confirmed', anomaly: null, conclusion: null },
  ],
  [
    'a refusal of the reference fails what was sent again',
    { ...twice, state: 'unknown' },
    refused,
    null,
    { state: 'refused', conclusion: { kind: 'failed', failure_code: 'payer_declined' } },
  ],
  [
    'a refusal of the only send fails',
    { state: 'sending' },
    refused,
    1,
    { state: 'refused', conclusion: { kind: 'failed', failure_code: 'payer_declined' } },
  ],
  [
    'what the operator holds has left, whatever is said of its send',
    { state: 'sent' },
    notSent,
    1,
    { state: 'sent', not_sent: false, conclusion: null, check_in: 30 },
  ],
]
for (const [promise, known, answer, attempt, expected] of ofSends) {
  test(promise, () => {
    const decision = decide(instruction(known), answer, promising, attempt)
    assert.deepEqual({ ...decision, ...expected }, decision)
  })
}

test('once an instruction was sent again, only a proof among the answers to its sends concludes it', () => {
  for (const state of ['sending', 'sent', 'unknown'] as const) {
    const answers: Answer[] = [refused, lapsed, notSent, notFound, { kind: 'unknown', evidence }]
    for (const answer of answers) {
      for (const attempt of [1, 2] as const) {
        const decision = decide(instruction({ ...twice, state }), answer, promising, attempt)
        assert.equal(decision.conclusion, null, `${state} ${answer.kind}`)
        assert.notEqual(decision.check_in, null, `${state} ${answer.kind}`)
        assert.ok(['sending', 'sent', 'unknown'].includes(decision.state), `${state} ${answer.kind}`)
      }
    }
  }
})
