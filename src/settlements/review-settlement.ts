import { type DestinationToday, readDestination } from '../beneficiaries/store.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { SettlementRow } from './settlement.ts'
import * as store from './store.ts'

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
      /** The whole IBAN or number. Null unless `reveal` is true and the settlement waits to be paid. */
      account: string | null
    }
  | { kind: 'refused'; code: 'resource_not_found' | 'not_to_be_paid' }

/**
 * Reads the facts by which staff decide on a settlement.
 * @param reveal true for the person who makes the transfer and needs the whole account, which is shown only while it waits to be paid
 */
export async function reviewSettlement(db: Db, settlement_id: string, reveal: boolean): Promise<SettlementReviewed> {
  const settlement = await store.findSettlement(db, settlement_id)
  if (settlement === null) return { kind: 'refused', code: 'resource_not_found' }
  if (reveal && settlement.status !== 'validated') return { kind: 'refused', code: 'not_to_be_paid' }
  const { account, destination_today } = await readDestination(db, { ...settlement, id: settlement.beneficiary_id })
  return { kind: 'found', settlement, destination_today, account: reveal ? account : null }
}
