import type { FailureCode } from '../../values/failure-codes.ts'
import { evidenceOf } from '../operator-api/answer-evidence.ts'
import { type Fields, objectIn, unlisted, wordTable } from '../operator-api/answer-words.ts'
import type { ReplyWithToken } from '../operator-api/operator-token.ts'
import { payerPage } from '../operator-api/payer-page.ts'
import { wholeFrancs, writtenText } from '../operator-api/whole-francs.ts'
import type { Evidence, NextAction, Order, ReadOutcome, SendOutcome } from '../port.ts'

// Orange's words with our meanings. An unknown word decides nothing.

/** The `code` of a refused announcement, with a status from 400 to 499. Codes from 21 to 60 are those of Orange's API platform. */
const announceRefusals = wordTable<FailureCode>({
  // A field is missing or wrong.
  ...Object.fromEntries([21, 22, 23, 24, 25, 26, 27, 28, 29].map((code) => [code, 'operator_configuration'])),
  // Credentials are missing, wrong, too old.
  40: 'operator_configuration',
  41: 'operator_configuration',
  42: 'operator_configuration',
  // Not allowed; more than was subscribed; no such address.
  50: 'operator_configuration',
  53: 'operator_configuration',
  60: 'operator_configuration',
  // The merchant may not; the merchant's key; the currency.
  1201: 'operator_account_blocked',
  1202: 'operator_configuration',
  1203: 'operator_configuration',
})

/** The order id was used already. Orange gives no page and moves no money. */
const USED = '1204'

/**
 * The state of an order whose id was used before we sent it: an earlier record of ours is lost (docs/decisions/0058), and with it the token.
 * Its page may be in a payer's hands.
 */
const usedBefore: Evidence = { announced: 'before' }

/** The `status` of an order, in any case of letters. */
const orderStates = wordTable<'opened' | 'pending' | 'settled' | FailureCode>({
  INITIATED: 'opened',
  PENDING: 'pending',
  SUCCESS: 'settled',
  // Orange never gives a reason.
  FAILED: 'operator_refused',
  EXPIRED: 'payer_timeout',
})

/** Milliseconds after which an order lapses if its payer has typed nothing, whatever Orange answers. Its page lives ten minutes. */
const LAPSED_MS = 30 * 60_000

/** Milliseconds after which no announcement can be in progress: it begins within 30 s, and its calls end within a minute. */
const ANNOUNCED_MS = 120_000

/** Our reference as an order id: 25 letters and digits, because Orange accepts at most 30 characters. */
export function orderIdOf(reference: string): string {
  return BigInt(`0x${reference.replaceAll('-', '')}`)
    .toString(36)
    .padStart(25, '0')
}

/** The reference of an order id, in any case of letters. Null when the order id is not ours. */
export function referenceOf(order_id: string): string | null {
  const id = order_id.toLowerCase()
  if (!/^[0-9a-z]{25}$/.test(id)) return null
  const number = [...id].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
  const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(number.toString(16).padStart(32, '0')) ?? []
  return parts.length === 0 ? null : parts.join('-')
}

/** The token from the reply to the announcement, which Orange requires to read a state. Null when that reply was lost. */
export function payTokenOf({ operator_state }: Order): string | null {
  const token = operator_state?.pay_token
  return typeof token === 'string' ? token : null
}

/**
 * Reads the reply to an announcement.
 * @param plain whether the payer's page may be plain http, as on the twin
 */
export function translateAnnouncement(reply: ReplyWithToken, plain: boolean): SendOutcome {
  if (reply.kind === 'no_token') return withoutToken(reply)
  if (reply.kind === 'not_sent') return { kind: 'not_sent', evidence: evidenceOf(reply) }
  const body = reply.kind === 'answered' ? objectIn(reply.json) : null
  if (reply.kind !== 'answered') return { kind: 'unknown', evidence: evidenceOf(reply) }
  const evidence = evidenceOf(reply, wordsOf(body ?? {}))
  const { status } = reply
  if (status === 406) return { kind: 'refused', failure_code: 'operator_configuration', evidence }
  if (body === null || status === 429 || status >= 500) return { kind: 'unknown', evidence }
  const code = writtenText(body.code)
  if (status >= 400) {
    if (code === USED) return { kind: 'duplicate', operator_state: usedBefore, evidence }
    const failure_code = announceRefusals.get(code)
    if (failure_code !== undefined) return { kind: 'refused', failure_code, evidence }
    return { kind: 'unknown', ...unlisted(code), evidence }
  }
  const operator_state = tokensIn(body)
  const next_action = pageIn(body, plain)
  const taken = (status === 200 || status === 201) && writtenText(body.status) === '201'
  if (!taken || operator_state === null || next_action === null) return { kind: 'unknown', evidence }
  return { kind: 'accepted', operator_state, next_action, evidence }
}

