import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../tests/harness/property.ts'
import type { AnomalyKind } from '../operators/sending/decide.ts'
import { type Resolution, resolutions } from './anomaly.ts'
import { difference, type ResolutionError, type Subject, validateResolution } from './validate-resolution.ts'

const pending: Subject = { direction: 'collect', state: 'sent', failure_code: null, amount: 1_000 }
const failed: Subject = { ...pending, state: 'refused', failure_code: 'payer_declined' }
const expired: Subject = { ...pending, state: 'refused', failure_code: 'payer_timeout' }
const succeeded: Subject = { ...pending, state: 'confirmed' }
const payout: Subject = { ...pending, direction: 'payout', state: 'unknown' }
const failedPayout: Subject = { ...payout, state: 'refused', failure_code: 'payer_timeout' }

/** The resolutions that fit each anomaly, given an amount and a merchant wherever they are needed. */
const fitting: [what: string, kind: AnomalyKind, subject: Subject, allowed: Resolution[]][] = [
  ['a payment in doubt', 'amount_differs', pending, ['as_proven', 'as_refused', 'returned_by_hand', 'nothing']],
  [
    'a payment that failed',
    'proof_after_refusal',
    failed,
    ['credit_available', 'debit_available', 'returned_by_hand', 'nothing'],
  ],
  [
    'a payment that expired, which a proof would still credit',
    'amount_differs',
    expired,
    ['as_proven', 'returned_by_hand', 'nothing'],
  ],
  [
    'a payment that succeeded, which goes back as a refund',
    'refusal_after_proof',
    succeeded,
    ['credit_available', 'debit_available', 'nothing'],
  ],
  ['a second success', 'second_success', succeeded, ['credit_available', 'debit_available', 'nothing']],
  ['a payout in doubt', 'amount_differs', payout, ['as_proven', 'as_refused', 'nothing']],
  ['a payout that failed', 'proof_after_refusal', failedPayout, ['credit_available', 'debit_available', 'nothing']],
  ["nobody's money", 'unknown_reference', null, ['credit_available', 'returned_by_hand', 'nothing']],
]

for (const [what, kind, subject, allowed] of fitting) {
  test(`${what} is closed by ${allowed.join(', ')}, and by nothing else`, () => {
    const possible = resolutions.filter((resolution) => {
      const of_merchant_id = subject === null && resolution === 'credit_available' ? 1 : null
      const amount = resolution === 'nothing' || resolution === 'as_refused' ? null : 1_000
      return validateResolution(kind, subject, { resolution, amount, of_merchant_id }) === null
    })
    assert.deepEqual(possible, allowed)
  })
}

const incomplete: [
  what: string,
  subject: Subject,
  proposed: Parameters<typeof validateResolution>[2],
  why: ResolutionError,
][] = [
  [
    'an adjustment without an amount',
    failed,
    { resolution: 'credit_available', amount: null, of_merchant_id: null },
    'amount_needed',
  ],
  [
    'what was returned without an amount',
    failed,
    { resolution: 'returned_by_hand', amount: null, of_merchant_id: null },
    'amount_needed',
  ],
  [
    'another amount than ours without saying which',
    pending,
    { resolution: 'as_proven', amount: null, of_merchant_id: null },
    'amount_needed',
  ],
  ['nothing with an amount', failed, { resolution: 'nothing', amount: 5, of_merchant_id: null }, 'amount_not_taken'],
  [
    "nobody's money without a merchant",
    null,
    { resolution: 'credit_available', amount: 5, of_merchant_id: null },
    'merchant_needed',
  ],
  [
    "a merchant's own with another merchant",
    failed,
    { resolution: 'credit_available', amount: 5, of_merchant_id: 2 },
    'merchant_not_taken',
  ],
]

for (const [what, subject, proposed, why] of incomplete) {
  test(`${what}: ${why}`, () => assert.equal(validateResolution('amount_differs', subject, proposed), why))
}

test("the operator's account and the merchant's balance change by the amount that the operator moved", () => {
  fc.assert(
    fc.property(
      fc.constantFrom('collect' as const, 'payout' as const, 'refund' as const),
      fc.integer({ min: 1, max: 1_000_000_000_000 }),
      fc.integer({ min: 1, max: 1_000_000_000_000 }),
      (direction, amount, moved) => {
        const change = difference({ direction, amount, state: 'sent', failure_code: null }, moved)
        // With the adjustment beside it, the operator's account shows what the operator moved, to the franc.
        const sign = direction === 'collect' ? -1 : 1
        assert.equal(sign * amount - change, sign * moved)
      },
    ),
  )
})
