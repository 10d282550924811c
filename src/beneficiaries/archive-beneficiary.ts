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
 * Archives an entry of any merchant's book, by its id alone. Refused for an unknown id.
 * @param by the author, for the audit log
 */
export async function archiveBeneficiary(sql: Sql, text: string, by: Actor = SYSTEM): Promise<BeneficiaryArchived> {
  const id = beneficiaryIdIn(text)
  const key = id === null ? null : await store.findEntry(sql, id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  return { kind: 'archived', beneficiary: await archiveInBook(sql, key, by) }
}

/**
 * Archives an existing entry. New payouts cannot name it, payouts in progress continue, and the same number can be added again under another
 * id. A settlement destination loses its designation. Archiving it again changes nothing.
 *
 * It takes the lock under which the merchant's payouts are decided, so that each payout is decided before it, or sees it.
 * @param by the author, for the audit log
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
