import type { Choices } from '../api.ts'
import type { Time } from '../time.ts'

/** The settings of a business account with Wave, as `/_twin/apis/wave` shows and changes them. */
export type Settings = {
  api_key: string
  /** With it every call has to be signed; empty: none is. */
  request_signing_secret: string
  /** The APIs that the key may use. */
  permissions: { checkout: boolean; payout: boolean; balance: boolean }
  /** Where webhooks go; empty: nowhere. */
  callback_url: string
  webhook_mode: 'signing_secret' | 'shared_secret'
  webhook_secret: string
  /** While it is not empty webhooks carry its signature as well. */
  previous_webhook_secret: string
  /** Stands between the time and the body that are signed. Nothing, in the documents. */
  signature_separator: string
  /** The clock of signatures: the twin's may be ahead of that of a service that checks them. */
  signature_clock: 'machine' | 'twin'
  /** The name that a payer reads. */
  business_name: string
  /** Seconds for which a session can be paid. */
  session_seconds: number
  /** The `payment_status` of an expired session that nobody tried to pay. */
  untouched_payment_status: 'processing' | 'cancelled'
  /** A payout is answered as `succeeded` rather than as `processing`, unless a script gives it a time. */
  payouts_at_once: boolean
  /** Seconds for which an Idempotency-Key is remembered. */
  key_seconds: number
  /** Seconds until a search finds what is new. */
  search_lag_seconds: number
  /** Hundredths of the amount. */
  collection_fee_percent: number
  payout_fee_percent: number
  /** Three shapes of errors circulate. */
  error_shape: 'code' | 'error_code' | 'error'
  /** Lines on a page of transactions. */
  page_size: number
}

export const defaults: Settings = {
  api_key: 'wave_ci_prod_twin-key-of-the-wallet',
  request_signing_secret: '',
  permissions: { checkout: true, payout: true, balance: true },
  callback_url: '',
  webhook_mode: 'signing_secret',
  webhook_secret: 'wave_ci_WHS_twin-secret-of-webhooks',
  previous_webhook_secret: '',
  signature_separator: '',
  signature_clock: 'machine',
  business_name: 'Chez Aya – Pagnes',
  session_seconds: 1_800,
  untouched_payment_status: 'processing',
  payouts_at_once: true,
  key_seconds: 86_400,
  search_lag_seconds: 0,
  collection_fee_percent: 1,
  payout_fee_percent: 1,
  error_shape: 'code',
  page_size: 50,
}

export const choices: Choices<Settings> = {
  webhook_mode: ['signing_secret', 'shared_secret'],
  signature_clock: ['machine', 'twin'],
  untouched_payment_status: ['processing', 'cancelled'],
  error_shape: ['code', 'error_code', 'error'],
}

/** The one wallet of the key. */
export const WALLET = 'wave/CI'

export type Kind = 'session' | 'payout' | 'refund'

/** The kind without the number of those that share a reference: `session` of `session-2`. */
export function kindOf(kind: string): Kind {
  return kind.split('-')[0] as Kind
}

/** Milliseconds of the clock by which signatures are made and checked. */
export function signatureTime({ signature_clock }: Settings, time: Time): number {
  return signature_clock === 'twin' ? time.now() : time.machine()
}

/** Francs that Wave keeps of an amount, rounded down. */
export function feeOf(amount: number, percent: number): number {
  return Math.floor((amount * percent) / 100)
}
