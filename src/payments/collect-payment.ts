import type { Instruction } from '../operators/instruction.ts'
import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { movePaymentsOn } from './move-payment.ts'

/**
 * What happens to payments when their sending begins, in the transaction that commits us to it: they are pending from
 * here on, because the payer's telephone may ring. One that is pending already (a send that never left us, tried again)
 * stays as it is.
 */
export function beginCollecting(clock: Clock) {
  return async (tx: Tx, instructions: readonly Instruction[]): Promise<void> => {
    await movePaymentsOn(
      tx,
      instructions.map(({ merchant_id, livemode, subject_id }) => ({
        merchant_id,
        livemode,
        payment_id: subject_id,
        on: 'sending_began',
        failure_code: null,
      })),
      clock,
    )
  }
}
