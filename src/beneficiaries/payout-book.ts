import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { rowKey, type Tenant, tenantOf } from '../values/caller.ts'
import type { Msisdn } from '../values/msisdn.ts'
import { findActivePayoutBeneficiaries } from './find-beneficiaries.ts'
import * as store from './store.ts'

/** An active entry of the payout book, with the whole number. */
export type BookEntry = {
  beneficiary_id: string
  name: string
  label: string | null
  msisdn: string
  operator: string | null
}

/** The two ways in which a payout names an entry: by its id, or by its number. */
export type NamedEntry = Tenant & ({ kind: 'book'; beneficiary_id: string } | { kind: 'inline'; msisdn: Msisdn })

/** Entries read from the books of some merchants. */
export type PayoutBook = {
  /** Finds an entry. Null when this merchant cannot pay it in this mode: it is unknown, another's, archived, a settlement's, or no UUID. */
  find(named: NamedEntry): BookEntry | null
  /** Adds an entry that the caller will insert, so that a later line with its number finds it. */
  add(entry: Tenant & BookEntry): void
}

/** An entry that a payout adds. `added_by`: the maker of the payout or batch, as rows store it. */
type NewBookEntry = Tenant & BookEntry & { added_by: string }

/** Adds an entry to the payout book. Fails for a number with an active entry, but the locks of `readBook` prevent that. */
export const insertBookEntry = defineEffect<NewBookEntry>('beneficiary', (tx, entries) =>
  store.insertEntries(
    tx,
    entries.map(({ merchant_id, livemode, beneficiary_id: id, name, label, operator, msisdn, added_by }) => {
      return { merchant_id, livemode, id, kind: 'payout', name, label, operator, msisdn, iban: null, added_by }
    }),
  ),
)

/** Reads the named active entries. The caller has locked the merchants' `transfer` accounts, so nothing is archived or added until the transaction ends. */
export async function readBook(tx: Tx, named: readonly NamedEntry[]): Promise<PayoutBook> {
  const ids = named.flatMap((one) => (one.kind === 'book' ? [{ ...tenantOf(one), id: one.beneficiary_id }] : []))
  const numbers = named.flatMap((one) => (one.kind === 'inline' ? [{ ...tenantOf(one), msisdn: one.msisdn.e164 }] : []))
  const [byId, byNumber] = await Promise.all([
    findActivePayoutBeneficiaries(tx, ids),
    numbers.length > 0 ? store.readActivePayoutByNumber(tx, numbers) : [],
  ])
  const entries = new Map<string, BookEntry>()
  const put = (name: string, row: store.PayoutDestination) => {
    const { id: beneficiary_id, name: holder, label, msisdn, operator } = row
    entries.set(rowKey(row, name), { beneficiary_id, name: holder, label, msisdn, operator })
  }
  for (const row of byId) put(row.id, row)
  for (const row of byNumber) put(row.msisdn, row)
  return createPayoutBook(entries)
}

/** Creates a book of these entries. @param entries by `rowKey`, with the id or the number */
export function createPayoutBook(entries: Map<string, BookEntry>): PayoutBook {
  return {
    find(named) {
      const name = named.kind === 'book' ? named.beneficiary_id.toLowerCase() : named.msisdn.e164
      return entries.get(rowKey(named, name)) ?? null
    },
    add: (entry) => void entries.set(rowKey(entry, entry.msisdn), entry),
  }
}
