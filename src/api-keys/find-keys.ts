import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import { findKey, type ListedKey, selectKey, selectKeysAfter, selectNewestKeys } from './store.ts'

/** Keys by merchant and mode, revoked ones too: of one merchant in one mode, or of all. `after` is the `key_id` of the last one shown. */
export async function listKeys(
  db: Db,
  { tenant, limit, after }: PageWanted & { tenant: Tenant | null },
): Promise<Page<ListedKey>> {
  const last = after === null ? null : await findKey(db, after, tenant)
  const rows = await selectKeysAfter(db, { tenant, after: last, limit: limit + 1 })
  return pageOf(rows, limit, ({ key_id }) => key_id)
}

/** Keys of one merchant in one mode, the newest first, revoked ones too. */
export async function newestKeys(db: Db, tenant: Tenant, wanted: PageWanted): Promise<Page<ListedKey>> {
  const rows = await selectNewestKeys(db, tenant, { ...wanted, limit: wanted.limit + 1 })
  return pageOf(rows, wanted.limit, ({ key_id }) => key_id)
}

/** One key of a merchant in one mode; null: there is none. */
export async function findKeyOf(db: Db, tenant: Tenant, key_id: string): Promise<ListedKey | null> {
  return selectKey(db, { ...tenant, key_id })
}

export type KeyStatus = 'to_confirm' | 'active' | 'revoked'

/** How a key stands: only an active one lets anybody in. */
export function keyStatus(key: Pick<ListedKey, 'revoked_at' | 'needs_confirmation' | 'confirmed_at'>): KeyStatus {
  if (key.revoked_at !== null) return 'revoked'
  return key.needs_confirmation && key.confirmed_at === null ? 'to_confirm' : 'active'
}
