import type { FailureCode } from '../../values/failure-codes.ts'
import { evidenceOf } from '../operator-api/answer-evidence.ts'
import { type Fields, objectIn, unlisted, type WordTable, wordTable } from '../operator-api/answer-words.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import { wholeFrancs } from '../operator-api/whole-francs.ts'
import type { Evidence, NextAction, Order, ReadOutcome, SendOutcome } from '../port.ts'
import type { MoovGatewaySettings } from './settings.ts'

// Moov's codes with our meanings. A code without a row decides nothing.

type Platform = NonNullable<MoovGatewaySettings['platform']> | 'unknown'

/** The meaning of a refusing code: for a prompt, and for a payout. Null: it decides nothing there. */
export type Refusal = {
  collect: FailureCode
  payout: FailureCode | null
  /** Whether people are alerted to a payout that failed with it: it names a limit of our own wallet. */
  tell?: true
  /** Whether the code is about the call itself: it refuses an order, and says nothing about an order in an inquiry. */
  of_call?: true
}

const same = (code: FailureCode): Refusal => ({ collect: code, payout: code })
const ofCall: Refusal = { ...same('operator_configuration'), of_call: true }
const ceiling: Refusal = { collect: 'payer_limit_reached', payout: 'operator_float_insufficient', tell: true }

/**
 * The codes that refuse, by platform. 12 and 15 mean different things on the two: as long as nobody knows which it is, 12 refuses without
 * a reason, and 15 decides nothing.
 */
export const refusals: Readonly<Record<Platform, WordTable<Refusal>>> = {
  older: wordTable<Refusal>({
    1: ofCall,
    2: ofCall,
    3: same('invalid_number'),
    4: ofCall,
    6: { collect: 'operator_account_blocked', payout: 'recipient_account_blocked' },
    7: { collect: 'operator_account_blocked', payout: 'recipient_account_blocked' },
    8: { collect: 'payer_insufficient_funds', payout: 'operator_float_insufficient' },
    9: { collect: 'payer_account_blocked', payout: 'recipient_account_blocked' },
    10: { collect: 'payer_insufficient_funds', payout: 'operator_float_insufficient' },
    11: same('amount_out_of_bounds'),
    12: same('amount_out_of_bounds'),
    13: ceiling,
    14: ceiling,
    15: ceiling,
    16: ceiling,
    17: { collect: 'operator_account_blocked', payout: 'recipient_limit_reached' },
    18: { collect: 'operator_account_blocked', payout: 'recipient_limit_reached' },
    19: ceiling,
    20: ceiling,
    91: ofCall,
    92: { collect: 'payer_timeout', payout: null },
    95: same('operator_refused'),
    98: ofCall,
    555: { collect: 'payer_not_found', payout: 'recipient_not_found' },
  }),
  newer: wordTable<Refusal>({ 12: same('operator_refused') }),
  unknown: wordTable<Refusal>({ 12: same('operator_refused') }),
}

/** Codes with which Moov says that it does not know either, on every platform; 15 is one of them but for the older platform. */
const doubts: ReadonlySet<string> = new Set(['99', '-1', '15'])

const DONE = '0'
const PENDING = '100'
const NOT_FOUND = '94'

type Kept = { operator_reference?: string; evidence: ReturnType<typeof evidenceOf> }

/** An answer with its code. Null: it is not an answer of the gateway. */
function read(reply: OperatorReply): { body: Fields; code: string; kept: Kept } | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  const code = body === null ? null : codeIn(body)
  if (body === null || code === null) return null
  const id = body['trans-id']
  const operator_reference = typeof id === 'string' && /^[\x21-\x7e]{1,100}$/.test(id) ? { operator_reference: id } : {}
  return { body, code, kept: { ...operator_reference, evidence: evidenceOf(reply, wordsOf(body)) } }
}

/**
 * Reads the reply to an order. 0 means that Moov accepted the order, and says nothing about money.
 * @param prompt the payer's next step, if there is one
 * @param id the `request-id` of the call
 */
export function translateOrder(
  reply: OperatorReply,
  order: Order,
  platform: Platform,
  prompt: NextAction | null,
  id = order.reference,
): SendOutcome {
  if (reply.kind === 'not_sent') return { kind: 'not_sent', evidence: evidenceOf(reply) }
  const answer = read(reply)
  if (answer === null) return withoutCode(reply)
  const { body, code, kept } = answer
  const { evidence } = kept
  const row = refusals[platform].get(code)
  // A call that is refused at the door may be answered without the reference that nobody has read there.
  const named = isAbout(body, id) || (row?.of_call === true && body['request-id'] === undefined)
  if (!named) return { kind: 'unknown', evidence }
  if (code === DONE || code === PENDING) {
    return { kind: 'accepted', ...(prompt === null ? {} : { next_action: prompt }), ...kept }
  }
  return refusedBy(row, code, order, kept) ?? undecided(code, evidence)
}

/**
 * Reads the reply to the order of a code. The code pays only together with Moov's number of this step. Without that number nobody can pay,
 * and the order has certainly failed.
 */
export function translateCodeOrder(
  reply: OperatorReply,
  order: Order,
  platform: Platform,
  typed: NextAction,
): SendOutcome {
  const outcome = translateOrder(reply, order, platform, typed, codeOrderOf(order.reference))
  if (outcome.kind !== 'accepted') return outcome
  const { operator_reference, evidence } = outcome
  if (operator_reference === undefined) return { kind: 'refused', failure_code: 'operator_unavailable', evidence }
  return outcome
}

