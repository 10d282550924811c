import { createHash } from 'node:crypto'
import { Msisdn } from '../values/msisdn.ts'
import { isOperatorCode, type OperatorCode } from '../values/operators.ts'

/** The possible outcomes of an operation; see `Outcome`. */
export const outcomes = ['ask', 'succeed', 'fail', 'refuse', 'nothing', 'doubt'] as const

/**
 * - `ask`: the payer's phone rings, and its holder decides.
 * - `succeed`, `fail`: the operation ends by itself, `after_seconds`.
 * - `refuse`: the answer to the call refuses it at once.
 * - `nothing`: the operation never ends.
 * - `doubt`: the contract does not know the outcome for `after_seconds`. Then the operation ends as in `then`.
 */
export type Outcome = {
  outcome: (typeof outcomes)[number]
  after_seconds?: number
  /** For `fail`, `refuse` and a doubt that ends in one of them: our `failure_code` or the operator's own word. */
  reason?: string
  then?: 'succeed' | 'fail'
}

/** The conditions of a rule. It applies to operations that meet all the given ones. */
export type Match = {
  api?: string
  /** The API's own word, such as `deposit`. */
  kind?: string
  direction?: string
  operator?: OperatorCode
  /** `+225…` */
  msisdn?: string
  /** The last digits of the number. */
  msisdn_end?: string
  reference?: string
  /** Francs. */
  amount?: number
  /** Only the n-th matching operation, counted from 1 since the rule was set. */
  rank?: number
  /** This share of the matching operations, from 0 to 1. The same reference always gives the same result. */
  share?: number
  /** The most times that the rule is used. */
  times?: number
}

type Rule = Match & {
  id: number /** How many have fitted. */
  met: number /** How many it was used for. */
  used: number
}
export type Script = Rule & Outcome

/** The place of a fault: a call that sends an order, one that reads it, any other call, or a callback. */
export type Place = 'send' | 'read' | 'other' | 'callback'

type FaultWords = { place: Place /** Whether the order is carried out all the same. */; effect: boolean; says: string }

/** The faults that every API has. Those of an answer may lie in any call, with `on`; `effect` may be given otherwise. */
export const faultWords = {
  lose_answer: { place: 'send', effect: true, says: 'executes, then cuts the connection' },
  say_500: { place: 'send', effect: true, says: 'executes, then answers 500' },
  say_503: { place: 'send', effect: false, says: 'answers 503' },
  say_429: { place: 'send', effect: false, says: 'answers 429' },
  say_html: { place: 'send', effect: true, says: 'executes, then answers 200 with a page' },
  refuse_and_accept: { place: 'send', effect: false, says: 'refuses, and answers as if it had accepted' },
  forget: { place: 'send', effect: false, says: 'answers as if it had accepted, and keeps nothing' },
  hang: { place: 'send', effect: false, says: 'never answers' },
  cut: { place: 'send', effect: false, says: 'cuts the connection' },
  late_answer: { place: 'send', effect: true, says: 'executes, and answers after after_seconds' },
  slow_bytes: { place: 'send', effect: true, says: 'executes, and answers a few bytes a second' },
  callback_early: { place: 'send', effect: true, says: 'ends it and calls back before it answers' },
  callback_claims_success: { place: 'send', effect: true, says: 'calls back a success that has not happened' },
  read_not_found: { place: 'read', effect: true, says: 'says that it does not know the reference' },
  read_opposite: { place: 'read', effect: true, says: 'says the opposite end of an order that has ended' },
  states_amount: { place: 'read', effect: true, says: 'states another amount, claimed_amount or 1' },
  states_currency: { place: 'read', effect: true, says: 'states another currency, EUR' },
  callback_twice: { place: 'callback', effect: true, says: 'calls back twice' },
  callback_late: { place: 'callback', effect: true, says: 'calls back after after_seconds' },
  callback_never: { place: 'callback', effect: true, says: 'does not call back' },
  callback_amount: { place: 'callback', effect: true, says: 'calls back with another amount' },
  callback_reference: { place: 'callback', effect: true, says: 'calls back with another reference' },
  callback_opposite: { place: 'callback', effect: true, says: 'calls back the opposite end' },
  callback_swapped: { place: 'callback', effect: true, says: 'calls back after the next callback of the API' },
} as const satisfies Record<string, FaultWords>

/** The default place of a fault. An API's own faults are in callbacks. */
export function placeOf(fault: string): Place {
  return Object.hasOwn(faultWords, fault) ? faultWords[fault as keyof typeof faultWords].place : 'callback'
}

export type Fault = Rule & {
  /** A name in `faultWords` or one of its API's own. */
  fault: string
  on: Place | 'any'
  effect: boolean
  after_seconds?: number
  /** The amount that a callback or an answer claims, in francs. */
  claimed_amount?: number
  /** The reason of an opposite end that is a failure: our `failure_code` or the operator's own word. Absent: none. */
  reason?: string
}

