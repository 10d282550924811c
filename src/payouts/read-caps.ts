import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Caps } from './decide-payout.ts'
import type { UsualCaps } from './spending-limits.ts'
import * as store from './store.ts'

/** The caps in force for a merchant in one mode, in francs: its own, and the service's where it has none. To be shown, not to decide on. */
export async function readCaps(db: Db, tenant: Tenant, usual: UsualCaps): Promise<Caps> {
  const { operation, day } = await store.readCaps(db, tenant)
  return { operation: operation ?? usual.payout_cap_operation, day: day ?? usual.payout_cap_day }
}
