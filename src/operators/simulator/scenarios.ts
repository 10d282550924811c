import type { FailureCode } from '../../values/failure-codes.ts'
import type { NameMatch, NextAction } from '../port.ts'

/** How one order goes in test mode. */
export type Scenario = {
  /** How long the operator takes, in delays of the simulator. */
  delays: number
  /** Until then its state cannot be read. */
  unreadable: boolean
  /** The operator takes the order, but its answer never reaches us. */
  answer_lost: boolean
  /** Calls made back to us when the order ends; none when its answer was lost. */
  callbacks: 0 | 1 | 2
  end: { kind: 'settled'; amount_added: number } | { kind: 'refused'; failure_code: FailureCode }
  /** How the payer approves: a prompt on the telephone, a code to dial, one to type, or in the operator's app. */
  approval: 'prompt' | 'dial' | 'code' | 'app'
}

const succeeds: Scenario = {
  delays: 1,
  unreadable: false,
  answer_lost: false,
  callbacks: 1,
  end: { kind: 'settled', amount_added: 0 },
  approval: 'prompt',
}
/** Nothing ends before the payer has said something, or the request has lapsed. */
const waits: Scenario = {
  ...succeeds,
  delays: 300,
  callbacks: 0,
  end: { kind: 'refused', failure_code: 'payer_timeout' },
}
const lost: Scenario = { ...succeeds, answer_lost: true, callbacks: 0 }

/** The last four digits of the number choose, the same on every operator. */
const collections: Record<string, Scenario> = {
  '0001': { ...succeeds, end: { kind: 'refused', failure_code: 'payer_insufficient_funds' } },
  '0002': { ...succeeds, end: { kind: 'refused', failure_code: 'payer_declined' } },
  // The request lapses without a debit.
  '0003': { ...succeeds, end: { kind: 'refused', failure_code: 'payer_timeout' } },
  '0004': lost,
  '0005': { ...succeeds, callbacks: 2 },
  // Proof of another amount: an anomaly, and the payment stays pending.
  '0006': { ...succeeds, end: { kind: 'settled', amount_added: 1 } },
  // The other ways of approving. Dialling takes a little longer.
  '0007': { ...succeeds, delays: 5, approval: 'dial' },
  '0008': { ...waits, approval: 'code' },
  '0009': { ...waits, approval: 'app' },
  // No number: the payer is led to the app.
  '': { ...waits, approval: 'app' },
}

const payouts: Record<string, Scenario> = {
  '0001': { ...succeeds, end: { kind: 'refused', failure_code: 'recipient_limit_reached' } },
  '0002': { ...succeeds, end: { kind: 'refused', failure_code: 'recipient_not_found' } },
  // Silent for longer than we wait before we say so, then found to have succeeded: an hour, in the simulator's minutes.
  '0003': { ...lost, delays: 60, unreadable: true },
  '0004': lost,
  '0005': { ...succeeds, callbacks: 2 },
  '0006': { ...lost, end: { kind: 'refused', failure_code: 'operator_refused' } },
}

/**
 * The scenario of an order to a number with this end; any other end succeeds. A refund is money that goes out to the payer's
 * number, and goes as a payout to it would.
 */
export function scenarioOf(direction: string, msisdnEnd: string): Scenario {
  return (direction === 'collect' ? collections : payouts)[msisdnEnd] ?? succeeds
}

/** The ends of numbers whose holder has another name, or is not told. Any other number is held by whoever is named. */
const holders: Record<string, NameMatch> = {
  // No wallet, and an operator that is silent.
  '0002': 'unknown',
  '0003': 'unknown',
  '0021': 'close',
  '0022': 'no_match',
  '0023': 'unknown',
}

/** The answer to a check of the holder of a number with this end. */
export function holderMatch(msisdnEnd: string): NameMatch {
  return holders[msisdnEnd] ?? 'match'
}

/** Whether a number's end chooses what the simulator does with it, so that it always goes to the simulator. */
export function isEnding(msisdn: string | null): boolean {
  const end = msisdn?.slice(-4) ?? ''
  return end !== '' && [collections, payouts, holders].some((chosen) => Object.hasOwn(chosen, end))
}

/** A payer's answer to the simulator: in its app, or by a code. */
export type PayerWord = 'yes' | 'no' | 'wrong_code'

/** The number to dial in the simulator, and the one code it takes. */
const DIAL_CODE = '*144*82#'
export const RIGHT_CODE = '123456'

/** The payer's next step for a collection. @param app_url the address that stands for the operator's app */
export function nextActionOf({ approval }: Scenario, app_url: string): NextAction {
  switch (approval) {
    case 'prompt':
      return { type: 'approve_on_phone', message: 'The payer approves on the telephone.' }
    case 'dial':
      return { type: 'approve_on_phone', dial_code: DIAL_CODE, message: `The payer dials ${DIAL_CODE} and approves.` }
    case 'code':
      return {
        type: 'enter_code',
        dial_code: DIAL_CODE,
        message: `The payer dials ${DIAL_CODE}, receives a code and types it. In test mode it is ${RIGHT_CODE}.`,
      }
    case 'app':
      return { type: 'redirect', url: app_url, message: 'The payer approves in the app of the operator.' }
  }
}

/** How an order ends that waited for its payer; null: it was no such order, or they have not said anything. */
export function endBy(word: PayerWord | null): Scenario['end'] | null {
  if (word === null) return null
  if (word === 'yes') return { kind: 'settled', amount_added: 0 }
  return { kind: 'refused', failure_code: word === 'no' ? 'payer_declined' : 'payer_wrong_code' }
}
