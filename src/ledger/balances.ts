import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import * as store from './store.ts'

/** What the service owes a merchant, in francs. */
export type Balances = {
  available: number
  transfer: number
  payouts_in_flight: number
  settlements_in_flight: number
}

/** The balances of a merchant in one mode, as they stand; null when there is no such merchant. */
export async function readBalances(db: Db, tenant: Tenant): Promise<Balances | null> {
  const rows = await store.readBalances(db, tenant)
  if (rows.length === 0) return null
  const of = new Map(rows.map(({ account, balance }) => [account, balance]))
  return {
    available: of.get('available') ?? 0,
    transfer: of.get('transfer') ?? 0,
    payouts_in_flight: of.get('payouts_in_flight') ?? 0,
    settlements_in_flight: of.get('settlements_in_flight') ?? 0,
  }
}
