import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type Tenant, tenantKey, tenantOf } from '../values/caller.ts'
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

/** An entry, as a payout names it: by its id, or by its number. */
export type NamedEntry = Tenant & ({ kind: 'book'; beneficiary_id: string } | { kind: 'inline'; msisdn: Msisdn })

/** Entries and numbers read from the books of some merchants. */
export type PayoutBook = {
  /** Null: no entry that this merchant can pay in this mode (unknown, another's, archived, a settlement's), or no id at all. */
  find(named: NamedEntry): BookEntry | null
  /** Notes an entry that is to be inserted, so that whoever names its number afterwards finds it. */
  add(entry: Tenant & BookEntry): void
}

/** An entry that a payout brings. `added_by`: the asker of the payout or of its batch, as rows keep it. */
type NewBookEntry = Tenant & BookEntry & { added_by: string }

/** Adds an entry to the payout book; fails on a number that has an active one, which nobody adds while `readBook` holds true. */
export const insertBookEntry = defineEffect<NewBookEntry>('beneficiary', (tx, entries) =>
  store.insertEntries(
    tx,
    entries.map(({ merchant_id, livemode, beneficiary_id: id, name, label, operator, msisdn, added_by }) => {
      return { merchant_id, livemode, id, kind: 'payout', name, label, operator, msisdn, iban: null, added_by }
    }),
  ),
)

/** The active entries that these name. With the merchants' `transfer` accounts locked nothing is archived or added until the transaction ends. */
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
    entries.set(`${tenantKey(row)}/${name}`, { beneficiary_id, name: holder, label, msisdn, operator })
  }
  for (const row of byId) put(row.id, row)
  for (const row of byNumber) put(row.msisdn, row)
  return createPayoutBook(entries)
}

/** @param entries by `<merchant>/<mode>/<id or number>` */
export function createPayoutBook(entries: Map<string, BookEntry>): PayoutBook {
  return {
    find(named) {
      const name = named.kind === 'book' ? named.beneficiary_id.toLowerCase() : named.msisdn.e164
      return entries.get(`${tenantKey(named)}/${name}`) ?? null
    },
    add: (entry) => void entries.set(`${tenantKey(entry)}/${entry.msisdn}`, entry),
  }
}
