import { lockAccounts } from '../ledger/post.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { BeneficiaryRow } from './beneficiary.ts'
import * as store from './store.ts'

/** `existing`: the destination was in the book already. Its entry has the stored name and operator. */
export type SavedEntry = { kind: 'created' | 'existing'; beneficiary: BeneficiaryRow }

/**
 * Adds a destination to the book, or finds its active entry. Of simultaneous calls for one destination, one adds it.
 *
 * It takes the lock under which payouts and batches add theirs, so that none of them reads a book without a number and conflicts when it
 * writes. Otherwise a batch would have to start again for each of its numbers that is added meanwhile.
 * @param created called for a new entry, in the transaction that adds it
 */
export function saveEntry(
  sql: Sql,
  destination: Omit<store.NewEntry, 'id'>,
  created?: (tx: Tx, entry: BeneficiaryRow) => void,
): Promise<SavedEntry> {
  const entry = { ...destination, id: crypto.randomUUID() }
  const { merchant_id, livemode } = destination
  return sql.begin(async (tx): Promise<SavedEntry> => {
    await lockAccounts(tx, [{ merchant_id, livemode, account: 'transfer' }])
    const known = await store.readActive(tx, entry)
    if (known !== null) return { kind: 'existing', beneficiary: known }
    store.insertEntries(tx, [entry])
    const beneficiary = (await store.readActive(tx, entry))!
    created?.(tx, beneficiary)
    return { kind: 'created', beneficiary }
  })
}
