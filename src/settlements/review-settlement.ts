import { type DestinationToday, readDestination } from '../beneficiaries/store.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { SettlementRow } from './settlement.ts'
import * as store from './store.ts'

/** Settlements shown together at most. */
const OPEN_MAX = 200

/**
 * The settlements that wait to be validated or paid, the oldest first, at most 200.
 * @param of one merchant in one mode; all of one mode; null: all
 */
export function readOpenSettlements(db: Db, of: Tenant | Pick<Tenant, 'livemode'> | null): Promise<SettlementRow[]> {
  return store.readOpen(db, { ...of, limit: OPEN_MAX })
}

export type SettlementReviewed =
  | {
      kind: 'found'
      settlement: SettlementRow
      /** How its destination stands in the book today: one that lost its designation is worth a question. */
      destination_today: DestinationToday
      /** The whole IBAN or number; null unless it was asked for and the settlement waits to be paid. */
      account: string | null
    }
  | { kind: 'refused'; code: 'resource_not_found' | 'not_to_be_paid' }

/**
 * A settlement as the team decides on it.
 * @param reveal true for the person who makes the transfer and needs the whole account: only while it waits to be paid
 */
export async function reviewSettlement(db: Db, settlement_id: string, reveal: boolean): Promise<SettlementReviewed> {
  const settlement = await store.findSettlement(db, settlement_id)
  if (settlement === null) return { kind: 'refused', code: 'resource_not_found' }
  if (reveal && settlement.status !== 'validated') return { kind: 'refused', code: 'not_to_be_paid' }
  const { account, destination_today } = await readDestination(db, { ...settlement, id: settlement.beneficiary_id })
  return { kind: 'found', settlement, destination_today, account: reveal ? account : null }
}
