import type { Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Msisdn } from '../values/msisdn.ts'
import { type BeneficiaryKey, beneficiaryIdIn } from './beneficiary.ts'
import * as store from './store.ts'

/** An entry that a payout can go to; `msisdn` is the whole number. */
export type PayoutBeneficiary = store.PayoutDestination

/**
 * The entries that these ids name, in one statement and in no order, each once; its `id` is in small letters. An absent id is
 * nothing that this merchant can pay in this mode: unknown, another's, archived, a settlement's, or no id at all.
 */
export async function findActivePayoutBeneficiaries(
  tx: Tx,
  keys: readonly BeneficiaryKey[],
): Promise<PayoutBeneficiary[]> {
  const named = new Map<string, BeneficiaryKey>()
  for (const { merchant_id, livemode, id } of keys) {
    const known = beneficiaryIdIn(id)
    if (known !== null) named.set(`${merchant_id} ${livemode} ${known}`, { merchant_id, livemode, id: known })
  }
  return named.size === 0 ? [] : store.readActivePayout(tx, [...named.values()])
}

export type NumberInBook = store.NumberInBook

/**
 * Reads these numbers in a merchant's book, and answers by the number in international form; one that it never had is answered too.
 * While the caller holds the lock of the merchant's `transfer` account, nobody archives an entry.
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
