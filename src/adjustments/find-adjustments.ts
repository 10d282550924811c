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

/** The adjustments of every merchant in one mode that wait for a second person, the oldest first, 500 at most. */
export function readWaitingAdjustments(db: Db, livemode: boolean): Promise<AdjustmentRow[]> {
  return store.readWaitingAdjustments(db, livemode, SHOWN_MAX)
}

/** One adjustment; null when there is none. For the team, which may see every merchant's. */
export function readAdjustment(db: Db, adjustment_id: string): Promise<AdjustmentRow | null> {
  return store.findAdjustment(db, adjustment_id)
}
