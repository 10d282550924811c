import type { FailureCode } from '../../values/failure-codes.ts'
import { evidenceOf } from '../operator-api/answer-evidence.ts'
import { type Fields, objectIn, unlisted, wordTable } from '../operator-api/answer-words.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import { payerPage } from '../operator-api/payer-page.ts'
import { anotherNumber, statesAnother } from '../operator-api/stated-number.ts'
import { francsBelow, wholeFrancs } from '../operator-api/whole-francs.ts'
import type { Evidence, NameMatch, NextAction, Order, ReadOutcome, SendOutcome } from '../port.ts'

// Wave's words with our meanings. An unknown word decides nothing, unless the HTTP status says that Wave refused everything.

type Kept = { operator_reference?: string; operator_state?: Evidence; evidence: Evidence }

/** The code of a refusal, with a status from 400 to 499. */
export const refusals = wordTable<FailureCode>({
  'request-validation-error': 'operator_configuration',
  'request-not-json': 'operator_configuration',
  'request-parsing-error': 'operator_configuration',
  'currency-mismatch': 'operator_configuration',
  'aggregated-merchant-required': 'operator_configuration',
  'country-mismatch': 'invalid_number',
  'missing-auth-header': 'operator_configuration',
  'invalid-auth': 'operator_configuration',
  'api-key-not-provided': 'operator_configuration',
  'no-matching-api-key': 'operator_configuration',
  'api-key-revoked': 'operator_configuration',
  'invalid-wallet': 'operator_account_blocked',
  'disabled-wallet': 'operator_account_blocked',
  'unauthorized-wallet': 'operator_account_blocked',
  'insufficient-funds': 'operator_float_insufficient',
  'recipient-minor': 'recipient_account_blocked',
  'recipient-account-blocked': 'recipient_account_blocked',
  'recipient-account-inactive': 'recipient_account_blocked',
  'recipient-limit-exceeded': 'recipient_limit_reached',
  'checkout-refund-failed': 'operator_refused',
})

/** The HTTP statuses with which Wave refuses whatever the code, and the failure code for an unknown one. */
const refusingStatuses: ReadonlyMap<number, FailureCode> = new Map([
  [400, 'operator_refused'],
  [401, 'operator_configuration'],
  [403, 'operator_configuration'],
  [404, 'operator_refused'],
  [422, 'operator_refused'],
])

/** `checkout_status` and `payment_status` of a session. `lapsing`: the session counts as lapsed ten minutes after its end. */
const sessionStates = wordTable({
  'open processing': 'pending',
  'open cancelled': 'pending',
  'complete processing': 'pending',
  'complete succeeded': 'settled',
  'expired processing': 'lapsing',
  'expired cancelled': 'lapsed',
})

/** The `status` of a payout. `reversed` is for people to decide, because we reverse no payout. */
const payoutStates = wordTable({ processing: 'pending', succeeded: 'settled', failed: 'refused' })

/** The `last_payment_error` about our own wallet. We alert people to it. */
const OUR_CEILING = 'kyb-limits-exceeded'

/** Milliseconds after the end of a session during which a payment in progress can still arrive. */
const LAPSES_AFTER_MS = 600_000

/**
 * Reads the reply to a new session.
 * @param plain whether the payer's page may be plain http, as on the twin
 */
export function translateNewSession(reply: OperatorReply, order: Order, plain: boolean): SendOutcome {
  return translateNew(reply, (body) => readSession(body, reply, order, plain))
}

/** Reads the reply to a new payout. */
export function translateNewPayout(reply: OperatorReply, order: Order): SendOutcome {
  return translateNew(reply, (body) => readPayout(body, reply, order))
}

/** Reads the reply to a refund. An empty reply means that Wave accepted it. */
export function translateNewRefund(reply: OperatorReply): SendOutcome {
  if (reply.kind === 'answered' && reply.status === 200 && reply.body === '') {
    return { kind: 'accepted', operator_state: { taken: true }, evidence: { http: 200 } }
  }
  return refusalIn(reply)
}

