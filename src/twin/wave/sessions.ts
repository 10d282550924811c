import type { Operation } from '../state.ts'
import type { Settings } from './settings.ts'

/** The fields of a session that the core does not know. */
export type SessionDetail = {
  /** `cos-…` */
  id: string
  client_reference: string | null
  success_url: string
  /** Wave's `error_url`. */
  failure_url: string
  /** Wave's `restrict_payer_mobile`. */
  only_payer?: string
  aggregated_merchant_id?: string
  /** Milliseconds of the twin's clock. */
  expires_at: number
  last_error: { code: string; message: string } | null
  /** A try to pay has failed. */
  tried: boolean
}

export function sessionDetail(operation: Operation): SessionDetail {
  return operation.detail as SessionDetail
}

type Statuses = {
  checkout_status: 'open' | 'complete' | 'expired'
  payment_status: 'processing' | 'cancelled' | 'succeeded'
}

/** A failed try leaves a session open until its end. */
export function statusesOf(operation: Operation, settings: Settings, now: number): Statuses {
  const { state } = operation
  const { expires_at, tried } = sessionDetail(operation)
  if (state === 'succeeded') return { checkout_status: 'complete', payment_status: 'succeeded' }
  if (state === 'in_doubt') return { checkout_status: 'complete', payment_status: 'processing' }
  if (now >= expires_at)
    return { checkout_status: 'expired', payment_status: tried ? 'cancelled' : settings.untouched_payment_status }
  return { checkout_status: 'open', payment_status: state === 'failed' ? 'cancelled' : 'processing' }
}

/** @param url of the twin, to which the payer is led */
export function sessionBody(
  operation: Operation,
  settings: Settings,
  { now, text, url }: { now: number; text: (at: number) => string; url: string },
): Record<string, unknown> {
  const detail = sessionDetail(operation)
  const { amount, reference, state, transaction, executed_at, created_at, payee } = operation
  return {
    id: detail.id,
    amount: String(amount),
    ...statusesOf(operation, settings, now),
    client_reference: detail.client_reference === null ? null : reference,
    currency: 'XOF',
    error_url: detail.failure_url,
    success_url: detail.success_url,
    last_payment_error: detail.last_error,
    business_name: payee,
    restrict_payer_mobile: detail.only_payer ?? null,
    transaction_id: state === 'succeeded' ? transactionOf(transaction) : null,
    aggregated_merchant_id: detail.aggregated_merchant_id ?? null,
    wave_launch_url: `${url}/wave/c/${detail.id}?a=${amount}&c=XOF`,
    when_completed: executed_at === null ? null : text(executed_at),
    when_created: text(created_at),
    when_expires: text(detail.expires_at),
  }
}

/** `T_…` */
export function transactionOf(transaction: string): string {
  return `T_${transaction.replace(/\W/g, '')}`
}
