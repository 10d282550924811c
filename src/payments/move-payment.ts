import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { emitEvents } from '../webhooks/emit.ts'
import type { FailureCode } from '../words/failure-codes.ts'
import { findTransition } from '../words/transition.ts'
import { type PaymentRow, viewPayment } from './payment.ts'
import { type PaymentHappening, transitions } from './states.ts'
import * as store from './store.ts'

export type Happened = store.PaymentKey & { on: PaymentHappening; failure_code: FailureCode | null; refunded?: number }

/**
 * Moves payments along the table of states and tells their merchants, in the caller's transaction. Returns the payments
 * that moved, as they now stand; what the table does not allow from where a payment stands is left alone.
 */
export async function movePaymentsOn(tx: Tx, happened: readonly Happened[], clock: Clock): Promise<PaymentRow[]> {
  if (happened.length === 0) return []
  const byId = new Map(happened.map((happening) => [happening.payment_id, happening]))
  const payments = await store.lockPayments(tx, [...byId.values()])
  const moves = payments.flatMap((payment): (store.Move & { event: (typeof transitions)[number]['event'] })[] => {
    const { on, failure_code, refunded = 0 } = byId.get(payment.id)!
    const transition = findTransition(transitions, payment.status, on)
    if (transition === null) return []
    const { merchant_id, livemode, id } = payment
    const { from, to, event } = transition
    const move = { merchant_id, livemode, payment_id: id, from_status: from, to_status: to, cause: on }
    return [{ ...move, failure_code, refunded, event }]
  })
  if (moves.length === 0) return []
  const moved = await store.movePayments(tx, moves)
  const events = new Map(moves.map(({ payment_id, event }) => [payment_id, event]))
  await emitEvents(
    tx,
    moved.map((payment) => ({
      merchant_id: payment.merchant_id,
      livemode: payment.livemode,
      type: events.get(payment.id)!,
      subject_id: payment.id,
      data: viewPayment(payment),
    })),
    clock,
  )
  return moved
}
