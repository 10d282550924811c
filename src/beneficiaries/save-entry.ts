import { retryOnConflict } from '../platform/commands/conflicts.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { BeneficiaryRow } from './beneficiary.ts'
import { DESTINATION_KEYS } from './payout-book.ts'
import * as store from './store.ts'

/** `existing`: the destination was in the book already, with the name and the operator that it has there. */
export type SavedEntry = { kind: 'created' | 'existing'; beneficiary: BeneficiaryRow }

/**
 * Brings one destination to the book, or finds the active entry that it has. Of those who bring the same one at once, one creates it.
 * @param created called for an entry that is new, in the transaction that creates it
 */
export function saveEntry(
  sql: Sql,
  destination: Omit<store.NewEntry, 'id'>,
  created?: (tx: Tx, entry: BeneficiaryRow) => void,
): Promise<SavedEntry> {
  const entry = { ...destination, id: crypto.randomUUID() }
  return retryOnConflict(DESTINATION_KEYS, () =>
    sql.begin(async (tx): Promise<SavedEntry> => {
      const known = await store.readActive(tx, entry)
      if (known !== null) return { kind: 'existing', beneficiary: known }
      store.insertEntries(tx, [entry])
      const beneficiary = (await store.readActive(tx, entry))!
      created?.(tx, beneficiary)
      return { kind: 'created', beneficiary }
    }),
  )
}