/** The operation or call to match with a rule. */
export type Subject = {
  api: string
  kind?: string
  direction?: string
  operator?: OperatorCode
  msisdn?: string | null
  reference?: string
  amount?: number
}

/** Returns the newest matching rule and counts its use. Null when none matches. */
export function takeRule<R extends Rule>(
  rules: R[],
  subject: Subject,
  about: (rule: R) => boolean = () => true,
): R | null {
  for (const rule of rules.toReversed()) {
    if (!about(rule) || !fits(rule, subject)) continue
    rule.met += 1
    if (rule.times !== undefined && rule.used >= rule.times) continue
    if (rule.rank !== undefined && rule.met !== rule.rank) continue
    if (rule.share !== undefined && fraction(`${rule.id} ${subject.reference ?? rule.met}`) >= rule.share) continue
    rule.used += 1
    return rule
  }
  return null
}

const compared = ['api', 'kind', 'direction', 'operator', 'msisdn', 'reference', 'amount'] as const

function fits(rule: Match, subject: Subject): boolean {
  if (rule.msisdn_end !== undefined && subject.msisdn?.endsWith(rule.msisdn_end) !== true) return false
  return compared.every((field) => rule[field] === undefined || rule[field] === subject[field])
}

/** A pseudorandom number from 0 to 1 that is always the same for a text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}

/** A script or fault is unreadable. The message names the field and the reason. */
export class RuleError extends Error {
  override name = 'RuleError'
}

export type ScriptInput = Match & Outcome
export type FaultInput = Match & {
  fault: string
  on?: Place | 'any'
  effect?: boolean
  after_seconds?: number
  claimed_amount?: number
  reason?: string
}

/** @throws RuleError */
export function readScript(input: ScriptInput, id: number): Script {
  if (!outcomes.includes(input.outcome)) throw new RuleError(`outcome is one of ${outcomes.join(', ')}.`)
  if (input.then !== undefined && input.then !== 'succeed' && input.then !== 'fail')
    throw new RuleError('then is succeed or fail.')
  checkReason(input.reason)
  checkNumber('after_seconds', input.after_seconds)
  return { ...readMatch(input), ...pick(input, ['outcome', 'after_seconds', 'reason', 'then']), id, met: 0, used: 0 }
}

/**
 * @param own the names of the faults that the APIs have besides those of all
 * @throws RuleError
 */
export function readFault(input: FaultInput, id: number, own: readonly string[]): Fault {
  const words: FaultWords | undefined = Object.hasOwn(faultWords, input.fault)
    ? faultWords[input.fault as keyof typeof faultWords]
    : undefined
  if (words === undefined && !own.includes(input.fault))
    throw new RuleError(`fault is one of ${[...Object.keys(faultWords), ...own].join(', ')}.`)
  if (input.on !== undefined && !['send', 'read', 'other', 'callback', 'any'].includes(input.on))
    throw new RuleError('on is send, read, other, callback or any.')
  checkNumber('after_seconds', input.after_seconds)
  checkNumber('claimed_amount', input.claimed_amount)
  checkReason(input.reason)
  return {
    ...readMatch(input),
    ...pick(input, ['fault', 'after_seconds', 'claimed_amount', 'reason']),
    on: input.on ?? words?.place ?? 'callback',
    effect: input.effect ?? words?.effect ?? true,
    id,
    met: 0,
    used: 0,
  }
}

function readMatch(input: Match): Match {
  for (const field of ['amount', 'rank', 'share', 'times'] as const) checkNumber(field, input[field])
  if (input.operator !== undefined && !isOperatorCode(String(input.operator)))
    throw new RuleError('operator is such as mtn_ci.')
  if (input.msisdn_end !== undefined && !/^\d{1,10}$/.test(String(input.msisdn_end)))
    throw new RuleError('msisdn_end is a text of 1 to 10 digits.')
  const match = pick(input, [...compared, 'msisdn_end', 'rank', 'share', 'times'])
  return input.msisdn === undefined ? match : { ...match, msisdn: readNumber(input.msisdn) }
}

function checkReason(reason: unknown): void {
  if (reason !== undefined && typeof reason !== 'string') throw new RuleError('reason is a text.')
}

function checkNumber(field: string, value: unknown): void {
  if (value !== undefined && (typeof value !== 'number' || !Number.isFinite(value) || value < 0))
    throw new RuleError(`${field} is a number from 0.`)
}

/**
 * `+225…` of a number as a person writes it.
 * @throws RuleError for anything but a mobile number of Côte d'Ivoire
 */
export function readNumber(written: unknown): string {
  const msisdn = typeof written === 'string' ? Msisdn.parse(written) : null
  if (msisdn === null) throw new RuleError('A number is such as 0700000001 or +2250700000001.')
  return msisdn.e164
}

function pick<T extends object, K extends keyof T>(from: T, fields: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    fields.filter((field) => from[field] !== undefined).map((field) => [field, from[field]]),
  ) as Pick<T, K>
}
