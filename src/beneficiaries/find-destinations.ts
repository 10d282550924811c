import type { Tx } from '../platform/postgres/database.ts'
import { type BeneficiaryKey, wellFormed } from './beneficiary.ts'
import * as store from './store.ts'

/** An active entry of the book, with its designation for settlements. One of kind `payout` is never designated. */
export type SettlementCandidate = store.SettlementCandidate

/**
 * Reads the active entries with these ids in one statement, in no order, each once; `id` is in lower case. An id is absent if it is not in
 * this merchant's book of this mode, archived, or no UUID.
 * @param cooling_hours hours between a designation and the first settlement to it
 */
export async function findSettlementCandidates(
  tx: Tx,
  keys: readonly BeneficiaryKey[],
  cooling_hours: number,
): Promise<SettlementCandidate[]> {
  const named = wellFormed(keys)
  return named.length === 0 ? [] : store.readSettlementCandidates(tx, named, cooling_hours)
}
