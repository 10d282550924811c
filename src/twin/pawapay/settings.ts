import type { OperatorCode } from '../../values/operators.ts'
import type { Choices } from '../api.ts'
import type { Time } from '../time.ts'

export const providers = ['MTN_MOMO_CIV', 'ORANGE_CIV', 'WAVE_CIV'] as const
export type Provider = (typeof providers)[number]

export const operatorOf: Readonly<Record<Provider, OperatorCode>> = {
  MTN_MOMO_CIV: 'mtn_ci',
  ORANGE_CIV: 'orange_ci',
  WAVE_CIV: 'wave_ci',
}

export function isProvider(text: unknown): text is Provider {
  return (providers as readonly unknown[]).includes(text)
}

export type ProviderStatus = 'OPERATIONAL' | 'DELAYED' | 'CLOSED'

/** The settings of an account of pawaPay, as `/_twin/apis/pawapay` shows and changes them. */
export type Settings = {
  api_token: string
  company_name: string
  /** The name that a payer reads. */
  display_name: string
  /** Where callbacks go, for all kinds; empty: nowhere. The dashboard has one for each kind. */
  callback_url: string
  callback_url_deposit: string
  callback_url_payout: string
  callback_url_refund: string
  sign_callbacks: boolean
  /** `raw`, as RFC 9421 has it, or `der`, as the official sample writes. */
  signature_encoding: 'raw' | 'der'
  /** The clock of signatures, ours and theirs: the twin's may be ahead of that of a service that checks them. */
  signature_clock: 'machine' | 'twin'
  signed_requests_only: boolean
  /** PEM by key id, with which signed requests are checked. */
  request_public_keys: Record<string, string>
  /** 403 or 401: the sources disagree. */
  wrong_token_status: number
  deposits_allowed: boolean
  payouts_allowed: boolean
  refunds_allowed: boolean
  /** Francs. */
  min_amount: number
  max_amount: number
  /** Seconds until a redirect provider has its address. */
  authorization_url_seconds: number
  deposit_status: Record<Provider, ProviderStatus>
  payout_status: Record<Provider, ProviderStatus>
  /** `MANUAL`: payers dial `dial_code` to see the prompt. The account says so; the phones of the twin show it in either case. */
  pin_prompt: Record<Provider, 'AUTOMATIC' | 'MANUAL'>
  /** Where the prompt comes by itself, `dial_code` brings it back; the account says so. */
  pin_prompt_revivable: boolean
  dial_code: string
}

export const defaults: Settings = {
  api_token: 'twin-pawapay-token',
  company_name: 'Bandama',
  display_name: 'Chez Aya – Pagnes',
  callback_url: '',
  callback_url_deposit: '',
  callback_url_payout: '',
  callback_url_refund: '',
  sign_callbacks: true,
  signature_encoding: 'raw',
  signature_clock: 'machine',
  signed_requests_only: false,
  request_public_keys: {},
  wrong_token_status: 403,
  deposits_allowed: true,
  payouts_allowed: true,
  refunds_allowed: true,
  min_amount: 1,
  max_amount: 2_000_000,
  authorization_url_seconds: 1,
  deposit_status: { MTN_MOMO_CIV: 'OPERATIONAL', ORANGE_CIV: 'OPERATIONAL', WAVE_CIV: 'OPERATIONAL' },
  payout_status: { MTN_MOMO_CIV: 'OPERATIONAL', ORANGE_CIV: 'OPERATIONAL', WAVE_CIV: 'OPERATIONAL' },
  pin_prompt: { MTN_MOMO_CIV: 'AUTOMATIC', ORANGE_CIV: 'AUTOMATIC', WAVE_CIV: 'AUTOMATIC' },
  pin_prompt_revivable: false,
  dial_code: '#144*82#',
}

export const choices: Choices<Settings> = {
  signature_encoding: ['raw', 'der'],
  signature_clock: ['machine', 'twin'],
  deposit_status: ['OPERATIONAL', 'DELAYED', 'CLOSED'],
  payout_status: ['OPERATIONAL', 'DELAYED', 'CLOSED'],
  pin_prompt: ['AUTOMATIC', 'MANUAL'],
}

/** The one wallet of the account. */
export const WALLET = 'pawapay/CIV'

export type Kind = 'deposit' | 'payout' | 'refund'

/** The field that holds the id of each kind. */
export const idField: Readonly<Record<Kind, string>> = { deposit: 'depositId', payout: 'payoutId', refund: 'refundId' }

/** The address of the callbacks of a kind; empty: none. */
export function callbackUrl(settings: Settings, kind: Kind): string {
  return settings[`callback_url_${kind}`] || settings.callback_url
}

/** Milliseconds of the clock by which signatures are made and checked. */
export function signatureTime({ signature_clock }: Settings, time: Time): number {
  return signature_clock === 'twin' ? time.now() : time.machine()
}
