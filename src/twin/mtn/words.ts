import type { Operation } from '../state.ts'
import type { TwinAnswer } from '../wire.ts'

const messages: Readonly<Record<string, string>> = {
  RESOURCE_NOT_FOUND: 'Requested resource was not found.',
  RESOURCE_ALREADY_EXIST: 'Duplicated reference id.',
  NOT_ALLOWED: 'Authorization failed. Insufficient permissions.',
  NOT_ALLOWED_TARGET_ENVIRONMENT: 'Access to target environment is forbidden.',
  INVALID_CALLBACK_URL_HOST: 'Callback URL with different host name than configured for API user.',
  INVALID_CURRENCY: 'Currency not supported.',
  INTERNAL_PROCESSING_ERROR: 'An internal error occurred while processing.',
  SERVICE_UNAVAILABLE: 'Service temporarily unavailable, try again later.',
  PAYER_LIMIT_REACHED: "The payer's limit has been breached.",
  NOT_ENOUGH_FUNDS: 'The payer does not have enough funds.',
}

const statuses: Readonly<Record<string, number>> = {
  RESOURCE_NOT_FOUND: 404,
  RESOURCE_ALREADY_EXIST: 409,
  NOT_ALLOWED: 500,
  NOT_ALLOWED_TARGET_ENVIRONMENT: 500,
  INVALID_CALLBACK_URL_HOST: 500,
  INVALID_CURRENCY: 500,
  INTERNAL_PROCESSING_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
}

/** MTN's word at the order itself, for a reason of the core. A word of MTN's stays as it is. */
const atTheOrder: Readonly<Record<string, string>> = {
  operator_account_blocked: 'NOT_ALLOWED',
  operator_configuration: 'NOT_ALLOWED_TARGET_ENVIRONMENT',
  operator_unavailable: 'SERVICE_UNAVAILABLE',
}

/** MTN's word for why an operation has failed: of a collection, and of money that goes out. */
const atTheEnd: Readonly<Record<string, readonly [collection: string, out: string]>> = {
  payer_declined: ['APPROVAL_REJECTED', 'APPROVAL_REJECTED'],
  payer_wrong_code: ['APPROVAL_REJECTED', 'APPROVAL_REJECTED'],
  payer_timeout: ['EXPIRED', 'EXPIRED'],
  payer_insufficient_funds: ['NOT_ENOUGH_FUNDS', 'NOT_ENOUGH_FUNDS'],
  payer_not_found: ['PAYER_NOT_FOUND', 'PAYER_NOT_FOUND'],
  payer_limit_reached: ['PAYER_LIMIT_REACHED', 'PAYER_LIMIT_REACHED'],
  payer_account_blocked: ['SENDER_ACCOUNT_NOT_ACTIVE', 'SENDER_ACCOUNT_NOT_ACTIVE'],
  recipient_not_found: ['PAYEE_NOT_FOUND', 'PAYEE_NOT_FOUND'],
  recipient_account_blocked: ['PAYEE_NOT_ALLOWED_TO_RECEIVE', 'PAYEE_NOT_ALLOWED_TO_RECEIVE'],
  recipient_limit_reached: ['PAYEE_LIMIT_REACHED', 'PAYEE_LIMIT_REACHED'],
  operator_float_insufficient: ['INTERNAL_PROCESSING_ERROR', 'NOT_ENOUGH_FUNDS'],
  operator_account_blocked: ['PAYEE_NOT_ALLOWED_TO_RECEIVE', 'SENDER_ACCOUNT_NOT_ACTIVE'],
  operator_configuration: ['NOT_ALLOWED_TARGET_ENVIRONMENT', 'NOT_ALLOWED_TARGET_ENVIRONMENT'],
  operator_unavailable: ['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'],
  cancelled: ['TRANSACTION_CANCELED', 'TRANSACTION_CANCELED'],
}

const isOwn = (reason: string): boolean => /^[A-Z_]+$/.test(reason)

/** The word of a final failure. */
export function endingWord({ direction, reason }: Operation): string {
  const said = reason ?? 'operator_refused'
  if (isOwn(said)) return said
  return atTheEnd[said]?.[direction === 'collection' ? 0 : 1] ?? 'INTERNAL_PROCESSING_ERROR'
}

export function messageOf(word: string): string {
  return messages[word] ?? `The operation was not carried out: ${word}.`
}

/** An answer of the API itself. */
export function said(word: string, unverified?: string): TwinAnswer {
  return {
    status: statuses[word] ?? 400,
    body: { code: word, message: messageOf(word) },
    ...(unverified === undefined ? {} : { unverified }),
  }
}

/** The answer to an order that a script refuses at once. */
export function refusedAtOnce(reason: string): TwinAnswer {
  const word = isOwn(reason) ? reason : atTheOrder[reason]
  if (word !== undefined) return said(word)
  return badRequest('The request cannot be taken.')
}

/** @param message in words that say which part is wrong */
export function badRequest(message: string): TwinAnswer {
  return {
    status: 400,
    body: { code: 'BAD_REQUEST', message },
    unverified: 'The body of a 400, and whether it has one.',
  }
}

/** An answer of the gateway in front of the API. */
export function gateway(statusCode: number, message: string, unverified?: string): TwinAnswer {
  return { status: statusCode, body: { statusCode, message }, ...(unverified === undefined ? {} : { unverified }) }
}

/** An answer of the firewall in front of everything. */
export function firewall(status: number, unverified?: string): TwinAnswer {
  return {
    status,
    headers: { 'Content-Type': 'text/html' },
    body: '<html><head><title>Request Rejected</title></head><body>The requested URL was rejected.</body></html>',
    ...(unverified === undefined ? {} : { unverified }),
  }
}
