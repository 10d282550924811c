import { lockAccounts } from '../ledger/post.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { BeneficiaryRow } from './beneficiary.ts'
import * as store from './store.ts'

/** `existing`: the destination was in the book already, with the name and the operator that it has there. */
export type SavedEntry = { kind: 'created' | 'existing'; beneficiary: BeneficiaryRow }

/**
 * Brings one destination to the book, or finds the active entry that it has. Of those who bring the same one at once, one creates it.
 *
 * It takes the lock under which payouts and batches bring theirs: none of them reads a book without a number and then meets it on writing.
 * A batch of hundreds of numbers, added one by one meanwhile, would have to begin again for each of them.
 * @param created called for an entry that is new, in the transaction that creates it
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
