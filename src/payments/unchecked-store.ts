import type { Db, Tx } from '../platform/postgres/database.ts'
import { insertRows } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'

/** A payment that counts towards the day of an unchecked merchant. `day` is the day of its request, such as `2026-11-30`. */
export type UncheckedPayment = Tenant & { readonly day: string; readonly payment_id: string; readonly amount: number }

/** Sums the francs of a day that an unchecked merchant collected or waits for. For a decision the merchant is locked, so that no other payment of it begins meanwhile. */
export async function sumOfDay(
  db: Db,
  { merchant_id, livemode, day }: Pick<UncheckedPayment, 'merchant_id' | 'livemode' | 'day'>,
): Promise<number> {
  const [row] = await db<{ sum: number }[]>`
    select coalesce(sum(u.amount), 0)::bigint as sum
      from unchecked_payments u
      join payments p on p.merchant_id = u.merchant_id and p.livemode = u.livemode and p.id = u.payment_id
     where u.merchant_id = ${merchant_id} and u.livemode = ${livemode} and u.day = ${day}::date
       and p.status not in ('failed', 'expired')`
  return row!.sum
}

export function insertUnchecked(tx: Tx, payments: readonly UncheckedPayment[]): void {
  insertRows(tx, 'unchecked_payments', payments)
}
