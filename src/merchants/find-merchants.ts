import type { Db } from '../platform/postgres/database.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import { type ListedMerchant, selectMerchants } from './store.ts'

/**
 * Merchants in the order of their numbers. `after` is the number of the last one shown.
 * @param search a part of the name, or the whole number; null: all
 */
export async function listMerchants(
  db: Db,
  { limit, after }: PageWanted,
  search: string | null = null,
): Promise<Page<ListedMerchant>> {
  const rows = await selectMerchants(db, { after: Number(after ?? 0), limit: limit + 1, search })
  return pageOf(rows, limit, ({ merchant_id }) => String(merchant_id))
}
