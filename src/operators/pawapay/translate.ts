import type { FailureCode } from '../../values/failure-codes.ts'
import { evidenceOf } from '../operator-api/answer-evidence.ts'
import { type Fields, objectIn, unlisted, wordTable } from '../operator-api/answer-words.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import { payerPage } from '../operator-api/payer-page.ts'
import { anotherNumber, statesAnother } from '../operator-api/stated-number.ts'
import { francsBelow, wholeFrancs } from '../operator-api/whole-francs.ts'
import type { Bounds, NextAction, Order, ReadOutcome, SendOutcome } from '../port.ts'

// pawaPay's words with our meanings. An unknown word decides nothing.

type Answered = Extract<OperatorReply, { kind: 'answered' }>

/** The `status` of an answer to an initiation. Anything else is unknown. */
export const initiations = wordTable({
  ACCEPTED: 'accepted',
  DUPLICATE_IGNORED: 'duplicate',
  REJECTED: 'refused',
})

/** The `failureCode` of a refused initiation, with HTTP 200 and `REJECTED`, or with 400, 401 or 403 and no `status`. */
export const initiationRefusals = wordTable<FailureCode>({
  NO_AUTHENTICATION: 'operator_configuration',
  AUTHENTICATION_ERROR: 'operator_configuration',
  AUTHORISATION_ERROR: 'operator_configuration',
  HTTP_SIGNATURE_ERROR: 'operator_configuration',
  INVALID_INPUT: 'operator_configuration',
  MISSING_PARAMETER: 'operator_configuration',
  UNSUPPORTED_PARAMETER: 'operator_configuration',
  INVALID_PARAMETER: 'operator_configuration',
  DUPLICATE_METADATA_FIELD: 'operator_configuration',
  INVALID_CURRENCY: 'operator_configuration',
  INVALID_PROVIDER: 'operator_configuration',
  DEPOSITS_NOT_ALLOWED: 'operator_account_blocked',
  PAYOUTS_NOT_ALLOWED: 'operator_account_blocked',
  REFUNDS_NOT_ALLOWED: 'operator_account_blocked',
  AMOUNT_OUT_OF_BOUNDS: 'amount_out_of_bounds',
  INVALID_AMOUNT: 'amount_out_of_bounds',
  AMOUNT_TOO_LARGE: 'amount_out_of_bounds',
  INVALID_PHONE_NUMBER: 'invalid_number',
  PROVIDER_TEMPORARILY_UNAVAILABLE: 'operator_unavailable',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'operator_float_insufficient',
  NOT_FOUND: 'operator_refused',
  INVALID_STATE: 'operator_refused',
  REFUND_IN_PROGRESS: 'operator_refused',
  DEPOSIT_ALREADY_REFUNDED: 'operator_refused',
  DEPOSIT_NOT_FOUND: 'operator_refused',
  DEPOSIT_NOT_COMPLETED: 'operator_refused',
})

/** The `status` of an operation. `IN_RECONCILIATION`: pawaPay itself does not know the outcome yet. `ENQUEUED`: only for payouts. */
export const operationStates = wordTable({
  ACCEPTED: 'pending',
  PROCESSING: 'pending',
  ENQUEUED: 'pending',
  IN_RECONCILIATION: 'pending',
  COMPLETED: 'settled',
  FAILED: 'refused',
})

/** The `failureCode` of a failed operation: first for a collection, then for a payout or refund. Null when it has no meaning there. */
export const operationFailures = wordTable<Readonly<Record<'collect' | 'out', FailureCode | null>>>({
  PAYMENT_NOT_APPROVED: { collect: 'payer_declined', out: null },
  INSUFFICIENT_BALANCE: { collect: 'payer_insufficient_funds', out: 'operator_float_insufficient' },
  PAYMENT_IN_PROGRESS: { collect: 'payment_in_progress', out: null },
  PAYER_NOT_FOUND: { collect: 'payer_not_found', out: null },
  PAYER_LIMIT_REACHED: { collect: 'payer_limit_reached', out: null },
  RECIPIENT_NOT_FOUND: { collect: null, out: 'recipient_not_found' },
  RECIPIENT_LIMIT_REACHED: { collect: null, out: 'recipient_limit_reached' },
  WALLET_LIMIT_REACHED: { collect: 'payer_limit_reached', out: 'recipient_limit_reached' },
  MANUALLY_CANCELLED: { collect: 'cancelled', out: 'cancelled' },
  UNSPECIFIED_FAILURE: { collect: 'operator_refused', out: 'operator_refused' },
  UNKNOWN_ERROR: { collect: 'operator_refused', out: 'operator_refused' },
})

/**
 * Reads the reply to an initiation.
 * @param prompt the payer's next step, if the operator sends a prompt to the phone at once
 */
