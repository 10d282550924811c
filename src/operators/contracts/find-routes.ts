import type { Db } from '../../platform/postgres/database.ts'
import { EVERYBODY, type RouteRow, readRoutes } from './route-store.ts'

/** A route in a list. `merchant_id` null: all merchants without a route of their own. */
export type ListedRoute = Omit<RouteRow, 'merchant_id'> & { merchant_id: number | null }

/** The routes of a mode: everybody's first, then those of merchants. */
export async function listRoutes(db: Db, livemode: boolean): Promise<ListedRoute[]> {
  const rows = await readRoutes(db, livemode)
  return rows.map((row) => ({ ...row, merchant_id: row.merchant_id === EVERYBODY ? null : row.merchant_id }))
}
