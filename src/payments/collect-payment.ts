import type { InstructionKey } from '../operators/instruction.ts'
import type { Collection } from '../operators/send-collections.ts'
import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { movePaymentsOn } from './move-payment.ts'

/**
 * What happens to payments when their sending begins, in the transaction that commits us to it: they are pending from
 * here on, because the payer's telephone may ring. Returns what is to be collected for them. One that is pending already (a send
 * that never left us, tried again) stays as it is, and is absent from the answer like any other that does not move.
 */
export function beginCollecting(clock: Clock) {
  return async (tx: Tx, keys: readonly InstructionKey[]): Promise<Collection[]> => {
    const moved = await movePaymentsOn(
      tx,
      keys.map(({ merchant_id, livemode, subject_id }) => ({
        merchant_id,
        livemode,
        payment_id: subject_id,
        on: 'sending_began',
        failure_code: null,
      })),
      clock,
    )
    return moved.map(({ merchant_id, livemode, id, operator, amount_collected, currency, msisdn, created_at }) => {
      return { merchant_id, livemode, subject_id: id, operator, amount: amount_collected, currency, msisdn, created_at }
    })
  }
}