function translateNew(reply: OperatorReply, read: (body: Fields) => ReadOutcome): SendOutcome {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  if (body === null) return refusalIn(reply)
  const outcome = read(body)
  if (outcome.kind === 'pending') return { ...outcome, kind: 'accepted' }
  if (outcome.kind === 'refused') return { ...outcome, held: true }
  return outcome.kind === 'not_found' ? { kind: 'unknown', evidence: outcome.evidence } : outcome
}

/** The key was used for another payout: Wave holds an order under our reference, and did nothing new. */
const MISMATCH = 'idempotency-mismatch'

/** Reads a reply without success: refused when Wave says so, otherwise unknown. */
function refusalIn(reply: OperatorReply): SendOutcome {
  if (reply.kind === 'not_sent') return { kind: 'not_sent', evidence: evidenceOf(reply) }
  const { code } = errorIn(reply)
  const evidence = evidenceOf(reply, errorIn(reply))
  if (reply.kind === 'lost' || code === undefined) return { kind: 'unknown', evidence }
  const { status } = reply
  if (status < 400 || status > 499 || status === 408 || status === 429) return { kind: 'unknown', evidence }
  if (code === MISMATCH) return { kind: 'duplicate', evidence }
  const row = refusals.get(code)
  if (row !== undefined) return { kind: 'refused', failure_code: row, evidence }
  const failure_code = refusingStatuses.get(status)
  if (failure_code === undefined) return { kind: 'unknown', ...unlisted(code), evidence }
  return { kind: 'refused', failure_code, ...unlisted(code), evidence }
}

/**
 * Reads the reply to a question about one session, or about all under our reference.
 * @param plain whether the payer's page may be plain http, as on the twin
 */
export function translateSession(reply: OperatorReply, order: Order, plain: boolean): ReadOutcome {
  const found = foundIn(reply, sessionRank)
  return 'kind' in found ? found : readSession(found.body, reply, order, plain)
}

/** Reads the reply to a question about one payout, or about all under our reference. */
export function translatePayout(reply: OperatorReply, order: Order): ReadOutcome {
  const found = foundIn(reply, payoutRank)
  return 'kind' in found ? found : readPayout(found.body, reply, order)
}

// The order of several objects under one reference: one that succeeded counts first, and one that ended without money, or is about to, counts
// last, because another may still move it.
const sessionRank = (one: Fields): number => {
  if (one.payment_status === 'succeeded') return 3
  const state = sessionStates.get(stateOf(one))
  return state === 'lapsed' ? 0 : state === 'lapsing' ? 1 : 2
}
const payoutRank = ({ status }: Fields): number => (status === 'succeeded' ? 2 : status === 'failed' ? 0 : 1)

/**
 * The object that an answer is about. Of several, the one of the highest rank, then the newest. An unreadable list is not an empty one.
 * Only a search without a result, 200 with an empty list, says that Wave does not hold an order. A 404 to a search says that the address is
 * wrong, and a 404 to an id that Wave gave us, that the address or the key is another's.
 */
function foundIn(reply: OperatorReply, rank: (one: Fields) => number): { body: Fields } | ReadOutcome {
  const evidence = evidenceOf(reply, errorIn(reply))
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  if (body === null) return { kind: 'unknown', evidence }
  if (body.result === undefined) return { body }
  const { result } = body
  if (Array.isArray(result) && result.length === 0) return { kind: 'not_found', evidence }
  const ranked = objectsIn(result)?.toSorted((a, b) => rank(b) - rank(a) || (timeOf(a) < timeOf(b) ? 1 : -1))
  const first = ranked?.[0]
  return first === undefined ? { kind: 'unknown', evidence } : { body: first }
}

function stateOf({ checkout_status: page, payment_status: paid }: Fields): string | null {
  return typeof page === 'string' && typeof paid === 'string' ? `${page} ${paid}` : null
}

