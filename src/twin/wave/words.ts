import type { TwinAnswer } from '../wire.ts'
import type { Settings } from './settings.ts'

const statuses: Readonly<Record<string, number>> = {
  'missing-auth-header': 401,
  'invalid-auth': 401,
  'api-key-not-provided': 401,
  'no-matching-api-key': 401,
  'api-key-revoked': 401,
  'invalid-wallet': 403,
  'disabled-wallet': 403,
  'unauthorized-wallet': 403,
  'missing-permission': 403,
  'not-found': 404,
  'idempotency-mismatch': 409,
  'checkout-session-not-open': 409,
  'insufficient-funds': 422,
  'recipient-minor': 422,
  'recipient-account-blocked': 422,
  'recipient-account-inactive': 422,
  'recipient-limit-exceeded': 422,
  'too-many-requests': 429,
  'internal-server-error': 500,
  'service-unavailable': 503,
}

/** Codes whose name nobody could read in a document. */
const unnamed = new Set(['missing-permission', 'not-found', 'checkout-session-not-open', 'payout-failure'])
const NAME = 'The name of this code.'

/** Wave's code at the order itself, for a reason of the core. A code of Wave's stays as it is. */
const atTheOrder: Readonly<Record<string, string>> = {
  invalid_number: 'country-mismatch',
  operator_account_blocked: 'disabled-wallet',
  operator_float_insufficient: 'insufficient-funds',
  operator_unavailable: 'service-unavailable',
  recipient_account_blocked: 'recipient-account-blocked',
  recipient_limit_reached: 'recipient-limit-exceeded',
  recipient_not_found: 'recipient-account-inactive',
}

/** Wave's code for a payment that was tried and failed. */
const ofPayments: Readonly<Record<string, string>> = {
  payer_insufficient_funds: 'insufficient-funds',
  payer_account_blocked: 'blocked-account',
  invalid_number: 'payer-mobile-mismatch',
  operator_account_blocked: 'kyb-limits-exceeded',
}

const isOwn = (reason: string): boolean => /^[a-z0-9]+(?:-[a-z0-9]+)+$/.test(reason)

export function orderCode(reason: string): string {
  return isOwn(reason) ? reason : (atTheOrder[reason] ?? 'request-validation-error')
}

export function paymentError(reason: string): { code: string; message: string } {
  const code = isOwn(reason) ? reason : (ofPayments[reason] ?? 'payment-failure')
  return { code, message: messageOf(code) }
}

export function payoutError(reason: string): { error_code: string; error_message: string } {
  const error_code = isOwn(reason) ? reason : (atTheOrder[reason] ?? 'payout-failure')
  return { error_code, error_message: messageOf(error_code) }
}

function messageOf(code: string): string {
  return `The request was not carried out: ${code.replaceAll('-', ' ')}.`
}

/** An answer that refuses, in the shape of the settings. @param message absent: made of the code */
export function refused(
  { error_shape }: Pick<Settings, 'error_shape'>,
  code: string,
  message = messageOf(code),
): TwinAnswer {
  const status = statuses[code] ?? 400
  const shapes = {
    code: { code, message },
    error_code: { error_code: code, error_message: message },
    error: { error: { code, message, httpcode: status } },
  }
  return { status, body: shapes[error_shape], ...(unnamed.has(code) ? { unverified: NAME } : {}) }
}
