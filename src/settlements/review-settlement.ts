import { type DestinationToday, readDestination } from '../beneficiaries/destination-store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { destinationKey, type SettlementRow } from './settlement.ts'
import * as store from './store.ts'
import { takeAccounts } from './take-accounts.ts'

/** The most settlements in one list. */
const OPEN_MAX = 200

/**
 * Lists the settlements that wait to be validated or paid, oldest first, at most 200.
 * @param of a merchant in one mode, or a mode; null: all
 */
export function readOpenSettlements(db: Db, of: Tenant | Pick<Tenant, 'livemode'> | null): Promise<SettlementRow[]> {
  return store.readOpen(db, { ...of, limit: OPEN_MAX })
}

export type SettlementReviewed =
  | {
      kind: 'found'
      settlement: SettlementRow
      /** The current state of its destination in the book: staff should ask about one that lost its designation. */
      destination_today: DestinationToday
    }
  | { kind: 'refused'; code: 'resource_not_found' }

/** Reads the facts by which staff decide on a settlement, without its whole account. */
export async function reviewSettlement(db: Db, settlement_id: string): Promise<SettlementReviewed> {
  const settlement = await store.findSettlement(db, settlement_id)
  if (settlement === null) return { kind: 'refused', code: 'resource_not_found' }
  const { destination_today } = await readDestination(db, destinationKey(settlement))
  return { kind: 'found', settlement, destination_today }
}

/**
 * Returns the whole IBAN or number of a settlement's destination, for the person who makes the transfer, and marks the settlement first
 * (`takeAccounts`). Null when it does not wait to be paid.
 */
export async function takeAccount(
  deps: { sql: Sql; clock: Clock },
  settlement: SettlementRow,
  by: Actor,
): Promise<string | null> {
  const taking = { act: 'settlement.show_account', by, at: deps.clock.now() } as const
  const [taken] = await takeAccounts(deps.sql, [settlement], taking)
  if (taken === undefined) return null
  return (await readDestination(deps.sql, destinationKey(taken))).account
}
