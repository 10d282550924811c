import type { FailureCode } from '../../words/failure-codes.ts'

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
}

const succeeds: Scenario = {
  delays: 1,
  unreadable: false,
  answer_lost: false,
  callbacks: 1,
  end: { kind: 'settled', amount_added: 0 },
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
