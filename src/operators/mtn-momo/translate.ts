import type { FailureCode } from '../../values/failure-codes.ts'
import { evidenceOf } from '../operator-api/answer-evidence.ts'
import { type Fields, objectIn, unlisted, wordTable } from '../operator-api/answer-words.ts'
import { anotherNumber, statesAnother } from '../operator-api/stated-number.ts'
import { francsBelow, wholeFrancs } from '../operator-api/whole-francs.ts'
import type { Evidence, NextAction, Order, ReadOutcome, SendOutcome } from '../port.ts'
import type { ProductReply } from './client.ts'

// MTN's words, each beside what it means to us. A word without a row decides nothing.

/** The `code` of an order that was answered 500: mistakes of the contract, for which nothing was taken. Any other is unknown. */
export const orderRefusals = wordTable<FailureCode>({
  NOT_ALLOWED: 'operator_account_blocked',
  NOT_ALLOWED_TARGET_ENVIRONMENT: 'operator_configuration',
  INVALID_CALLBACK_URL_HOST: 'operator_configuration',
  INVALID_CURRENCY: 'operator_configuration',
})

/** The `code` of an answer 5xx that says that MTN does not know either. */
const doubts: ReadonlySet<unknown> = new Set(['INTERNAL_PROCESSING_ERROR', 'SERVICE_UNAVAILABLE', undefined])

/** The `status` of an operation. `CREATED` is not in the documentation, and was seen for a few seconds. */
export const operationStates = wordTable({
  CREATED: 'pending',
  PENDING: 'pending',
  SUCCESSFUL: 'settled',
  FAILED: 'refused',
})

/**
 * The `reason` of an operation that failed: of a collection, and of money that goes out, where MTN's payer is we ourselves. Null: it says
 * nothing there.
 */
export const operationFailures = wordTable<Readonly<Record<'collect' | 'out', FailureCode | null>>>({
  PAYER_NOT_FOUND: { collect: 'payer_not_found', out: 'operator_configuration' },
  PAYEE_NOT_FOUND: { collect: 'operator_configuration', out: 'recipient_not_found' },
  NOT_ENOUGH_FUNDS: { collect: 'payer_insufficient_funds', out: 'operator_float_insufficient' },
  PAYER_LIMIT_REACHED: { collect: 'payer_limit_reached', out: 'operator_float_insufficient' },
  PAYEE_NOT_ALLOWED_TO_RECEIVE: { collect: 'operator_account_blocked', out: 'recipient_account_blocked' },
  PAYEE_LIMIT_REACHED: { collect: 'operator_account_blocked', out: 'recipient_limit_reached' },
  PAYMENT_NOT_APPROVED: { collect: 'payer_declined', out: 'operator_refused' },
  APPROVAL_REJECTED: { collect: 'payer_declined', out: 'operator_refused' },
  EXPIRED: { collect: 'payer_timeout', out: 'operator_refused' },
  COULD_NOT_PERFORM_TRANSACTION: { collect: 'payer_timeout', out: 'operator_refused' },
  TRANSACTION_CANCELED: { collect: 'payer_declined', out: 'cancelled' },
  SENDER_ACCOUNT_NOT_ACTIVE: { collect: 'payer_account_blocked', out: 'operator_account_blocked' },
  NOT_ALLOWED: { collect: 'operator_configuration', out: 'operator_configuration' },
  NOT_ALLOWED_TARGET_ENVIRONMENT: { collect: 'operator_configuration', out: 'operator_configuration' },
  INVALID_CALLBACK_URL_HOST: { collect: 'operator_configuration', out: 'operator_configuration' },
  INVALID_CURRENCY: { collect: 'operator_configuration', out: 'operator_configuration' },
  TRANSFER_TYPE_UNKNOWN: { collect: 'operator_configuration', out: 'operator_configuration' },
  SERVICE_UNAVAILABLE: { collect: 'operator_unavailable', out: 'operator_unavailable' },
  INTERNAL_PROCESSING_ERROR: { collect: 'operator_refused', out: 'operator_refused' },
})

