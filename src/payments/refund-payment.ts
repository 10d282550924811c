import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type Happened, movePaymentsOn } from './move-payment.ts'
import * as store from './store.ts'

/** A refund that has succeeded: so much of a payment's `amount` is back with the payer. */
export type Refunded = store.PaymentKey & { amount: number }

/**
 * Notes on payments what was refunded of them, and tells their merchants: once for each refund, also when several of one
 * payment ended together, because each is an event of its own.
 * @throws when a payment does not move: what is refunded was decided under its lock, so that is a defect
 */
export async function notePaymentsRefunded(tx: Tx, refunds: readonly Refunded[], clock: Clock): Promise<void> {
  if (refunds.length === 0) return
  const locked = await store.lockPayments(tx, refunds)
  const left = new Map(locked.map(({ id, amount, amount_refunded = 0 }) => [id, amount - amount_refunded]))
  const happened = refunds.map(({ merchant_id, livemode, payment_id, amount }): Happened => {
    const rest = (left.get(payment_id) ?? 0) - amount
    left.set(payment_id, rest)
    const on = rest === 0 ? 'refunded_in_full' : 'refunded_in_part'
    return { merchant_id, livemode, payment_id, on, failure_code: null, refunded: amount }
  })
  // A payment makes one move at a time; nearly always there is one round.
  const ofOne = [...Map.groupBy(happened, ({ payment_id }) => payment_id).values()]
  const rounds = Math.max(...ofOne.map((moves) => moves.length))
  for (let round = 0; round < rounds; round += 1) {
    const together = ofOne.flatMap((moves) => moves[round] ?? [])
    const moved = await movePaymentsOn(tx, together, clock)
    if (moved.length !== together.length) throw new Error('A payment that was refunded did not move.')
  }
}
