import type { Clock } from '../platform/clock.ts'
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

/** The days of which payments above an amount are counted. */
const ABOVE_DAYS = 30

/** Payments above an amount. `whole` is false when there were more payments than are counted. */
export type PaymentsAbove = { operations: number; whole: boolean }

/** Counts the payments of the last 30 days that succeeded and were above an amount, in francs: what a limit would have refused. */
export function createCountPaymentsAbove({ reads, clock }: { reads: Db; clock: Clock }) {
  return async (tenant: Tenant, amount: number): Promise<PaymentsAbove> => {
    const before = clock.now()
    const from = new Date(before.getTime() - ABOVE_DAYS * 86_400_000)
    const counted = await countAmounts(reads, tenant, 'payment', { from, before })
    const sum = (of: readonly CountedAmount[]) => of.reduce((all, { operations }) => all + operations, 0)
    return { operations: sum(counted.filter((one) => one.amount > amount)), whole: sum(counted) < COUNTED_MAX }
  }
}
