import type { SubmitCode } from '../operators/sending/submit-code.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Secret } from '../values/secret.ts'
import { type Payment, viewPayment } from './payment.ts'
import * as store from './store.ts'

export type SubmitPaymentCodeResult =
  /** The operator has the code, from this call or an earlier one. `payment` is its present state. */
  | { kind: 'submitted'; payment: Payment }
  /** `payment_code_not_expected`: the operator asked for no code, the time for it is over, or the payment has ended. */
  | { kind: 'refused'; code: 'resource_not_found' | 'payment_code_not_expected' }

export type SubmitPaymentCode = (key: store.PaymentKey, code: Secret) => Promise<SubmitPaymentCodeResult>

/**
 * Passes on a payer's one-time code that the merchant asked for on its own page. The payment's `next_action` is
 * `enter_code`. (On the hosted page the payer types the code there: checkout/submit-payer-code.ts.) The operator gets
 * the code once, however often this is called.
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
