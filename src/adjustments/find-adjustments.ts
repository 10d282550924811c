import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { AdjustmentRow } from './adjustment.ts'
import * as store from './store.ts'

/** Adjustments shown together at most. */
const SHOWN_MAX = 500

/** A merchant's adjustments in one mode, the newest first, 500 at most. */
export function readAdjustments(db: Db, tenant: Tenant): Promise<AdjustmentRow[]> {
  return store.readAdjustments(db, tenant, SHOWN_MAX)
}