const timeOf = ({ when_created, timestamp }: Fields): string => String(when_created ?? timestamp)

function readSession(session: Fields, reply: OperatorReply, order: Order, plain: boolean): ReadOutcome {
  const evidence = evidenceOf(reply, sessionWords(session))
  const session_id = idIn(session.id)
  if (session_id === null || !isAbout(session, order)) return { kind: 'unknown', evidence }
  // Where nobody else may pay. Wave does not say who did.
  if (statesAnother(session.restrict_payer_mobile, order)) return { kind: 'unknown', ...anotherNumber, evidence }
  const operator_reference = idIn(session.transaction_id) ?? session_id
  const kept = { operator_reference, operator_state: { session_id }, evidence }
  const state = stateOf(session)
  switch (sessionStates.get(state)) {
    case 'pending': {
      const next_action = session.checkout_status === 'open' ? redirectIn(session, plain) : null
      return { kind: 'pending', ...kept, ...(next_action === null ? {} : { next_action }) }
    }
    case 'settled':
      return settled(session.amount, session.currency, kept)
    case 'lapsing':
      return isOver(session, reply)
        ? { kind: 'refused', failure_code: 'payer_timeout', ...kept }
        : { kind: 'pending', ...kept }
    case 'lapsed': {
      const hidden = objectIn(session.last_payment_error)?.code === OUR_CEILING ? unlisted(OUR_CEILING) : {}
      return { kind: 'refused', failure_code: 'payer_timeout', ...hidden, ...kept }
    }
    default:
      return { kind: 'unknown', ...unlisted(state), evidence }
  }
}

/** Uses Wave's clock from the answer, never ours. */
function isOver({ when_expires }: Fields, reply: OperatorReply): boolean {
  const date = reply.kind === 'answered' ? Date.parse(String(reply.headers.date)) : Number.NaN
  return date - Date.parse(String(when_expires)) >= LAPSES_AFTER_MS
}

function readPayout(payout: Fields, reply: OperatorReply, order: Order): ReadOutcome {
  const evidence = evidenceOf(reply, payoutWords(payout))
  const operator_reference = idIn(payout.id)
  if (operator_reference === null || !isAbout(payout, order)) return { kind: 'unknown', evidence }
  if (statesAnother(payout.mobile, order)) return { kind: 'unknown', ...anotherNumber, evidence }
  const kept = { operator_reference, evidence }
  switch (payoutStates.get(payout.status)) {
    case 'pending':
      return { kind: 'pending', ...kept }
    case 'settled':
      return settled(payout.receive_amount, payout.currency, kept, feeIn(payout))
    case 'refused': {
      const code = objectIn(payout.payout_error)?.error_code
      const row = refusals.get(code)
      if (row !== undefined) return { kind: 'refused', failure_code: row, ...kept }
      return { kind: 'refused', failure_code: 'operator_refused', ...unlisted(code), ...kept }
    }
    default:
      return { kind: 'unknown', ...unlisted(payout.status), evidence }
  }
}

/** The fee of a payout. Null when Wave does not state it, or states more than the amount itself, which is no fee. */
function feeIn({ fee, receive_amount }: Fields): number | null {
  const francs = wholeFrancs(fee)
  return francs !== null && francs <= (wholeFrancs(receive_amount) ?? 0) ? francs : null
}

/** @param charge Wave's fee on top of the amount; null when Wave does not state it */
function settled(written: unknown, currency: unknown, kept: Kept, charge: number | null = null): ReadOutcome {
  const amount = wholeFrancs(written)
  if (amount === null || typeof currency !== 'string') return { kind: 'unknown', evidence: kept.evidence }
  return { kind: 'settled', amount, currency, ...(charge === null ? {} : { charge }), ...kept }
}

