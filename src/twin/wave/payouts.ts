import type { Operation } from '../state.ts'
import { payoutError } from './words.ts'

/** The fields of a payout that the core does not know. */
export type PayoutDetail = {
  /** `pt-…` */
  id: string
  client_reference: string | null
  name?: string
  payment_reason?: string
}

/** An Idempotency-Key that was used: for which bytes, and where its payout stands. `at`: milliseconds of the twin's clock. */
export type UsedKey = { digest: string; operation: string; at: number }

export function payoutBody(operation: Operation, text: (at: number) => string): Record<string, unknown> {
  const { id, client_reference, name, payment_reason } = operation.detail as PayoutDetail
  const { amount, fee, msisdn, state, reason, changed_at } = operation
  return {
    id,
    currency: 'XOF',
    receive_amount: String(amount),
    fee: String(fee),
    mobile: msisdn,
    ...(name === undefined ? {} : { name }),
    ...(client_reference === null ? {} : { client_reference }),
    ...(payment_reason === undefined ? {} : { payment_reason }),
    status: state === 'succeeded' || state === 'failed' ? state : 'processing',
    timestamp: text(changed_at),
    ...(state === 'failed' ? { payout_error: payoutError(reason ?? 'operator_refused') } : {}),
  }
}
