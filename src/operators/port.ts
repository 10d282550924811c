import type { IncomingHttpHeaders } from 'node:http'
import type { Tenant } from '../values/caller.ts'
import type { FailureCode } from '../values/failure-codes.ts'
import type { Msisdn } from '../values/msisdn.ts'
import type { Secret } from '../values/secret.ts'

/**
 * The payer's next step, which we show them: `approve_on_phone` (a prompt is on the telephone, or `dial_code` is to be dialled;
 * the message says so), `redirect` (open `url`) or `enter_code` (type a one-time code; the message says how to obtain it, and
 * `dial_code` gives the number to dial for it, if there is one).
 */
export type NextAction = {
  type: 'approve_on_phone' | 'redirect' | 'enter_code'
  url?: string
  dial_code?: string
  message: string
}

/** An operator's own words, kept for a human. The connector leaves out secrets and masks numbers. */
export type Evidence = { readonly [field: string]: unknown }

/** A collection that succeeded, by what its connector knows of it. */
export type Collected = {
  /** The one reference under which it was collected. */
  reference: string
  operator_reference: string | null
  operator_state: Evidence | null
}

/** An order as a connector sees it. Amounts in whole francs. */
export type Order = Tenant & {
  direction: 'collect' | 'payout' | 'refund'
  /** The operator whose customer pays or is paid, by its code: a connector may reach several. Null: nobody named one. */
  operator: string | null
  /** UUID v4, ours, made before anything was sent and the same for ever: the handle against a second execution. */
  reference: string
  /** The operator's own identifier, once it gave one. */
  operator_reference: string | null
  /** State that this connector asked to keep. */
  operator_state: Evidence | null
  amount: number
  currency: 'XOF'
  msisdn: Msisdn | null
  /** Of a refund: the collection that it gives back, as its operator knows it. Null for the rest. */
  refund_of: Collected | null
  /** When we sent it; null before. */
  sent_at: Date | null
}

/** Facts that any answer may bring beside its outcome, to be kept. */
type Kept = { operator_reference?: string; operator_state?: Evidence; next_action?: NextAction; evidence: Evidence }

/**
 * A word of the operator's that its connector has no row for, or whose row hides too much. The outcome beside it is decided without it, and
 * people are told of it, once for each word (`unknown_status`).
 */
type Unlisted = { unlisted?: string }

/** Proof that the money moved. `charge`: francs that the operator keeps or takes for it, where its answer says so. */
type Settled = { kind: 'settled'; amount: number; currency: string; charge?: number } & Kept

/**
 * How a send ended. HTTP success is not an outcome, and every answer that a connector does not recognise is `unknown`:
 * - `accepted`: the operator holds the order, and the result comes later (perhaps after `next_action`);
 * - `duplicate`: the operator held this reference already, and has done nothing new. Counts as `accepted`;
 * - `settled`: final success, stated in the reply itself, for this amount;
 * - `refused`: the operator states that nothing moved and nothing will;
 * - `not_sent`: proven that no byte of the request left us (refused connection, unknown host); it may be sent again;
 * - `unknown`: anything else, a time-out first of all. The operator is asked; it is sent again only where it then says that it does
 *   not hold the reference, and promises never to carry one out twice (`ReferencePromise`).
 */
export type SendOutcome =
  | ({ kind: 'accepted' | 'duplicate' } & Kept)
  | Settled
  | ({ kind: 'refused'; failure_code: FailureCode } & Kept & Unlisted)
  | { kind: 'not_sent'; evidence: Evidence }
  | ({ kind: 'unknown'; evidence: Evidence } & Unlisted)

/**
 * The operator's answer to an inquiry about an order. `refused` with `payer_timeout` says that the request lapsed without a
 * debit. `not_found`, the operator does not hold the reference, is not a refusal: the order may still be on its way.
 */
export type ReadOutcome =
  | ({ kind: 'pending' } & Kept)
  | Settled
  | ({ kind: 'refused'; failure_code: FailureCode } & Kept & Unlisted)
  | { kind: 'not_found'; evidence: Evidence }
  | ({ kind: 'unknown'; evidence: Evidence } & Unlisted)

/** A word that only the operator and we know of one order, by its name in the `operator_state` of that order. */
export type CallbackToken = { name: string; value: string }

/**
 * A callback as its connector reads it. It never decides: an inquiry does, and the callback only hastens it. One with another `token` than the
 * kept one is forged; before any is kept it cannot be compared, and the operator is asked. `elsewhere`: it is genuine, and about an order of
 * another contract that shares the operator's calls with this one.
 */
export type CallbackReading =
  | { kind: 'forged' }
  | { kind: 'elsewhere' }
  | { kind: 'about'; reference: string; evidence: Evidence; token?: CallbackToken }

/** The operations that a connector offers for one operator, so that nothing pretends to work. */
export type Capabilities = {
  collect: boolean
  /** It needs no number of the payer, who is led to the operator by a link. */
  collect_without_number: boolean
  /** A collection that names a number takes the money from no other wallet. Absent: so it is where it needs a number. */
  collects_from_number?: boolean
  payout: boolean
  /** `full`: the whole of what was collected, at once; `partial`: any part of it as well. */
  refund: 'full' | 'partial' | 'none'
}

/** The amounts that an operator takes in one operation, in francs, borders included; `step` divides each of them. */
export type Bounds = { min: number; max: number; step: number }