/** A page of the list of transactions. Null when it cannot be read. */
export function readTransactions(reply: OperatorReply): { lines: readonly Fields[]; next: string | null } | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  const items = body?.items
  const lines = objectsIn(items)
  const page = objectIn(body?.page_info)
  // A row that we leave out could be anybody's money.
  if (lines === null || page === null || lines.length !== (items as unknown[]).length) return null
  if (page.has_next_page !== true) return { lines, next: null }
  return typeof page.end_cursor === 'string' ? { lines, next: page.end_cursor } : null
}

/** The refund of a session among the lines of a page, as an answer. Null when the page has none. */
export function refundAmong(lines: readonly Fields[], session_id: string, reply: OperatorReply): ReadOutcome | null {
  const line = lines.find(
    (one) => one.transaction_type === 'api_checkout_refund' && one.checkout_api_session_id === session_id,
  )
  if (line === undefined) return null
  const { transaction_type, transaction_id, amount, currency } = line
  const evidence = evidenceOf(reply, { transaction_type, transaction_id, amount, currency })
  const operator_reference = idIn(transaction_id)
  const kept = { ...(operator_reference === null ? {} : { operator_reference }), evidence }
  // Wave does not document the sign of outgoing amounts.
  return settled(typeof amount === 'string' ? amount.replace(/^-/, '') : amount, currency, kept)
}

/** The id of the paid session, in an answer about all sessions of a reference. Null when none was paid, or the answer is unreadable. */
export function paidSessionIn(reply: OperatorReply): string | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  return idIn(objectsIn(body?.result)?.find((one) => one.payment_status === 'succeeded')?.id)
}

/** Reads `balance` in whole francs. Null when it cannot be read, or is in another currency. */
export function readBalance(reply: OperatorReply): number | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  return body?.currency === 'XOF' ? francsBelow(body.amount) : null
}

/** The `name_match` of a recipient that was verified. Wave does not say how near a name has to be. */
const matchWords = wordTable<NameMatch>({ MATCH: 'match', NO_MATCH: 'no_match', NAME_NOT_KNOWN: 'unknown' })

/** Reads the reply to a verification. An unknown word gives `unknown`. */
export function readNameMatch(reply: OperatorReply): NameMatch {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  const word = body?.name_match
  return (typeof word === 'string' ? matchWords.get(word) : undefined) ?? 'unknown'
}

/** The code and the text of an error, in any of the three shapes that its documents and clients show. */
export function errorIn(reply: OperatorReply): { code: unknown; message: unknown } {
  const body = reply.kind === 'answered' ? objectIn(reply.json) : null
  const error = objectIn(body?.error) ?? body
  return { code: error?.code ?? error?.error_code, message: error?.message ?? error?.error_message }
}

/** The words of a session that we keep as evidence, from an answer or a webhook. */
export function sessionWords(session: Fields): Fields {
  const { id, checkout_status, payment_status, amount, currency, transaction_id, when_expires } = session
  const error = objectIn(session.last_payment_error)?.code
  return { id, checkout_status, payment_status, amount, currency, transaction_id, when_expires, payment_error: error }
}

function payoutWords({ id, status, receive_amount, fee, currency, payout_error }: Fields): Fields {
  const error = objectIn(payout_error)
  return { id, status, receive_amount, fee, currency, error: error?.error_code, message: error?.error_message }
}

/** The objects of a list, at most two thousand. Null when it is not a list. */
function objectsIn(list: unknown): Fields[] | null {
  if (!Array.isArray(list)) return null
  return list.slice(0, 2_000).flatMap((one): Fields[] => {
    const fields = objectIn(one)
    return fields === null ? [] : [fields]
  })
}

function isAbout({ client_reference }: Fields, { reference }: Order): boolean {
  return typeof client_reference === 'string' && client_reference.toLowerCase() === reference
}

function idIn(id: unknown): string | null {
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(id) ? id : null
}

function redirectIn({ wave_launch_url }: Fields, plain: boolean): NextAction | null {
  const url = payerPage(wave_launch_url, plain)
  return url === null ? null : { type: 'redirect', url, message: 'The payer pays in the Wave app.' }
}
