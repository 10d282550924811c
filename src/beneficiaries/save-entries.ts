import type { Tx } from '../platform/postgres/database.ts'
import type { BeneficiaryRow } from './beneficiary.ts'
import * as store from './store.ts'

/**
 * Entries of the book for destinations, created or found, in the order of `entries`; one that comes twice is created by
 * the first. Where all are new that is one statement. Its entries are locked until the transaction ends, and after them the sizes of
 * the books: call it once in a transaction.
 */
export async function saveEntries(
  tx: Tx,
  by: 'msisdn' | 'iban',
  entries: readonly store.NewEntry[],
): Promise<(BeneficiaryRow & { created: boolean })[]> {
  const missing = new Map(entries.toReversed().map((entry) => [keyOf(entry), entry]))
  const saved = new Map<string, store.SavedEntry>()
  // The first statement locks the entries that it does not create, so that the second finds them.
  for (const look of [store.insertEntries, store.findEntries]) {
    if (missing.size === 0) break
    for (const row of await look(tx, by, [...missing.values()])) {
      saved.set(keyOf(row), row)
      missing.delete(keyOf(row))
    }
  }
  const told = new Set<string>()
  return entries.map((entry) => {
    const key = keyOf(entry)
    const { msisdn, iban, created, ...row } = saved.get(key)!
    const first = !told.has(key)
    told.add(key)
    return { ...row, created: created && first }
  })
}

function keyOf({ merchant_id, livemode, kind, msisdn, iban }: store.NewEntry | store.SavedEntry): string {
  return `${merchant_id} ${livemode} ${kind} ${msisdn ?? iban}`
}
