import type { FailureCode } from '../../values/failure-codes.ts'
import { evidenceOf } from '../operator-api/answer-evidence.ts'
import { type Fields, objectIn, unlisted, wordTable } from '../operator-api/answer-words.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import type { ReplyWithToken } from '../operator-api/operator-token.ts'
import { anotherNumber, statesAnother } from '../operator-api/stated-number.ts'
import { francsBelow, wholeFrancs, writtenText } from '../operator-api/whole-francs.ts'
import type { Evidence, NextAction, Order, ReadOutcome, SendOutcome } from '../port.ts'

// MTN's words with our meanings. An unknown word decides nothing.

/** The `code` of an order with status 500, for errors of the contract: MTN did not accept the order. Any other code leaves it unknown. */
export const orderRefusals = wordTable<FailureCode>({
  NOT_ALLOWED: 'operator_account_blocked',
  NOT_ALLOWED_TARGET_ENVIRONMENT: 'operator_configuration',
  INVALID_CALLBACK_URL_HOST: 'operator_configuration',
  INVALID_CURRENCY: 'operator_configuration',
})

/** The `code` of a 5xx answer when MTN itself does not know the outcome. */
const doubts: ReadonlySet<unknown> = new Set(['INTERNAL_PROCESSING_ERROR', 'SERVICE_UNAVAILABLE', undefined])

/** The `status` of an operation. `CREATED` is undocumented; others saw it for a few seconds on the sandbox. */
export const operationStates = wordTable({
  CREATED: 'pending',
  PENDING: 'pending',
  SUCCESSFUL: 'settled',
  FAILED: 'refused',
})

/**
 * The `reason` of a failed operation: first for a collection, then for a payout or refund, where MTN's payer is us. Null
 * when the reason has no meaning for that direction.
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

/** Reasons that do not end an operation, although its status is `FAILED`: it is still in progress, or MTN could not read it. */
export const unsettledReasons: ReadonlySet<string> = new Set([
  'ONGOING',
  'DELAYED',
  'PAYER_DELAYED',
  'PENDING',
  'RESOURCE_NOT_FOUND',
  'RESOURCE_ALREADY_EXIST',
])

/** Reasons of a failed payout or refund that can hide others, such as our own insufficient float. We alert people to them. */
export const vagueReasons: ReadonlySet<string> = new Set(['COULD_NOT_PERFORM_TRANSACTION', 'INTERNAL_PROCESSING_ERROR'])

/**
 * Reads the reply to an order.
 * @param prompt the payer's next step, if there is one
 */
export function translateOrder(reply: ReplyWithToken, prompt: NextAction | null): SendOutcome {
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
      const failure_code = reply.status === 500 ? orderRefusals.get(code) : undefined
      if (failure_code !== undefined) return { kind: 'refused', failure_code, evidence }
      return { kind: 'unknown', ...(reply.status < 500 || doubts.has(code) ? {} : unlisted(code)), evidence }
    }
  }
}

/** Reads a refused token. The order was not sent. */
function withoutToken({ reply }: { reply: Extract<ReplyWithToken, { kind: 'no_token' }>['reply'] }): SendOutcome {
  const evidence: Evidence = { call: 'token', ...tokenEvidence(reply) }
  const code = reply.kind === 'answered' ? objectIn(reply.json)?.code : undefined
  const refused = reply.kind === 'answered' && (reply.status === 401 || orderRefusals.has(code))
  return refused
    ? { kind: 'refused', failure_code: 'operator_configuration', evidence }
    : { kind: 'not_sent', evidence }
}

/**
 * Reads the reply to a question about an operation.
 * @param currency the currency of the contract
 */
