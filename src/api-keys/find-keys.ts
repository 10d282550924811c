import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import { findKey, type ListedKey, selectKey, selectKeysAfter, selectNewestKeys } from './store.ts'

/**
 * Lists keys by merchant and mode, with revoked ones: of one merchant in one mode, or of all. `after` is the `key_id` of the last one
 * shown.
 */
export async function listKeys(
  db: Db,
  { tenant, limit, after }: PageWanted & { tenant: Tenant | null },
): Promise<Page<ListedKey>> {
  const last = after === null ? null : await findKey(db, after, tenant)
  const rows = await selectKeysAfter(db, { tenant, after: last, limit: limit + 1 })
  return pageOf(rows, limit, ({ key_id }) => key_id)
}

/** Lists the keys of one merchant in one mode, newest first, with revoked ones. */
export async function newestKeys(db: Db, tenant: Tenant, wanted: PageWanted): Promise<Page<ListedKey>> {
  const rows = await selectNewestKeys(db, tenant, { ...wanted, limit: wanted.limit + 1 })
  return pageOf(rows, wanted.limit, ({ key_id }) => key_id)
}

/** Reads one key of a merchant in one mode. Null when there is none. */
export async function findKeyOf(db: Db, tenant: Tenant, key_id: string): Promise<ListedKey | null> {
  return selectKey(db, { ...tenant, key_id })
}

/**
 * Reads the person who created the API key that made a request: they are on the maker's side. Null when no key made it, or its creator is unknown.
 * @param made_by `key:…`, as rows store it
 */
export async function creatorOfKey(db: Db, tenant: Tenant, made_by: string): Promise<string | null> {
  if (!made_by.startsWith('key:')) return null
  return (await findKeyOf(db, tenant, made_by.slice('key:'.length)))?.created_by ?? null
}