/** Reasons that stand beside `FAILED` and end nothing: the operation is still under way, or was read badly. */
export const unsettledReasons: ReadonlySet<string> = new Set([
  'ONGOING',
  'DELAYED',
  'PAYER_DELAYED',
  'PENDING',
  'RESOURCE_NOT_FOUND',
  'RESOURCE_ALREADY_EXIST',
])

/** Reasons of money that did not go out that hide others, our own short float among them: people are told. */
export const vagueReasons: ReadonlySet<string> = new Set(['COULD_NOT_PERFORM_TRANSACTION', 'INTERNAL_PROCESSING_ERROR'])

/** Reads the reply to an order. @param prompt the payer's next step, where one is asked */
export function translateOrder(reply: ProductReply, prompt: NextAction | null): SendOutcome {
  if (reply.kind === 'no_token') return withoutToken(reply)
  if (reply.kind === 'not_sent') return { kind: 'not_sent', evidence: evidenceOf(reply) }
  if (reply.kind === 'lost') return { kind: 'unknown', evidence: evidenceOf(reply) }
  const body = objectIn(reply.json)
  const evidence = evidenceOf(reply, wordsOf(body ?? {}))
  const code = body?.code
  switch (reply.status) {
    case 202:
      return { kind: 'accepted', ...(prompt === null ? {} : { next_action: prompt }), evidence }
    case 409:
      if (code === 'RESOURCE_ALREADY_EXIST') return { kind: 'duplicate', evidence }
      return { kind: 'unknown', ...unlisted(code), evidence }
    case 400:
      // A firewall that answers with a page says nothing about MTN behind it.
      if (body === null) return { kind: 'unknown', evidence }
      return { kind: 'refused', failure_code: namesParty(body) ? 'invalid_number' : 'operator_configuration', evidence }
    case 401:
    case 403:
    case 404:
      return { kind: 'refused', failure_code: 'operator_configuration', evidence }
    default: {
      const failure_code = reply.status === 500 ? orderRefusals.get(String(code)) : undefined
      if (failure_code !== undefined) return { kind: 'refused', failure_code, evidence }
      return { kind: 'unknown', ...(reply.status < 500 || doubts.has(code) ? {} : unlisted(code)), evidence }
    }
  }
}

/** There was no token, so that nothing of the order has left. */
function withoutToken({ reply }: { reply: Extract<ProductReply, { kind: 'no_token' }>['reply'] }): SendOutcome {
  const evidence: Evidence = { call: 'token', ...tokenEvidence(reply) }
  const code = reply.kind === 'answered' ? objectIn(reply.json)?.code : undefined
  const refused = reply.kind === 'answered' && (reply.status === 401 || orderRefusals.has(String(code)))
  return refused
    ? { kind: 'refused', failure_code: 'operator_configuration', evidence }
    : { kind: 'not_sent', evidence }
}

/** Reads the reply to a question about an operation. @param currency that of the contract */
export function translateOperation(reply: ProductReply, order: Order, currency: string): ReadOutcome {
  if (reply.kind === 'no_token') return { kind: 'unknown', evidence: { call: 'token', ...tokenEvidence(reply.reply) } }
  const body = reply.kind === 'answered' ? objectIn(reply.json) : null
  if (reply.kind !== 'answered' || body === null) return { kind: 'unknown', evidence: evidenceOf(reply) }
  const evidence = evidenceOf(reply, wordsOf(body))
  // A gateway answers 404 as well, in other words, for an address that does not exist.
  if (reply.status === 404 && body.code === 'RESOURCE_NOT_FOUND') return { kind: 'not_found', evidence }
  if (reply.status !== 200 || !isAbout(body, order.reference)) return { kind: 'unknown', evidence }

  if (statesAnother(partyIn(body), order)) return { kind: 'unknown', ...anotherNumber, evidence }
  const operator_reference = transactionIn(body)
  const kept = { ...(operator_reference === null ? {} : { operator_reference }), evidence }
  switch (operationStates.get(String(body.status))) {
    case 'pending':
      return { kind: 'pending', ...kept }
    case 'settled': {
      const amount = wholeFrancs(body.amount)
      const stated = statedCurrency(body.currency, currency)
      if (amount === null || stated === null) return { kind: 'unknown', evidence }
      return { kind: 'settled', amount, currency: stated, ...kept }
    }
    case 'refused':
      return failed(body, order, kept)
    default:
      return { kind: 'unknown', ...unlisted(body.status), evidence }
  }
}

