import { post } from '../ledger/post.ts'
import { collectionConfirmed } from '../ledger/postings.ts'
import type { Concluded } from '../operators/record-answer.ts'
import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type Happened, movePaymentsOn } from './move-payment.ts'
import type { PaymentRow } from './payment.ts'

/** What checkout does when payments ended, in the transaction that ends them. Passed in, because it stands above. */
export type OnPaymentsEnded = (tx: Tx, payments: readonly PaymentRow[]) => Promise<void>

/**
 * What an ended instruction means for its payment, in the transaction that ends it: the state, the credit in the ledger
 * and the merchant's event, all or nothing. Only a payment that moves is credited, and the ledger books one collection
 * for one payment only, so a proof that comes twice changes nothing.
 */
export function concludePayments(clock: Clock, onEnded: OnPaymentsEnded) {
  return async (tx: Tx, concluded: readonly Concluded[]): Promise<void> => {
    const moved = await movePaymentsOn(tx, concluded.flatMap(happening), clock)
    // Before the accounts, which many wait for: sessions are locked ahead of them, by everyone.
    await onEnded(tx, moved)
    const credited = moved.filter(({ status }) => status === 'succeeded')
    await post(
      tx,
      credited.map((payment) => ({
        merchant_id: payment.merchant_id,
        livemode: payment.livemode,
        subject_id: payment.id,
        operation: 'collection_confirmed',
        legs: collectionConfirmed(payment),
      })),
    )
  }
}

/** A request that lapsed without a debit expires; every other refusal fails. */
function happening({ merchant_id, livemode, subject_id, conclusion }: Concluded): Happened[] {
  // Silence is said of payouts only: a payment that the operator does not conclude stays pending.
  if (conclusion.kind === 'silent') return []
  const about = { merchant_id, livemode, payment_id: subject_id }
  if (conclusion.kind === 'succeeded') return [{ ...about, on: 'proof_received', failure_code: null }]
  const lapsed = conclusion.failure_code === 'payer_timeout'
  return [
    {
      ...about,
      on: lapsed ? 'request_lapsed' : 'refusal_established',
      failure_code: lapsed ? null : conclusion.failure_code,
    },
  ]
}