/** Reads a refused token. The order was not sent. */
function withoutToken({ reply }: Extract<ReplyWithToken, { kind: 'no_token' }>): SendOutcome {
  const evidence = { call: 'token', ...evidenceOf(reply) }
  const refused = reply.kind === 'answered' && [400, 401, 403].includes(reply.status)
  return refused
    ? { kind: 'refused', failure_code: 'operator_configuration', evidence }
    : { kind: 'not_sent', evidence }
}

/**
 * Decides about an order that we cannot read, because the reply to its announcement was lost. Nobody can pay it: only that
 * reply had the address of its page. So it has certainly failed, once no announcement can be in progress. An order that was
 * announced before, by a record that we lost, is for people: a payer may have the address.
 */
export function translateUnreadable({ operator_state, sent_ms_ago }: Order): ReadOutcome {
  if (operator_state?.announced === usedBefore.announced) {
    return {
      kind: 'unknown',
      evidence: { reason: 'it was announced before, and the token of that announcement is lost' },
    }
  }
  const evidence = { reason: "the reply with the page's address was lost, so that nobody can pay" }
  const over = sent_ms_ago !== null && sent_ms_ago > ANNOUNCED_MS
  return over ? { kind: 'refused', failure_code: 'operator_unavailable', evidence } : { kind: 'not_found', evidence }
}

/** Reads the reply to a question about an order. */
export function translateStatus(reply: ReplyWithToken, order: Order): ReadOutcome {
  if (reply.kind === 'no_token') return { kind: 'unknown', evidence: { call: 'token', ...evidenceOf(reply.reply) } }
  const body = reply.kind === 'answered' ? objectIn(reply.json) : null
  if (reply.kind !== 'answered' || body === null) return { kind: 'unknown', evidence: evidenceOf(reply) }
  const evidence = evidenceOf(reply, wordsOf(body))
  if (reply.status === 404 && writtenText(body.code) === '60') return { kind: 'not_found', evidence }
  const readable = (reply.status === 200 || reply.status === 201) && isAbout(body, order.reference)
  if (!readable) return { kind: 'unknown', evidence }

  const operator_reference = transactionIn(body)
  const kept = { ...(operator_reference === null ? {} : { operator_reference }), evidence }
  const state = orderStates.get(writtenText(body.status)?.toUpperCase())
  switch (state) {
    case 'opened': {
      const lapsed = order.sent_ms_ago !== null && order.sent_ms_ago > LAPSED_MS
      return lapsed ? { kind: 'refused', failure_code: 'payer_timeout', ...kept } : { kind: 'pending', ...kept }
    }
    case 'pending':
      return { kind: 'pending', ...kept }
    case 'settled': {
      // Orange states no amount: its answer is about the amount in the question, and no other.
      const amount = body.amount === undefined ? order.amount : wholeFrancs(body.amount)
      const { currency = order.currency } = body
      if (amount === null || typeof currency !== 'string') return { kind: 'unknown', evidence }
      return { kind: 'settled', amount, currency, ...kept }
    }
    case undefined:
      return { kind: 'unknown', ...unlisted(body.status), evidence }
    default:
      return { kind: 'refused', failure_code: state, ...kept }
  }
}

/** The words of an answer or a notice that we keep as evidence, without the tokens. */
export function wordsOf({ status, code, message, txnid, amount, currency }: Fields): Fields {
  return { status, code, message, txnid, amount, currency }
}

const isToken = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,512}$/.test(value)

function tokensIn({ pay_token, notif_token }: Fields): { pay_token: string; notif_token: string } | null {
  return isToken(pay_token) && isToken(notif_token) ? { pay_token, notif_token } : null
}

function pageIn({ payment_url }: Fields, plain: boolean): NextAction | null {
  const url = payerPage(payment_url, plain)
  return url === null
    ? null
    : { type: 'redirect', url, message: "The payer pays on Orange's page, with a one-time code from the phone." }
}

function isAbout({ order_id }: Fields, reference: string): boolean {
  return typeof order_id === 'string' && referenceOf(order_id) === reference
}

function transactionIn({ txnid }: Fields): string | null {
  return typeof txnid === 'string' && /^[\x21-\x7e]{1,100}$/.test(txnid) ? txnid : null
}
