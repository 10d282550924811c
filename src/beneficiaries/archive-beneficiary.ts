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
  const beneficiary = id === null ? null : await store.archiveEntry(db, id)
  return beneficiary === null ? { kind: 'refused', code: 'resource_not_found' } : { kind: 'archived', beneficiary }
}
