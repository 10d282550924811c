import { heldIn } from '../ledger/accounts.ts'
import { readAccountsNamed, readDayBalances } from '../ledger/store.ts'
import type { Db } from '../platform/postgres/database.ts'

/**
 * The francs that an external account has in the books of all merchants and the house at the end of a day. One short search for each merchant that has
 * money there.
 */
export async function booksAt(
  db: Db,
  { livemode, account }: { livemode: boolean; account: string },
  day: string,
): Promise<number> {
  let held = 0
  for (const key of await readAccountsNamed(db, livemode, [heldIn(account)])) {
    const [end] = await readDayBalances(db, key, { from: day, to: day })
    held -= end?.balance ?? 0
  }
  return held
}