/** Milliseconds after which the order of a code cannot be in progress: it begins within 30 s, and its call ends within a minute. */
const ORDERED_MS = 120_000

/**
 * Decides about an order of a code without Moov's number, because the reply to it was lost. No money can move: a code pays only by our second
 * call, which needs that number. So it has certainly failed, once no reply can come, unless Moov holds a payment by code of an earlier
 * record that we lost: the caller asks about that first.
 */
export function translateLostCodeOrder({ sent_ms_ago }: Order): ReadOutcome {
  const evidence = { reason: "the reply with Moov's number was lost, so that nobody can pay with the code" }
  const over = sent_ms_ago !== null && sent_ms_ago > ORDERED_MS
  return over ? { kind: 'refused', failure_code: 'operator_unavailable', evidence } : { kind: 'unknown', evidence }
}

/**
 * Reads the reply to the payment with a code. 0 means that Moov accepted it, as for a prompt; only an inquiry decides. A payment that never
 * left has certainly failed, because a code is typed once. We do not keep the text of the reply, because it might repeat the code.
 */
export function translateCodePayment(reply: OperatorReply, order: Order, platform: Platform): ReadOutcome {
  const outcome = translateOrder(reply, order, platform, null, codePaymentOf(order.reference))
  const { message: _, ...evidence } = outcome.evidence
  switch (outcome.kind) {
    case 'not_sent':
      return { kind: 'refused', failure_code: 'operator_unavailable', evidence }
    case 'accepted':
    case 'duplicate':
      return { ...outcome, kind: 'pending', evidence }
    default:
      return { ...outcome, evidence }
  }
}

/** The state of an order that is paid with a code, stored before its send. The inquiry about it differs from that of a prompt. */
export const byCode: Evidence = { by: 'code' }

/** Whether the order is paid with a code. */
export function isByCode({ operator_state }: Order): boolean {
  return operator_state?.by === byCode.by
}

/**
 * The `request-id` of the order of a code. It differs from our reference, because a 0 about it means only that a code was sent, and must
 * never count as paid.
 */
export function codeOrderOf(reference: string): string {
  return `${reference}-1`
}

/** The `request-id` of the payment with a code. It differs from the others, because nobody knows how Moov treats a repeated one. */
export function codePaymentOf(reference: string): string {
  return `${reference}-2`
}

/**
 * Reads the reply to an inquiry. Moov states no amount: 0 is about the amount that we ordered, unless it states another.
 * @param id the `request-id` that was asked about
 */
export function translateOperation(
  reply: OperatorReply,
  order: Order,
  platform: Platform,
  id = order.reference,
): ReadOutcome {
  const answer = read(reply)
  if (answer === null) return withoutCode(reply)
  const { body, code, kept } = answer
  const { evidence } = kept
  if (!isAbout(body, id)) return { kind: 'unknown', evidence }
  if (code === DONE) return settled(body, order, kept)
  if (code === PENDING) return { kind: 'pending', ...kept }
  // No refusal: Moov forgets an order at midnight.
  if (code === NOT_FOUND) return { kind: 'not_found', evidence }
  const row = refusals[platform].get(code)
  if (row?.of_call === true) return { kind: 'unknown', evidence }
  return refusedBy(row, code, order, kept) ?? undecided(code, evidence)
}

function refusedBy(
  row: Refusal | undefined,
  code: string,
  { direction }: Order,
  kept: Kept,
): Extract<SendOutcome, { kind: 'refused' }> | null {
  const failure_code = (direction === 'collect' ? row?.collect : row?.payout) ?? null
  if (failure_code === null) return null
  const told = row?.tell === true && direction !== 'collect' ? unlisted(code) : {}
  return { kind: 'refused', failure_code, ...told, ...kept }
}

function settled(body: Fields, order: Order, kept: Kept): ReadOutcome {
  const extended = objectIn(body['extended-data']) ?? {}
  const { amount = extended.amount, currency = extended.currency ?? order.currency } = body
  const francs = amount === undefined ? order.amount : wholeFrancs(amount)
  if (francs === null || typeof currency !== 'string') return { kind: 'unknown', evidence: kept.evidence }
  return { kind: 'settled', amount: francs, currency, ...kept }
}

function undecided(code: string, evidence: Kept['evidence']): Extract<ReadOutcome, { kind: 'unknown' }> {
  return { kind: 'unknown', ...(doubts.has(code) ? {} : unlisted(code)), evidence }
}

/** No document says what an answer with another status than 200, or without a code, stands for. */
function withoutCode(reply: OperatorReply): Extract<ReadOutcome, { kind: 'unknown' }> {
  const body = reply.kind === 'answered' ? objectIn(reply.json) : null
  return { kind: 'unknown', evidence: evidenceOf(reply, body === null ? {} : wordsOf(body)) }
}

/** The code of an answer, a text or a whole number. Null: there is none. */
export function codeIn({ status }: Fields): string | null {
  const code = typeof status === 'number' && Number.isSafeInteger(status) ? String(status) : status
  return typeof code === 'string' && code !== '' ? code : null
}

function wordsOf(body: Fields): Fields {
  const { status, message, statusdescription, amount, currency, 'trans-id': transaction } = body
  return { status, message: message ?? statusdescription, amount, currency, transaction }
}

function isAbout({ 'request-id': id }: Fields, asked: string): boolean {
  return typeof id === 'string' && id.toLowerCase() === asked
}
