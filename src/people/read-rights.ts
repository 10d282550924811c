import type { Db } from '../platform/postgres/database.ts'
import { type Right, rightsOf } from '../values/rights.ts'
import { STAFF } from './person.ts'
import * as store from './store.ts'

/** Rights at one merchant, and in the staff. */
export type Rights = { readonly merchant: ReadonlySet<Right>; readonly staff: ReadonlySet<Right> }

/**
 * Reads the current rights of a person: those of their roles in effect. A person who is not active has none.
 * @param person their e-mail address, normalized by `normalizePerson`
 * @param merchant_id `STAFF`: at no merchant
 */
export async function readRights(db: Db, person: string, merchant_id: number): Promise<Rights> {
  const roles = await store.readEffectiveRoles(db, person, merchant_id)
  const at = (place: number) => rightsOf(roles.filter((role) => role.merchant_id === place).map(({ role }) => role))
  return { merchant: merchant_id === STAFF ? new Set() : at(merchant_id), staff: at(STAFF) }
}