export function translateInitiation(reply: OperatorReply, order: Order, prompt: NextAction | null): SendOutcome {
  if (reply.kind === 'not_sent') return { kind: 'not_sent', evidence: evidenceOf(reply) }
  const body = reply.kind === 'answered' ? objectIn(reply.json) : null
  if (reply.kind === 'lost' || body === null) return { kind: 'unknown', evidence: evidenceOf(reply) }
  const evidence = evidenceOf(reply, wordsOf(body))
  if (!isAbout(body, order)) return { kind: 'unknown', evidence }

  const { status } = body
  const code = failureCodeIn(body)
  if ([400, 401, 403].includes(reply.status) && (status === undefined || status === 'REJECTED')) {
    const failure_code = initiationRefusals.get(code)
    if (failure_code !== undefined) return { kind: 'refused', failure_code, evidence }
    return { kind: 'unknown', ...unlisted(code), evidence }
  }
  if (reply.status < 200 || reply.status > 299) return { kind: 'unknown', evidence }

  switch (initiations.get(status)) {
    case 'accepted':
      return { kind: 'accepted', ...(prompt === null ? {} : { next_action: prompt }), evidence }
    case 'duplicate':
      return { kind: 'duplicate', evidence }
    case 'refused': {
      // pawaPay did not accept it, for any reason except the one that means that it does not know.
      if (code === 'UNKNOWN_ERROR') return { kind: 'unknown', evidence }
      const failure_code = initiationRefusals.get(code)
      if (failure_code !== undefined) return { kind: 'refused', failure_code, evidence }
      return { kind: 'refused', failure_code: 'operator_refused', ...unlisted(code), evidence }
    }
    default:
      return { kind: 'unknown', ...unlisted(status), evidence }
  }
}

/**
 * Reads the reply to a question about an operation.
 * @param plain whether the payer's page may be plain http, as on the twin
 */
export function translateOperation(reply: OperatorReply, order: Order, plain: boolean): ReadOutcome {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  if (body === null) return { kind: 'unknown', evidence: evidenceOf(reply, wordsOf(bodyOf(reply))) }
  if (body.status === 'NOT_FOUND') return { kind: 'not_found', evidence: evidenceOf(reply, wordsOf(body)) }
  const data = objectIn(body.data)
  if (body.status !== 'FOUND' || data === null || !isAbout(data, order, 'named')) {
    return { kind: 'unknown', evidence: evidenceOf(reply, wordsOf(body)) }
  }

  const evidence = evidenceOf(reply, wordsOf(data))
  if (statesAnother(accountIn(data)?.phoneNumber, order)) return { kind: 'unknown', ...anotherNumber, evidence }
  const operator_reference = transactionIn(data)
  const kept = { ...(operator_reference === null ? {} : { operator_reference }), evidence }
  switch (operationStates.get(data.status)) {
    case 'pending': {
      const next_action = order.direction === 'collect' ? redirectIn(data, plain) : null
      return { kind: 'pending', ...kept, ...(next_action === null ? {} : { next_action }) }
    }
    case 'settled': {
      const amount = wholeFrancs(data.amount)
      const { currency } = data
      if (amount === null || typeof currency !== 'string') return { kind: 'unknown', evidence }
      return { kind: 'settled', amount, currency, ...kept }
    }
    case 'refused': {
      const code = failureCodeIn(data)
      const row = operationFailures.get(code)?.[order.direction === 'collect' ? 'collect' : 'out'] ?? null
      if (row !== null) return { kind: 'refused', failure_code: row, ...kept }
      return { kind: 'refused', failure_code: 'operator_refused', ...unlisted(code), ...kept }
    }
    default:
      return { kind: 'unknown', ...unlisted(data.status), evidence }
  }
}

/** One direction of one provider, in an account. */
export type ProviderTerms = {
  bounds: Bounds | null
  /** The address for callbacks in pawaPay's dashboard. Null when the answer does not state it. */
  callback_url: string | null
  /**
   * The code that a payer dials to see the prompt. `prompted`: the provider sends one by itself too, and the code brings it back
   * (`pinPromptRevivable`). Null when the answer states no code, or the prompt cannot be called.
   */
  dial: { code: string; prompted: boolean } | null
}

/** An account, as pawaPay describes it. */
export type Configuration = {
  signed_requests_only: boolean
  signed_callbacks: boolean
  /** By provider and `operationType`, as `MTN_MOMO_CIV DEPOSIT`. */
  terms: ReadonlyMap<string, ProviderTerms>
}

/** pawaPay's `operationType` for each of our directions. */
export const operationTypes = { collect: 'DEPOSIT', payout: 'PAYOUT', refund: 'REFUND' } as const

/** Reads the part of `active-conf` for francs in Côte d'Ivoire. Null when it cannot be read. */
export function readConfiguration(reply: OperatorReply): Configuration | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  if (body === null || !Array.isArray(body.countries)) return null
  const signatures = objectIn(body.signatureConfiguration)
  const terms = new Map<string, ProviderTerms>()
  for (const country of objectsIn(body.countries).filter((one) => one.country === 'CIV')) {
    for (const provider of objectsIn(country.providers)) {
      for (const currency of objectsIn(provider.currencies).filter((one) => one.currency === 'XOF')) {
        for (const [type, operation] of Object.entries(objectIn(currency.operationTypes) ?? {})) {
          const fields = objectIn(operation)
          if (fields !== null) terms.set(`${provider.provider} ${type}`, termsIn(fields))
        }
      }
    }
  }
  return {
    signed_requests_only: signatures?.signedRequestsOnly === true,
    signed_callbacks: signatures?.signedCallbacks === true,
    terms,
  }
}

