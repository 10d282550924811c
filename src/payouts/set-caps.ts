import type { Db } from '../platform/postgres/database.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import type { Tenant } from '../words/caller.ts'
import * as store from './store.ts'

export type CapsSet =
  /** Null: the service's own. */
  | { kind: 'set'; caps: { operation: number | null; day: number | null } }
  | { kind: 'refused'; code: 'resource_not_found' }

/** Sets a merchant's own caps in one mode, in francs; what is null stays as it is. They hold from the next payout on. */
export async function setCaps(
  db: Db,
  tenant: Tenant,
  caps: { operation: number | null; day: number | null },
): Promise<CapsSet> {
  try {
    return { kind: 'set', caps: await store.writeCaps(db, tenant, caps) }
  } catch (error) {
    if (violatedConstraint(error) !== 'payout_caps_merchant_id_fkey') throw error
    return { kind: 'refused', code: 'resource_not_found' }
  }
}
