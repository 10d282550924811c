import { recordAct, SYSTEM } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { insertMerchant } from './store.ts'

/**
 * Creates a merchant with its accounts in test and live mode, all at zero, and returns its `merchant_id`.
 * @param name 1 to 200 characters; the database refuses others
 * @param accounts the accounts of every merchant, which the ledger lists
 * @param by who creates it, for the audit log
 */
export function createMerchant(
  sql: Sql,
  { name, accounts }: { name: string; accounts: readonly string[] },
  by: string = SYSTEM,
): Promise<number> {
  return sql.begin(async (tx) => {
    const merchant_id = await insertMerchant(tx, name, accounts)
    recordAct(tx, { merchant_id, livemode: null }, { actor: by, act: 'merchant.create', after: { name } })
    return merchant_id
  })
}
