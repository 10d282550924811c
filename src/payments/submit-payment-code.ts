import type { SubmitCode } from '../operators/sending/submit-code.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Secret } from '../values/secret.ts'
import { type Payment, viewPayment } from './payment.ts'
import * as store from './store.ts'

export type SubmitPaymentCodeResult =
  /** It is with the operator, now or since an earlier call; the payment as it stands. */
  | { kind: 'submitted'; payment: Payment }
  /** `payment_code_not_expected`: its payer was asked for none, the time for it is over, or the payment has ended. */
  | { kind: 'refused'; code: 'resource_not_found' | 'payment_code_not_expected' }

export type SubmitPaymentCode = (key: store.PaymentKey, code: Secret) => Promise<SubmitPaymentCodeResult>

/**
 * Takes the one-time code of a payer whom the merchant asked itself, for a payment whose `next_action` is `enter_code`. On the hosted page the payer
 * types it there (checkout/submit-payer-code.ts). The operator gets it once, however often this is called.
 */
export function createSubmitPaymentCode({ sql, submitCode }: { sql: Sql; submitCode: SubmitCode }): SubmitPaymentCode {
  return async (key, code) => {
    const { payment_id: subject_id, merchant_id, livemode } = key
    if ((await store.readPayment(sql, key)) === null) return { kind: 'refused', code: 'resource_not_found' }
    const result = await submitCode({ merchant_id, livemode, subject_id }, code)
    if (result === 'not_asked') return { kind: 'refused', code: 'payment_code_not_expected' }
    const row = await store.readPayment(sql, key)
    return { kind: 'submitted', payment: viewPayment(row!) }
  }
}