/** The number of the payer or the recipient; null: the party is named in another way. */
function partyIn(body: Fields): unknown {
  const party = objectIn(body.payer ?? body.payee)
  return party?.partyIdType === 'MSISDN' ? party.partyId : null
}

function failed(
  body: Fields,
  { direction }: Order,
  kept: { operator_reference?: string; evidence: Evidence },
): ReadOutcome {
  const reason = String(reasonIn(body))
  if (unsettledReasons.has(reason)) return { kind: 'pending', ...kept }
  if (direction === 'collect') {
    const failure_code = operationFailures.get(reason)?.collect ?? null
    if (failure_code !== null) return { kind: 'refused', failure_code, ...kept }
    return { kind: 'refused', failure_code: 'operator_refused', ...unlisted(reasonIn(body)), ...kept }
  }
  // MTN's own sandbox says of an unknown recipient that the payer was not found.
  const recipient = reason === 'PAYER_NOT_FOUND' && objectIn(body.payee) !== null
  const failure_code = recipient ? 'recipient_not_found' : (operationFailures.get(reason)?.out ?? null)
  // The money of a payout whose failure has no known reason is held until people have looked.
  if (failure_code === null) return { kind: 'unknown', ...unlisted(reasonIn(body)), evidence: kept.evidence }
  return { kind: 'refused', failure_code, ...(vagueReasons.has(reason) ? { unlisted: reason } : {}), ...kept }
}

/** The sandbox's amounts are francs under another name. Null: the currency is none, or says what the contract does not. */
function statedCurrency(stated: unknown, ofContract: string): string | null {
  if (typeof stated !== 'string') return null
  if (stated === ofContract) return 'XOF'
  return ofContract === 'XOF' ? stated : null
}

/** Reads a balance: francs, by the currency of the contract. Null: it cannot be read. */
export function readBalance(reply: ProductReply): { amount: number; currency: string } | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  const amount = francsBelow(body?.availableBalance)
  const currency = body?.currency
  return amount === null || typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency) ? null : { amount, currency }
}

/** The name of an account's holder, to be compared and forgotten; null: MTN does not tell it. Each of its two fields may be absent. */
export function holderIn(reply: ProductReply): string | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  const told = [body?.given_name, body?.family_name].filter((part) => typeof part === 'string' && part.trim() !== '')
  return told.length === 0 ? null : told.join(' ')
}

/** The words of an operation, a callback or a refusal that are kept as evidence. */
export function wordsOf(body: Fields): Fields {
  const { status, amount, currency, code, message, statusCode } = body
  const reason = objectIn(body.reason)
  return {
    status,
    amount,
    currency,
    reason: reasonIn(body),
    reason_message: reason?.message,
    code: code ?? statusCode,
    message,
  }
}

/** A token is in the body of a good answer: only what a refusal says is kept. */
function tokenEvidence(reply: Extract<ProductReply, { kind: 'no_token' }>['reply']): Evidence {
  const { code, message, statusCode } = (reply.kind === 'answered' ? objectIn(reply.json) : null) ?? {}
  return evidenceOf(reply, { code: code ?? statusCode, message })
}

/** An object by the schema, and a bare text in several real answers. */
function reasonIn({ reason }: Fields): unknown {
  return typeof reason === 'string' ? reason : objectIn(reason)?.code
}

/** Our reference stands in `externalId`. */
function isAbout({ externalId }: Fields, reference: string): boolean {
  return typeof externalId === 'string' && externalId.toLowerCase() === reference
}

function namesParty({ message }: Fields): boolean {
  return typeof message === 'string' && /\b(?:party|partyId|partyIdType|msisdn|payer|payee)\b/i.test(message)
}

/** A text by the schema, and a number in some examples. */
function transactionIn({ financialTransactionId: id }: Fields): string | null {
  const text = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id
  return typeof text === 'string' && /^[\x21-\x7e]{1,100}$/.test(text) ? text : null
}
