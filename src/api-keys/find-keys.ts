import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import { findKey, type ListedKey, selectKeysAfter } from './store.ts'

/** Keys by merchant and mode, revoked ones too: of one merchant in one mode, or of all. `after` is the `key_id` of the last one shown. */
export async function listKeys(
  db: Db,
  { tenant, limit, after }: PageWanted & { tenant: Tenant | null },
): Promise<Page<ListedKey>> {
  const last = after === null ? null : await findKey(db, after)
  const rows = await selectKeysAfter(db, { tenant, after: last, limit: limit + 1 })
  return pageOf(rows, limit, ({ key_id }) => key_id)
}
