import type { FailureCode } from '../../values/failure-codes.ts'
import type { NameMatch, NextAction } from '../port.ts'

/** The course of one order in test mode. */
export type Scenario = {
  /** Time until the order ends, in delays of the simulator. */
  delays: number
  /** Whether inquiries find no state before the order ends. */
  unreadable: boolean
  /** The operator takes the order, but its answer never reaches us. */
  answer_lost: boolean
  /** The number of callbacks when the order ends; 0 if its answer was lost. */
  callbacks: 0 | 1 | 2
  end: { kind: 'settled'; amount_added: number } | { kind: 'refused'; failure_code: FailureCode }
  /** How the payer approves: a prompt on the phone, a code to dial, one to type, or in the operator's app. */
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
/** The order ends only after the payer's answer or when the request lapses. */
const waits: Scenario = {
  ...succeeds,
  delays: 300,
  callbacks: 0,
  end: { kind: 'refused', failure_code: 'payer_timeout' },
}
const lost: Scenario = { ...succeeds, answer_lost: true, callbacks: 0 }

/** The scenarios by the last four digits of the number, the same for every operator. */
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
  // Silent for an hour of the simulator, so the order becomes indeterminate, then succeeds.
  '0003': { ...lost, delays: 60, unreadable: true },
  '0004': lost,
  '0005': { ...succeeds, callbacks: 2 },
  '0006': { ...lost, end: { kind: 'refused', failure_code: 'operator_refused' } },
}

/**
 * The scenario for a number with this end; any other end succeeds. A refund to a number follows the scenario of a payout to
 * it.
 */
export function scenarioOf(direction: string, msisdnEnd: string): Scenario {
  return (direction === 'collect' ? collections : payouts)[msisdnEnd] ?? succeeds
}

/** Results of a check of the holder, by the end of the number. Any other number matches every name. */
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

/** Whether the end of a number chooses a scenario, so that its orders always go to the simulator. */
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
      return { type: 'approve_on_phone', message: 'The payer approves on the phone.' }
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

/** The end of an order that waited for its payer. Null for other orders, or before the payer's answer. */
export function endBy(word: PayerWord | null): Scenario['end'] | null {
  if (word === null) return null
  if (word === 'yes') return { kind: 'settled', amount_added: 0 }
  return { kind: 'refused', failure_code: word === 'no' ? 'payer_declined' : 'payer_wrong_code' }
}
