import { maySecond } from '../acts/second-person.ts'
import { creatorOfKey } from '../api-keys/find-keys.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'

/**
 * Whether a person is on the maker's side of a payout request or a batch, so that they do not decide on it: its maker, the person who created the
 * maker's key, or somebody who let one of these in within 90 days. The database refuses the same people.
 * @param made_by a person, or `key:…`
 */
export async function isOfMakersSide(db: Db, tenant: Tenant, made_by: string, person: string): Promise<boolean> {
  return !(await maySecond(db, [made_by, await creatorOfKey(db, tenant, made_by)], person))
}