/** A harmless call shows whether the settings work. `problem` is one sentence for the person who set them, without a secret. */
export type ConnectorCheck = { kind: 'works' } | { kind: 'fails'; problem: string }

/** Money of ours that an operator holds, in francs. */
export type ConnectorBalance = { amount: number; currency: string }

/**
 * How near the name that somebody was given is to the one that their operator holds. `unknown`: the operator does not tell, or did not
 * answer.
 */
export const nameMatches = ['match', 'close', 'no_match', 'unknown'] as const
export type NameMatch = (typeof nameMatches)[number]

/** Somebody who is to be paid, as a merchant names them. */
export type Recipient = { operator: string; msisdn: Msisdn; name: string }

/** An operator's promises about the references that it is given. Only its contract or its documents count. */
export type ReferencePromise = {
  /**
   * `never_twice`: one reference is carried out once at most, however often and however late it is sent; a repeated one is answered
   * `duplicate`. `unknown`: nothing of the sort is promised, and what may have left is never sent again.
   */
  same_reference: 'never_twice' | 'unknown'
  /**
   * The answers `not_found` after which we take the operator's word that it does not hold a reference: so many, the last at least so
   * many seconds after the send. Whole numbers, `times` from 1.
   */
  not_found: { after_seconds: number; times: number }
}

/** An operator of which nothing is known promises nothing. */
export const promisesNothing: ReferencePromise = {
  same_reference: 'unknown',
  not_found: { after_seconds: 86_400, times: 3 },
}

/**
 * One contract with an operator, or with an aggregator that reaches several. Stateless: all it needs comes with the order, all it must
 * remember goes back in `operator_state`. A method that throws is taken to have answered `unknown`.
 */
export type Connector = {
  /** Names the contract in routes, in the journal and in the address of its callbacks. */
  readonly name: string
  /** Whether it calls us, and whether it signs what it says then. */
  readonly callbacks: 'none' | 'unsigned' | 'signed'
  /** The operations that it offers for this operator. Null: it does not reach it. */
  capabilitiesOf(operator: string | null): Capabilities | null
  /** The bounds of one operation, as far as they are known. Absent or null: not known, and the operator says so itself. */
  boundsOf?(operator: string | null, direction: Order['direction']): Bounds | null
  /** For each direction, because operators have one interface for collecting and another for paying out. */
  readonly promises: Readonly<Record<Order['direction'], ReferencePromise>>
  /**
   * The operator refuses a refund of a payment while another of that payment is under way: the next waits, unsent, for the end of the one
   * before it. Absent: it takes any number at once.
   */
  readonly refundsInTurn?: true
  /** When to ask after a send, in milliseconds after the previous answer; the last one repeats. */
  readonly inquiryPlan: readonly number[]
  /** Milliseconds of asking after which a payout that the operator has not concluded is indeterminate. */
  readonly silenceAfter: number
  /**
   * Gives the order to the operator. The bytes are made of the order alone and not of the time, so that an order that is sent again is
   * the same, byte for byte.
   */
  send(order: Order): Promise<SendOutcome>
  /**
   * Gives the operator the one-time code that the payer typed after `enter_code`. Absent: this operator takes none. It is
   * called once for an order, within ten minutes of its send; the code is for this call only and is neither kept nor put into evidence.
   */
  submitCode?(order: Order, code: Secret): Promise<ReadOutcome>
  /** Asks by our reference, or by what `operator_state` holds. Moves nothing, so it may be repeated at will. */
  read(order: Order): Promise<ReadOutcome>
  /**
   * Checks the raw bytes of a callback (signature, secret) and finds the reference it speaks of.
   * @param about the word that the connector put behind a dot at the end of its address; null: none
   */
  readCallback(
    raw: Buffer,
    headers: IncomingHttpHeaders,
    about: string | null,
  ): CallbackReading | Promise<CallbackReading>
  /** Proves the settings by a call that moves nothing. Absent: there is nothing to prove. */
  check?(): Promise<ConnectorCheck>
  /**
   * Says whether a name is that of the holder of a number. Moves nothing. Only the word comes back: the name that the operator holds is neither
   * answered nor kept, and stands in no evidence. Absent: this operator does not tell.
   */
  checkRecipient?(recipient: Recipient): Promise<NameMatch>
  /** Reads what the operator holds of ours. Absent: this operator does not tell. */
  balance?(): Promise<ConnectorBalance>
}

const MINUTE = 60_000

/** An operator that has not concluded after 15 minutes of asking is silent. */
export function usualSilence(minute = MINUTE): number {
  return 15 * minute
}

/** A live operator: after 2, 5, 10, 20, 40 and 60 s, then each minute to 15 minutes, then after 1 and 6 hours more, then daily. */
export const liveInquiryPlan: readonly number[] = [
  ...[2, 3, 5, 10, 20, 20].map((seconds) => seconds * 1_000),
  ...Array.from({ length: 14 }, () => MINUTE),
  ...[60, 360, 1440].map((minutes) => minutes * MINUTE),
]

/** When nothing is known of an operator: 30 s, 1, 2, 5 and 15 minutes, 1 and 6 hours, then daily. */
export function usualInquiryPlan(minute = MINUTE): readonly number[] {
  return [0.5, 1, 2, 5, 15, 60, 360, 1440].map((minutes) => minutes * minute)
}