function termsIn(fields: Fields): ProviderTerms {
  const { minAmount, maxAmount, callbackUrl, pinPrompt, pinPromptRevivable, pinPromptInstructions } = fields
  const min = wholeFrancs(minAmount)
  const max = francsBelow(maxAmount)
  const manual = pinPrompt === 'MANUAL'
  const code = manual || pinPromptRevivable === true ? dialCodeIn(pinPromptInstructions) : null
  return {
    bounds: min === null || max === null || min > max ? null : { min, max, step: 1 },
    callback_url: typeof callbackUrl === 'string' ? callbackUrl : null,
    dial: code === null ? null : { code, prompted: !manual },
  }
}

/** The short code of the first channel by USSD. It stands beside the channel's steps in two languages, and sometimes beside the channel. */
function dialCodeIn(instructions: unknown): string | null {
  const channels = objectsIn(objectIn(instructions)?.channels).filter(({ type }) => type === 'USSD')
  for (const channel of channels) {
    const steps = Object.values(objectIn(channel.instructions) ?? {}).flatMap(objectsIn)
    const codes = [channel, ...steps].map(({ variables }) => objectIn(variables)?.shortCode)
    const code = codes.find((one) => typeof one === 'string' && /^[*#][0-9*#]{1,20}$/.test(one))
    if (typeof code === 'string') return code
  }
  return null
}

/** Reads the balance in francs for Côte d'Ivoire from `wallet-balances`. Null when there is none, or it cannot be read. */
export function readBalance(reply: OperatorReply): number | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  const wallets = objectsIn(body?.balances).filter(({ country, currency }) => country === 'CIV' && currency === 'XOF')
  const amounts = wallets.map(({ balance }) => francsBelow(balance))
  if (amounts.length === 0 || amounts.includes(null)) return null
  return amounts.reduce<number>((sum, amount) => sum + amount!, 0)
}

/** The words of an operation that we keep as evidence, from an answer or a callback. */
export function wordsOf(body: Fields): Fields {
  const { status, nextStep, amount, currency, providerTransactionId } = body
  const failure = failureIn(body)
  return {
    status,
    next_step: nextStep,
    amount,
    currency,
    provider: accountIn(body)?.provider,
    provider_transaction: providerTransactionId,
    failure_code: failure?.failureCode ?? failure?.rejectionCode,
    failure_message: failure?.failureMessage ?? failure?.rejectionMessage,
  }
}

/** The account of the payer or the recipient. */
function accountIn(body: Fields): Fields | null {
  return objectIn(objectIn(body.payer ?? body.recipient)?.accountDetails)
}

/** The id of a callback's operation, in small letters. Null when there is none. A refund's callback can also name its deposit. */
export function idIn({ refundId, payoutId, depositId }: Fields): string | null {
  const id = refundId ?? payoutId ?? depositId
  return typeof id === 'string' ? id.toLowerCase() : null
}

/** The objects of a list, at most a hundred. */
function objectsIn(list: unknown): Fields[] {
  return Array.isArray(list)
    ? list
        .slice(0, 100)
        .map(objectIn)
        .filter((one) => one !== null)
    : []
}

const idFields = { collect: 'depositId', payout: 'payoutId', refund: 'refundId' } as const

/**
 * Whether an answer is about an order: by the id of its direction, and without that by our id under another name.
 * @param named absent: an answer without any id is about the order that it answers
 */
function isAbout(body: Fields, { direction, reference }: Order, named?: 'named'): boolean {
  const isOurs = (id: unknown) => typeof id === 'string' && id.toLowerCase() === reference
  const own = body[idFields[direction]]
  if (own !== undefined) return isOurs(own)
  const others = Object.values(idFields).flatMap((field) => body[field] ?? [])
  return others.length === 0 ? named === undefined : others.some(isOurs)
}

function bodyOf(reply: OperatorReply): Fields {
  return (reply.kind === 'answered' ? objectIn((reply as Answered).json) : null) ?? {}
}

/** One of pawaPay's guides shows the older names on refunds. */
function failureIn(body: Fields): Fields | null {
  return objectIn(body.failureReason) ?? objectIn(body.rejectionReason)
}

/** The code of a failure or a refusal, known or not. */
export function failureCodeIn(body: Fields): unknown {
  const failure = failureIn(body)
  return failure?.failureCode ?? failure?.rejectionCode
}

function transactionIn({ providerTransactionId: id }: Fields): string | null {
  return typeof id === 'string' && /^[\x21-\x7e]{1,100}$/.test(id) ? id : null
}

function redirectIn({ authorizationUrl }: Fields, plain: boolean): NextAction | null {
  const url = payerPage(authorizationUrl, plain)
  return url === null ? null : { type: 'redirect', url, message: "The payer approves on the operator's page." }
}