export function translateOperation(reply: ReplyWithToken, order: Order, currency: string): ReadOutcome {
  if (reply.kind === 'no_token') return { kind: 'unknown', evidence: { call: 'token', ...tokenEvidence(reply.reply) } }
  const body = reply.kind === 'answered' ? objectIn(reply.json) : null
  if (reply.kind !== 'answered' || body === null) return { kind: 'unknown', evidence: evidenceOf(reply) }
  const evidence = evidenceOf(reply, wordsOf(body))
  // A gateway also answers 404 for an unknown address, with other words.
  if (reply.status === 404 && body.code === 'RESOURCE_NOT_FOUND') return { kind: 'not_found', evidence }
  if (reply.status !== 200 || !isAbout(body, order.reference)) return { kind: 'unknown', evidence }

  if (statesAnother(partyIn(body, order), order)) return { kind: 'unknown', ...anotherNumber, evidence }
  const operator_reference = transactionIn(body)
  const kept = { ...(operator_reference === null ? {} : { operator_reference }), evidence }
  switch (operationStates.get(body.status)) {
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

/** The number of the payer of a collection or the recipient of a payout. Null when the answer names the party in another way, or not at all. */
function partyIn(body: Fields, { direction }: Order): unknown {
  const party = objectIn(direction === 'collect' ? body.payer : body.payee)
  return party?.partyIdType === 'MSISDN' ? party.partyId : null
}

function failed(
  body: Fields,
  { direction }: Order,
  kept: { operator_reference?: string; evidence: Evidence },
): ReadOutcome {
  const told = reasonIn(body)
  const reason = writtenText(told) ?? ''
  if (unsettledReasons.has(reason)) return { kind: 'pending', ...kept }
  if (direction === 'collect') {
    // One that cannot be read may be one that does not end an operation.
    if (reason === '' && told !== undefined) return { kind: 'unknown', ...unlisted(told), evidence: kept.evidence }
    const failure_code = operationFailures.get(reason)?.collect ?? null
    if (failure_code !== null) return { kind: 'refused', failure_code, ...kept }
    return { kind: 'refused', failure_code: 'operator_refused', ...unlisted(told), ...kept }
  }
  // MTN's sandbox answers "payer not found" for an unknown recipient.
  const recipient = reason === 'PAYER_NOT_FOUND' && objectIn(body.payee) !== null
  const failure_code = recipient ? 'recipient_not_found' : (operationFailures.get(reason)?.out ?? null)
  // The money of a payout that failed for an unknown reason stays in flight until people decide.
  if (failure_code === null) return { kind: 'unknown', ...unlisted(told), evidence: kept.evidence }
  return { kind: 'refused', failure_code, ...(vagueReasons.has(reason) ? { unlisted: reason } : {}), ...kept }
}

/** The currency of an answer: `XOF` for that of the contract, because the sandbox calls francs EUR. Null when missing, or unexpected there. */
function statedCurrency(stated: unknown, ofContract: string): string | null {
  if (typeof stated !== 'string') return null
  if (stated === ofContract) return 'XOF'
  return ofContract === 'XOF' ? stated : null
}

/** Reads a balance in francs, with the currency of the contract. Null when it cannot be read. */
export function readBalance(reply: ReplyWithToken): { amount: number; currency: string } | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  const amount = francsBelow(body?.availableBalance)
  const currency = body?.currency
  return amount === null || typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency) ? null : { amount, currency }
}

/** The name of an account's holder, which we compare and do not keep. Null when MTN does not state it. Either field can be absent. */
export function holderIn(reply: ReplyWithToken): string | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  const told = [body?.given_name, body?.family_name].filter((part) => typeof part === 'string' && part.trim() !== '')
  return told.length === 0 ? null : told.join(' ')
}

/** The words of an operation, a callback or a refusal that we keep as evidence. */
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

/** Whether MTN's gateway refused a call for its subscription key. It then carried nothing out. */
export function refusesKey(reply: OperatorReply): boolean {
  const message = reply.kind === 'answered' && reply.status === 401 ? objectIn(reply.json)?.message : undefined
  return typeof message === 'string' && /subscription key/i.test(message)
}

/** The evidence of a refused token. We keep no successful answer, because its body contains a token. */
function tokenEvidence(reply: Extract<ReplyWithToken, { kind: 'no_token' }>['reply']): Evidence {
  const { code, message, statusCode } = (reply.kind === 'answered' ? objectIn(reply.json) : null) ?? {}
  return evidenceOf(reply, { code: code ?? statusCode, message })
}

/** The schema has an object here, and several real answers have a text. */
function reasonIn({ reason }: Fields): unknown {
  const fields = objectIn(reason)
  return fields === null ? reason : fields.code
}

/** Reads our reference from `externalId`. */
function isAbout({ externalId }: Fields, reference: string): boolean {
  return typeof externalId === 'string' && externalId.toLowerCase() === reference
}

function namesParty({ message }: Fields): boolean {
  return typeof message === 'string' && /\b(?:party|partyId|partyIdType|msisdn|payer|payee)\b/i.test(message)
}

/** The schema has a text here, and some examples have a number. */
function transactionIn({ financialTransactionId: id }: Fields): string | null {
  const text = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id
  return typeof text === 'string' && /^[\x21-\x7e]{1,100}$/.test(text) ? text : null
}
