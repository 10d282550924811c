import type { FailureCode } from '../values/failure-codes.ts'
import type { IdPrefix } from '../values/ids.ts'
import type { Msisdn } from '../values/msisdn.ts'

/** Everything of which a merchant has lists. */
export const operationKinds = ['payment', 'payout', 'batch', 'settlement', 'refund'] as const
export type OperationKind = (typeof operationKinds)[number]

/** The kinds that grow with every call: the worker lists them. The tables of the others have their merchant in front of their keys. */
export const listedKinds = ['payment', 'payout'] as const
export type ListedKind = (typeof listedKinds)[number]

export function isListed(kind: OperationKind): kind is ListedKind {
  return (listedKinds as readonly string[]).includes(kind)
}

/** The prefix of the identifiers of each kind. */
export const idPrefixes: Readonly<Record<OperationKind, IdPrefix>> = {
  payment: 'txn',
  payout: 'txn',
  batch: 'pob',
  settlement: 'stl',
  refund: 'rfd',
}

/** Milliseconds by which the time in an identifier may differ from the moment at which its row says it was created. */
export const IDS_OFF_MS = 60_000

/** A row of a list, a result of a search, a line of an export. Amounts in francs. */
export type ListedOperation = {
  kind: OperationKind
  id: string
  /** As `states.ts` of its kind has them. */
  status: string
  amount: number
  /** Null: this kind has none. */
  fee_amount: number | null
  operator: string | null
  /** The payer's or the beneficiary's number. It prints itself masked; the whole number is for those who may see it. */
  msisdn: Msisdn | null
  /** The last four digits of the number, or the end of the account of a settlement. */
  last4: string | null
  /** The holder or the merchant's own words, of a destination. */
  name: string | null
  /** The merchant's own, as it was written; of a settlement the bank's. */
  reference: string | null
  /** The merchant's words for a payment, the reason of a refund, and why a settlement was rejected. */
  description: string | null
  failure_code: FailureCode | null
  /** The batch that a payout is a line of; the payment that a refund gives back. */
  parent_id: string | null
  created_at: Date
  concluded_at: Date | null
}

/** Narrows a list; null or empty: any. All that are given must hold. */
export type OperationFilters = {
  kind: OperationKind
  /** One of these. */
  statuses: readonly string[]
  operator: string | null
  /** Created from this moment on, and before that one. */
  created_from: Date | null
  created_before: Date | null
  /** Francs, both included. */
  amount_min: number | null
  amount_max: number | null
  /** The merchant's own reference, however its letters were composed. */
  reference: string | null
  /** A whole number, or the last four digits of one. */
  number: Msisdn | string | null
  /** Those that failed for this reason. */
  failure_code: FailureCode | null
}

/** Every operation of a kind. */
export function allOf(kind: OperationKind): OperationFilters {
  return {
    kind,
    statuses: [],
    operator: null,
    created_from: null,
    created_before: null,
    amount_min: null,
    amount_max: null,
    reference: null,
    number: null,
    failure_code: null,
  }
}
