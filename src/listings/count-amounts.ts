import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { firstIdAt } from '../values/ids.ts'
import { idPrefixes, type ListedKind } from './listed-operation.ts'
import { readAmounts } from './store.ts'

/** The most operations that one answer counts. */
export const COUNTED_MAX = 100_000

/** An amount in francs, and the number of operations with it. */
export type CountedAmount = { amount: number; operations: number }

/** The states in which the service has taken an operation's fee. */
const charged: Readonly<Record<ListedKind, readonly string[]>> = {
  payment: ['succeeded', 'partially_refunded', 'refunded'],
  payout: ['succeeded'],
}

/**
 * Counts the amounts of a period's successful operations that the worker has listed, at most `COUNTED_MAX`. They serve to estimate the cost
 * of such a period, and never for a decision.
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

/** The days in which payments above an amount are counted. */
const ABOVE_DAYS = 30

/** The number of payments above an amount. `whole` is false when there were more payments than one answer counts. */
export type PaymentsAbove = { operations: number; whole: boolean }

/** Creates the count of successful payments of the last 30 days above an amount in francs, which a limit would have refused. */
export function createCountPaymentsAbove({ reads, clock }: { reads: Db; clock: Clock }) {
  return async (tenant: Tenant, amount: number): Promise<PaymentsAbove> => {
    const before = clock.now()
    const from = new Date(before.getTime() - ABOVE_DAYS * 86_400_000)
    const counted = await countAmounts(reads, tenant, 'payment', { from, before })
    const sum = (of: readonly CountedAmount[]) => of.reduce((all, { operations }) => all + operations, 0)
    return { operations: sum(counted.filter((one) => one.amount > amount)), whole: sum(counted) < COUNTED_MAX }
  }
}
