import type { Tx } from '../platform/postgres/database.ts'
import type { BeneficiaryRow } from './beneficiary.ts'
import * as store from './store.ts'

/** What is there is found in the first; only an entry archived in between asks for another. */
const TRIES = 5

/**
 * Entries of the book for destinations, created or found, in the order of `entries`; one that comes twice is created by
 * the first.
 * @throws when entries are archived and brought again faster than we look: the caller's transaction may be repeated
 */
export async function saveEntries(
  tx: Tx,
  by: 'msisdn' | 'iban',
  entries: readonly store.NewEntry[],
): Promise<(BeneficiaryRow & { created: boolean })[]> {
  const missing = new Map(entries.toReversed().map((entry) => [keyOf(entry), entry]))
  const saved = new Map<string, store.SavedEntry>()
  const keep = (row: store.SavedEntry) => {
    saved.set(keyOf(row), row)
    missing.delete(keyOf(row))
  }
  for (let tries = 1; missing.size > 0; tries += 1) {
    if (tries > TRIES) throw new Error('Entries of the book came and went while they were being saved.')
    for (const row of await store.insertEntries(tx, by, [...missing.values()])) keep(row)
    if (missing.size === 0) break
    for (const row of await store.findEntries(tx, by, [...missing.values()])) keep(row)
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
