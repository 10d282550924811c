import type { Db } from '../platform/postgres/database.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import * as store from './directory-store.ts'

export type { ListedPerson, ListedRole } from './directory-store.ts'

/**
 * Lists all people of the merchants and the staff, in the order of their addresses.
 * @param search a part of an address; empty: all. `after` is the identifier of the last one shown, because a proxy logs addresses of pages
 */
export async function listPeople(db: Db, search: string, wanted: PageWanted): Promise<Page<store.ListedPerson>> {
  const text = normalizePerson(search) ?? ''
  const rows = await store.readPeople(db, { search: text, after: wanted.after ?? '', limit: wanted.limit + 1 })
  return pageOf(rows, wanted.limit, ({ person_id }) => person_id)
}

/** Reads one person by their identifier. Null: there is none. */
export function findListedPerson(db: Db, person_id: string): Promise<store.ListedPerson | null> {
  return store.readListedPerson(db, person_id)
}
