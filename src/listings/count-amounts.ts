import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { firstIdAt } from '../values/ids.ts'
import { idPrefixes, type ListedKind } from './listed-operation.ts'
import { readAmounts } from './store.ts'

/** Operations that are looked at for one answer. */
export const COUNTED_MAX = 100_000

/** An amount in francs with the number of operations that have it. */
export type CountedAmount = { amount: number; operations: number }

/** The states in which the fee of an operation was taken. */
const charged: Readonly<Record<ListedKind, readonly string[]>> = {
  payment: ['succeeded', 'partially_refunded', 'refunded'],
  payout: ['succeeded'],
}

/**
 * The amounts of the operations that were made in a period and succeeded, as the worker has listed them: to reckon what such a period would have
 * cost, and never to decide on. Of more than COUNTED_MAX operations that many are counted.
 */
export function countAmounts(
  db: Db,
  tenant: Tenant,
  kind: ListedKind,
  { from, before }: { from: Date; before: Date },
): Promise<CountedAmount[]> {
  const idAt = (at: Date) => firstIdAt(idPrefixes[kind], at.getTime())
  const of = { kind, statuses: charged[kind], from: idAt(from), before: idAt(before), limit: COUNTED_MAX }
  return readAmounts(db, tenant, of)
}
