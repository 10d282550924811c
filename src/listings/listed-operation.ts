import type { FailureCode } from '../values/failure-codes.ts'
import type { IdPrefix } from '../values/ids.ts'
import type { Msisdn } from '../values/msisdn.ts'

/** The kinds of operations that a merchant can list. */
export const operationKinds = ['payment', 'payout', 'batch', 'settlement', 'refund'] as const
export type OperationKind = (typeof operationKinds)[number]

/** The kinds with many rows, which the worker lists. The keys of the other tables begin with the merchant. */
export const listedKinds = ['payment', 'payout'] as const
export type ListedKind = (typeof listedKinds)[number]

/** Whether the worker lists operations of a kind. */
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

/** A row of a list, a result of a search, or a line of an export. Amounts are in francs. */
export type ListedOperation = {
  kind: OperationKind
  id: string
  /** A state from the kind's `states.ts`. */
  status: string
  amount: number
  /** Null when the kind has no fee. */
  fee_amount: number | null
  operator: string | null
  /** The number of the payer or beneficiary. It prints itself masked; only people with the right see the whole number. */
  msisdn: Msisdn | null
  /** The last four digits of the number, or the end of the account of a settlement. */
  last4: string | null
  /** The holder of a destination, or the merchant's own label. */
  name: string | null
  /** The merchant's own reference, or the bank's of a settlement. */
  reference: string | null
  /** The description of a payment, the reason of a refund, or the reason why a settlement was rejected. */
  description: string | null
  failure_code: FailureCode | null
  /** The batch of a payout, or the payment of a refund. */
  parent_id: string | null
  created_at: Date
  concluded_at: Date | null
}

/** The filters of a list. An operation must match all that are given; null or empty: any. */
export type OperationFilters = {
  kind: OperationKind
  /** The status is one of these. */
  statuses: readonly string[]
  operator: string | null
  /** Created from this moment on, and before the next one. */
  created_from: Date | null
  created_before: Date | null
  /** In francs, both included. */
  amount_min: number | null
  amount_max: number | null
  /** The merchant's own reference, in any Unicode composition. */
  reference: string | null
  /** A whole phone number, or the last four digits of one. */
  number: Msisdn | string | null
  /** The reason of a failure. */
  failure_code: FailureCode | null
}

/** Returns the filters that match every operation of a kind. */
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
