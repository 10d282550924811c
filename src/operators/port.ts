import type { IncomingHttpHeaders } from 'node:http'
import type { Tenant } from '../values/caller.ts'
import type { FailureCode } from '../values/failure-codes.ts'
import type { Words } from '../values/language.ts'
import type { Msisdn } from '../values/msisdn.ts'
import type { Secret } from '../values/secret.ts'

/**
 * The payer's next step, which we show to the payer.
 * - `approve_on_phone`: a prompt is on the phone, or the payer dials `dial_code`. With `prompted` a prompt is there, and
 *   `dial_code` brings it back when it went away.
 * - `redirect`: the payer opens `url`.
 * - `enter_code`: the payer types a one-time code; `message` says how to get it, and `dial_code` is the number to dial
 *   for it, if any.
 */
export type NextAction = {
  type: 'approve_on_phone' | 'redirect' | 'enter_code'
  url?: string
  dial_code?: string
  prompted?: true
  message: string
}

/** An operator's own words, kept for people to read. The connector leaves out secrets and masks phone numbers. */
export type Evidence = { readonly [field: string]: unknown }

/** A collection that succeeded, as its connector knows it. */
export type Collected = {
  /** The reference that we sent with the collection. */
  reference: string
  operator_reference: string | null
  operator_state: Evidence | null
}

/** An order as a connector sees it. Amounts in whole francs. */
export type Order = Tenant & {
  direction: 'collect' | 'payout' | 'refund'
  /** Code of the operator whose customer pays or is paid; a connector may reach several. Null when none was named. */
  operator: string | null
  /** Our UUID v4, made before anything is sent and never changed. It protects against a second execution. */
  reference: string
  /** The operator's own identifier, once it has given one. */
  operator_reference: string | null
  /** State about this order that the connector asked us to store. */
  operator_state: Evidence | null
  amount: number
  currency: 'XOF'
  msisdn: Msisdn | null
  /** For a refund, the collection to give back, as its operator knows it. Otherwise null. */
  refund_of: Collected | null
  /** When we sent it; null before that. */
  sent_at: Date | null
  /** Milliseconds since then by the database's clock, which alone decides how old an order is; null before that. */
  sent_ms_ago: number | null
  /** How often it was sent again under its reference, after its operator did not know it. */
  sent_again: number
}

/** Facts to store that any answer may carry beside its outcome. */
type Kept = { operator_reference?: string; operator_state?: Evidence; next_action?: NextAction; evidence: Evidence }

/**
 * A status or code of the operator that is missing from the connector's table, or is too ambiguous there. It does not
 * affect the outcome. It opens an anomaly `unknown_status` for people, once for each word.
 */
type Unlisted = { unlisted?: string }

/** Proof that the money moved. `charge`: francs that the operator takes for it, when its answer says so. */
type Settled = { kind: 'settled'; amount: number; currency: string; charge?: number } & Kept

/**
 * A refusal. `operator_refused` is the code of a vague one: the operator gives no reason that rules out an execution. Of
 * an order that it had accepted it counts only when the operator says it twice (`sending/vague-refusals.ts`).
 * @property held set in the answer to a send when the operator took the order, and it failed there
 * @property of_code set in the answer to a payer's code, the one call that could move the money: it counts at once
 */
type Refused = { kind: 'refused'; failure_code: FailureCode; held?: true; of_code?: true } & Kept & Unlisted

/**
 * How a send ended. HTTP success is not an outcome. Every answer that the connector does not recognise is `unknown`.
 * - `accepted`: the operator holds the order and tells the result later, perhaps after `next_action`.
 * - `duplicate`: the operator already held this reference and did nothing new. Handled like `accepted`.
 * - `settled`: final success for this amount, stated in the reply itself.
 * - `refused`: the operator states that no money moved and none will. It did not take the order, unless `held` says so.
 * - `not_sent`: no byte of the request left us, which is proven (connection refused, unknown host). It may be sent
 *   again.
 * - `unknown`: anything else, above all a time-out. We ask the operator. We send again only if it then says that it
 *   does not hold the reference, and it promises never to execute a reference twice (`ReferencePromise`).
 */
export type SendOutcome =
  | ({ kind: 'accepted' | 'duplicate' } & Kept)
  | Settled
  | Refused
  | { kind: 'not_sent'; evidence: Evidence }
  | ({ kind: 'unknown'; evidence: Evidence } & Unlisted)

