import { recordAct } from '../audit-log/record-act.ts'
import { lockAccounts } from '../ledger/post.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import { type BeneficiaryKey, type BeneficiaryRow, beneficiaryIdIn } from './beneficiary.ts'
import * as store from './store.ts'

export type BeneficiaryArchived =
  | { kind: 'archived'; beneficiary: BeneficiaryRow }
  | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Archives an entry of any merchant's book, by its id alone.
 * @param by who archives it, for the audit log
 */
export async function archiveBeneficiary(sql: Sql, text: string, by: Actor = SYSTEM): Promise<BeneficiaryArchived> {
  const id = beneficiaryIdIn(text)
  const key = id === null ? null : await store.findEntry(sql, id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  return { kind: 'archived', beneficiary: await archiveInBook(sql, key, by) }
}

/**
 * Archives an entry that is there: no new payout goes there, those under way go on, and the same number can be added
 * anew under another id. A settlement destination loses its designation. Archiving it again changes nothing.
 *
 * It takes the lock under which the merchant's payouts are decided: each of them is decided either before the archiving, or after it
 * and sees it.
 * @param by who archives it, for the audit log
 */
export function archiveInBook(sql: Sql, key: BeneficiaryKey, by: Actor): Promise<BeneficiaryRow> {
  return sql.begin(async (tx) => {
    const { merchant_id, livemode } = key
    await lockAccounts(tx, [{ merchant_id, livemode, account: 'transfer' }])
    const { active, designated_at } = await store.lockEntry(tx, key)
    const beneficiary = await store.archiveEntry(tx, key, by.person)
    if (active) {
      const before = { active, designated_at }
      const after = { active: false, designated_at: null }
      recordAct(tx, key, { actor: by, act: 'beneficiary.archive', subject: key.id, before, after })
    }
    return beneficiary
  })
}
