import type { Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Msisdn } from '../values/msisdn.ts'
import { type BeneficiaryKey, wellFormed } from './beneficiary.ts'
import * as store from './store.ts'

/** An entry that a payout can name; `msisdn` is the whole number. */
export type PayoutBeneficiary = store.PayoutDestination

/**
 * Reads the entries with these ids in one statement, in no order, each once; `id` is in lower case. An id is absent if this merchant cannot
 * pay it in this mode: it is unknown, another's, archived, a settlement's, or no UUID.
 */
export async function findActivePayoutBeneficiaries(
  tx: Tx,
  keys: readonly BeneficiaryKey[],
): Promise<PayoutBeneficiary[]> {
  const named = wellFormed(keys)
  return named.length === 0 ? [] : store.readActivePayout(tx, named)
}

export type NumberInBook = store.NumberInBook

/**
 * Reads these numbers in a merchant's book, by the number in international form. The result has unknown numbers as well. While the caller
 * holds the lock of the merchant's `transfer` account, no entry is archived.
 */
export async function findNumbers(
  tx: Tx,
  tenant: Tenant,
  numbers: readonly Msisdn[],
): Promise<ReadonlyMap<string, NumberInBook>> {
  const distinct = [...new Set(numbers.map(({ e164 }) => e164))]
  const rows = distinct.length === 0 ? [] : await store.readNumbers(tx, tenant, distinct)
  return new Map(rows.map((row) => [row.msisdn, row]))
}
