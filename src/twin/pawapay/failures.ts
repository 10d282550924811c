import type { TwinAnswer } from '../wire.ts'
import type { Kind } from './settings.ts'

/** The HTTP status of the codes that are not answered with 200. */
const statusOf: Readonly<Record<string, number>> = {
  NO_AUTHENTICATION: 401,
  AUTHENTICATION_ERROR: 403,
  AUTHORISATION_ERROR: 403,
  HTTP_SIGNATURE_ERROR: 403,
  INVALID_INPUT: 400,
  MISSING_PARAMETER: 400,
  UNSUPPORTED_PARAMETER: 400,
  INVALID_PARAMETER: 400,
  DUPLICATE_METADATA_FIELD: 400,
  DEPOSITS_NOT_ALLOWED: 403,
  PAYOUTS_NOT_ALLOWED: 403,
  REFUNDS_NOT_ALLOWED: 403,
  UNKNOWN_ERROR: 500,
}

/** The code that refuses any order, for a reason of the core. */
const atInitiation: Readonly<Record<string, string>> = {
  amount_out_of_bounds: 'AMOUNT_OUT_OF_BOUNDS',
  invalid_number: 'INVALID_PHONE_NUMBER',
  operator_unavailable: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
  operator_float_insufficient: 'PAWAPAY_WALLET_OUT_OF_FUNDS',
  operator_configuration: 'AUTHORISATION_ERROR',
}

/** The code with which an operation has failed. */
const atTheEnd: Readonly<Record<string, string>> = {
  payer_declined: 'PAYMENT_NOT_APPROVED',
  payer_timeout: 'PAYMENT_NOT_APPROVED',
  payer_wrong_code: 'PAYMENT_NOT_APPROVED',
  payer_insufficient_funds: 'INSUFFICIENT_BALANCE',
  payment_in_progress: 'PAYMENT_IN_PROGRESS',
  payer_not_found: 'PAYER_NOT_FOUND',
  payer_limit_reached: 'PAYER_LIMIT_REACHED',
  recipient_not_found: 'RECIPIENT_NOT_FOUND',
  recipient_limit_reached: 'RECIPIENT_LIMIT_REACHED',
  operator_float_insufficient: 'INSUFFICIENT_BALANCE',
  cancelled: 'MANUALLY_CANCELLED',
}

const messages: Readonly<Record<string, string>> = {
  AMOUNT_OUT_OF_BOUNDS: 'The amount is outside the bounds of the provider.',
  INVALID_PHONE_NUMBER: 'The phone number is not one of the provider.',
  PAYMENT_NOT_APPROVED: 'The payer did not approve the payment.',
  INSUFFICIENT_BALANCE: 'The balance is too low.',
  PROVIDER_TEMPORARILY_UNAVAILABLE: 'The provider is unavailable. Try again later.',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'The wallet does not hold enough money.',
  UNKNOWN_ERROR: 'Unable to process the request.',
}

const isOwn = (reason: string): boolean => /^[A-Z_]+$/.test(reason)

/** The code that refuses an order of a kind at once, for a reason of the core or in pawaPay's own words. */
export function initiationCode(kind: Kind, reason: string): string {
  if (reason === 'operator_account_blocked') return `${kind.toUpperCase()}S_NOT_ALLOWED`
  return isOwn(reason) ? reason : (atInitiation[reason] ?? 'INVALID_STATE')
}

export function failureReason(code: string, message?: string): { failureCode: string; failureMessage: string } {
  return { failureCode: code, failureMessage: message ?? messages[code] ?? `The request was refused: ${code}.` }
}

export function finalReason(reason: string): { failureCode: string; failureMessage: string } {
  return failureReason(isOwn(reason) ? reason : (atTheEnd[reason] ?? 'UNSPECIFIED_FAILURE'))
}

/** An answer that refuses. With an id it says `REJECTED`; a 401, 403 or 500 carries no status. */
export function rejected(code: string, id: Record<string, string> = {}, message?: string): TwinAnswer {
  const status = statusOf[code] ?? 200
  const says = status === 200 || status === 400 ? { status: 'REJECTED' } : {}
  return { status, body: { ...id, ...says, failureReason: failureReason(code, message) } }
}