/**
 * The operator's answer to an inquiry about an order. `refused` with `payer_timeout` means that the request lapsed
 * without a debit. `not_found` means that the operator does not hold the reference. That is not a refusal: the order
 * may still be on its way.
 */
export type ReadOutcome =
  | ({ kind: 'pending' } & Kept)
  | Settled
  | Refused
  | { kind: 'not_found'; evidence: Evidence }
  | ({ kind: 'unknown'; evidence: Evidence } & Unlisted)

/** A secret that only the operator and we know about one order. `name` is its key in the order's `operator_state`. */
export type CallbackToken = { name: string; value: string }

/**
 * A callback as its connector reads it. A callback decides nothing; it only makes us send an inquiry earlier.
 * - `forged`: the signature or secret is wrong. A callback whose `token` differs from the stored one is forged too.
 *   While no token is stored there is nothing to compare, and the operator is asked.
 * - `elsewhere`: the callback is genuine, but about an order of another contract that shares this callback address.
 */
export type CallbackReading =
  | { kind: 'forged' }
  | { kind: 'elsewhere' }
  | { kind: 'about'; reference: string; evidence: Evidence; token?: CallbackToken }

/** The operations that a connector supports for one operator. */
export type Capabilities = {
  collect: boolean
  /** It collects without the payer's number: the payer follows a link to the operator. */
  collect_without_number: boolean
  /**
   * Whether the money always comes from the wallet of the number that the collection names. When absent, this holds for
   * operators that need a number.
   */
  collects_from_number?: boolean
  payout: boolean
  /** `full`: only the whole collected amount, at once. `partial`: any part of it too. */
  refund: 'full' | 'partial' | 'none'
}

/**
 * The amounts that an operator accepts in one operation, in francs, from `min` to `max` inclusive, in multiples of
 * `step`.
 */
export type Bounds = { min: number; max: number; step: number }

/**
 * The result of a harmless call that checks the settings. `problem`, and `unproven` about settings that no such call proves, are one
 * sentence for the person who set them and contain no secret.
 */
export type ConnectorCheck = { kind: 'works'; unproven?: Words } | { kind: 'fails'; problem: Words }

/** The money that an operator holds for us, in francs. */
export type ConnectorBalance = { amount: number; currency: string }

/**
 * A page of what an operator moved on our account on one day, in its own words.
 * @property next the cursor of the next page. Null: this is the last one
 */
export type StatementPage = { readonly rows: readonly object[]; readonly next: string | null }

/**
 * How well a given name matches the one that the operator holds. `unknown`: the operator does not tell, or did not
 * answer.
 */
export const nameMatches = ['match', 'close', 'no_match', 'unknown'] as const
export type NameMatch = (typeof nameMatches)[number]

/** A person to be paid, as a merchant names them. */
export type Recipient = { operator: string; msisdn: Msisdn; name: string }

/** The promises of an operator about the references that we send. Only its contract and its documentation count. */
export type ReferencePromise = {
  /**
   * `never_twice`: the operator executes a reference at most once, however often and late it is sent, and answers
   * `duplicate` to a repeated one. `unknown`: no such promise, so an order that may have left us is never sent again.
   */
  same_reference: 'never_twice' | 'unknown'
  /**
   * The `not_found` answers after which we believe that the operator does not hold a reference: at least `times` of
   * them (from 1), the last at least `after_seconds` after the send. Whole numbers.
   */
  not_found: { after_seconds: number; times: number }
  /** Seconds after the first send for which we trust the promise. Later the order is not sent again, and people decide. Absent: without an end. */
  for_seconds?: number
}

/** Whether the promise still holds for an order that was first sent so many milliseconds ago. */
export function isPromised({ same_reference, for_seconds }: ReferencePromise, sent_ms_ago: number): boolean {
  return same_reference === 'never_twice' && (for_seconds === undefined || sent_ms_ago <= for_seconds * 1_000)
}

/** The promises of an operator about which nothing is known: none. */
export const promisesNothing: ReferencePromise = {
  same_reference: 'unknown',
  not_found: { after_seconds: 86_400, times: 3 },
}

/**
 * One contract with an operator, or with an aggregator that reaches several operators. A connector is stateless: all it
 * needs comes with the order, and all it must remember goes back in `operator_state`. A method that throws counts as
 * the answer `unknown`.
 */
