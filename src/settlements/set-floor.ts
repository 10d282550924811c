import type { Db } from '../platform/postgres/database.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import type { Tenant } from '../words/caller.ts'
import * as store from './store.ts'

export type FloorSet = { kind: 'set'; minimum: number } | { kind: 'refused'; code: 'resource_not_found' }

/** Sets a merchant's own smallest settlement in one mode, in francs. It holds from the next request on. */
export async function setFloor(db: Db, tenant: Tenant, minimum: number): Promise<FloorSet> {
  try {
    await store.writeFloor(db, tenant, minimum)
    return { kind: 'set', minimum }
  } catch (error) {
    if (violatedConstraint(error) !== 'settlement_floors_merchant_id_fkey') throw error
    return { kind: 'refused', code: 'resource_not_found' }
  }
}
