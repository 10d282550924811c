import type { Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Msisdn } from '../values/msisdn.ts'
import type { BeneficiaryRow } from './beneficiary.ts'
import { saveEntries } from './save-entries.ts'

export type PayoutEntry = Tenant & {
  msisdn: Msisdn
  operator: string | null
  /** The holder. */
  name: string
  /** The merchant's own words; null when a payout brings the number. */
  label: string | null
}

/** `created`: false when the number was in the book already, with the name and the operator it has there. */
export type SavedBeneficiary = BeneficiaryRow & { created: boolean }

/**
 * Brings payout destinations to the book, in the caller's transaction, and returns the entry of each in the order of
 * `entries`. A number that is there stays as it is, and one that comes twice is one entry, created by the first.
 *
 * Another transaction that brings the same number waits for this one to end. To avoid deadlocks, call it once in a
 * transaction, and after the accounts, when it locks some.
 */
export async function saveBeneficiaries(tx: Tx, entries: readonly PayoutEntry[]): Promise<SavedBeneficiary[]> {
  return saveEntries(
    tx,
    'msisdn',
    entries.map(({ merchant_id, livemode, msisdn, operator, name, label }) => {
      return { merchant_id, livemode, kind: 'payout', label, name, operator, msisdn: msisdn.e164, iban: null }
    }),
  )
}