export type Connector = {
  /** The contract's name in routes, in the send journal and in the address of its callbacks. */
  readonly name: string
  /** Whether the operator calls us, and whether it signs its callbacks. */
  readonly callbacks: 'none' | 'unsigned' | 'signed'
  /** The operations that it supports for this operator. Null when it does not reach the operator. */
  capabilitiesOf(operator: string | null): Capabilities | null
  /**
   * The bounds of one operation. Absent or null when they are unknown; the operator then refuses a wrong amount itself.
   */
  boundsOf?(operator: string | null, direction: Order['direction']): Bounds | null
  /** Set when its answers do not tell whether it is up, because a number chooses them. No circuit learns from them. */
  readonly withoutCircuit?: true
  /** By direction, because operators have different interfaces for collecting and for paying out. */
  readonly promises: Readonly<Record<Order['direction'], ReferencePromise>>
  /**
   * Set when the operator refuses a refund while another refund of the same payment is in progress. The next refund then
   * waits, unsent, until the one before it ends. When absent, refunds are sent at once.
   */
  readonly refundsInTurn?: true
  /** When to send inquiries after a send: milliseconds after the previous answer. The last one repeats. */
  readonly inquiryPlan: readonly number[]
  /** Milliseconds after the send from which a payout without an outcome is `indeterminate`. */
  readonly silenceAfter: number
  /** Milliseconds between a vague refusal and the question whether it still holds. Absent: ten seconds. */
  readonly secondAnswerAfter?: number
  /**
   * The directions whose refusal no money can follow, because the connector reports it only once the order can no longer
   * be executed. We never look at such an order again by ourselves. Absent: none.
   */
  readonly refusesForGood?: readonly Order['direction'][]
  /**
   * The `operator_state` of an order that is about to be sent for the first time, committed before the send: how it is sent, where the settings
   * decide that and a later inquiry has to know it although no answer came. Absent: nothing to remember.
   */
  stateBeforeSend?(order: Order): Evidence | null
  /**
   * Gives the order to the operator. The request depends only on the order and not on the time, so that an order that
   * is sent again is the same, byte for byte.
   */
  send(order: Order): Promise<SendOutcome>
  /**
   * Gives the operator the one-time code that the payer typed after `enter_code`. Absent when this operator takes no
   * code. Called once for an order, within ten minutes of its send. The connector must neither store the code nor put
   * it into evidence.
   */
  submitCode?(order: Order, code: Secret): Promise<ReadOutcome>
  /**
   * Sends an inquiry by our reference, or by what `operator_state` holds. Moves no money, so it may be repeated at
   * will.
   */
  read(order: Order): Promise<ReadOutcome>
  /**
   * Verifies the raw bytes of a callback (signature, secret) and finds the reference that it is about.
   * @param about the text that the connector appended to its callback address after a dot; null when there is none
   */
  readCallback(
    raw: Buffer,
    headers: IncomingHttpHeaders,
    about: string | null,
  ): CallbackReading | Promise<CallbackReading>
  /** Checks the settings by a call that moves no money. Absent when there is no such call. */
  check?(): Promise<ConnectorCheck>
  /**
   * Says whether a name is that of a number's holder. Moves no money. Returns only the match: the name that the
   * operator holds is neither returned nor stored, nor put into evidence. Absent when this operator does not tell.
   */
  checkRecipient?(recipient: Recipient): Promise<NameMatch>
  /** Reads how much money the operator holds for us. Absent when this operator does not tell. */
  balance?(): Promise<ConnectorBalance>
  /**
   * Reads a page of the movements of a day, such as 2026-11-30. A profile of `src/statement-files` reads its rows. Absent when this operator has no such call.
   * @throws when the page cannot be read
   */
  readStatement?(day: string, cursor: string | null): Promise<StatementPage>
}

const MINUTE = 60_000

/** The usual `silenceAfter`: 15 minutes. */
export function usualSilence(minute = MINUTE): number {
  return 15 * minute
}

/**
 * The inquiry plan of live operators: after 2, 5, 10, 20, 40 and 60 s, then every minute up to 15 minutes, then after
 * another 1 and 6 hours, then daily.
 */
export const liveInquiryPlan: readonly number[] = [
  ...[2, 3, 5, 10, 20, 20].map((seconds) => seconds * 1_000),
  ...Array.from({ length: 14 }, () => MINUTE),
  ...[60, 360, 1440].map((minutes) => minutes * MINUTE),
]

/**
 * The inquiry plan of an operator about which nothing is known: 30 s, 1, 2, 5 and 15 minutes, 1 and 6 hours, then
 * daily.
 */
export function usualInquiryPlan(minute = MINUTE): readonly number[] {
  return [0.5, 1, 2, 5, 15, 60, 360, 1440].map((minutes) => minutes * minute)
}
