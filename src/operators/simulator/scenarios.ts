import type { FailureCode } from '../../words/failure-codes.ts'

/** How one order goes in test mode. */
export type Scenario = {
  /** The operator takes the order, but its answer never reaches us. */
  answer_lost: boolean
  /** Calls made back to us when the order ends; none when its answer was lost. */
  callbacks: 0 | 1 | 2
  end: { kind: 'settled'; amount_added: number } | { kind: 'refused'; failure_code: FailureCode }
}

const succeeds: Scenario = { answer_lost: false, callbacks: 1, end: { kind: 'settled', amount_added: 0 } }

/** The last four digits of the payer's number choose, the same on every operator. */
const collections: Record<string, Scenario> = {
  '0001': { ...succeeds, end: { kind: 'refused', failure_code: 'payer_insufficient_funds' } },
  '0002': { ...succeeds, end: { kind: 'refused', failure_code: 'payer_declined' } },
  // The request lapses without a debit.
  '0003': { ...succeeds, end: { kind: 'refused', failure_code: 'payer_timeout' } },
  '0004': { ...succeeds, answer_lost: true, callbacks: 0 },
  '0005': { ...succeeds, callbacks: 2 },
  // Proof of another amount: an anomaly, and the payment stays pending.
  '0006': { ...succeeds, end: { kind: 'settled', amount_added: 1 } },
}

/** The scenario of a collection from a number with this end; any other end succeeds. */
export function collectionScenario(msisdnEnd: string): Scenario {
  return collections[msisdnEnd] ?? succeeds
}
