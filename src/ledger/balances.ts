import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import * as store from './store.ts'

/** The debts of the service to a merchant, in francs, by account. */
export type Balances = {
  available: number
  transfer: number
  payouts_in_flight: number
  settlements_in_flight: number
}

/** The present balances of a merchant in one mode. Null when there is no such merchant. */
export async function readBalances(db: Db, tenant: Tenant): Promise<Balances | null> {
  const found = await readBalancesNow(db, tenant)
  if (found === null) return null
  const { available, transfer, payouts_in_flight, settlements_in_flight } = found
  return { available, transfer, payouts_in_flight, settlements_in_flight }
}

/** The present balances with the database's time at which they were read together. */
export async function readBalancesNow(db: Db, tenant: Tenant): Promise<(Balances & { as_of: Date }) | null> {
  const rows = await store.readBalances(db, tenant)
  const [first] = rows
  if (first === undefined) return null
  const of = new Map(rows.map(({ account, balance }) => [account, balance]))
  return {
    available: of.get('available') ?? 0,
    transfer: of.get('transfer') ?? 0,
    payouts_in_flight: of.get('payouts_in_flight') ?? 0,
    settlements_in_flight: of.get('settlements_in_flight') ?? 0,
    as_of: first.as_of,
  }
}
