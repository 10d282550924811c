import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { AdjustmentRow } from './adjustment.ts'
import * as store from './store.ts'

/** The most adjustments in one list. */
const SHOWN_MAX = 500

/** Lists a merchant's adjustments in one mode, newest first, at most 500. */
export function readAdjustments(db: Db, tenant: Tenant): Promise<AdjustmentRow[]> {
  return store.readAdjustments(db, tenant, SHOWN_MAX)
}

/** Lists the adjustments of all merchants in one mode that wait for a second person, oldest first, at most 500. */
export function readWaitingAdjustments(db: Db, livemode: boolean): Promise<AdjustmentRow[]> {
  return store.readWaitingAdjustments(db, livemode, SHOWN_MAX)
}

/** Reads one adjustment of any merchant, for staff. Null when there is none. */
export function readAdjustment(db: Db, adjustment_id: string): Promise<AdjustmentRow | null> {
  return store.findAdjustment(db, adjustment_id)
}
