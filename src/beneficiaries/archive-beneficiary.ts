import type { Db } from '../platform/postgres/database.ts'
import { type BeneficiaryRow, beneficiaryIdIn } from './beneficiary.ts'
import * as store from './store.ts'

export type BeneficiaryArchived =
  | { kind: 'archived'; beneficiary: BeneficiaryRow }
  | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Archives an entry of whichever book: no new payout goes there, those under way go on, and the same number can be added
 * anew under another id. A settlement destination loses its designation. Archiving it again changes nothing.
 */
export async function archiveBeneficiary(db: Db, text: string): Promise<BeneficiaryArchived> {
  const id = beneficiaryIdIn(text)
  const key = id === null ? null : await store.findEntry(db, id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  return { kind: 'archived', beneficiary: await store.archiveEntry(db, key) }
}
