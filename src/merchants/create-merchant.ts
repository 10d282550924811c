import { recordAct } from '../audit-log/record-act.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import { insertMerchant } from './store.ts'

/**
 * Creates a merchant with its accounts in test and live mode, all at zero, and returns its `merchant_id`. Money is decided under
 * locks on accounts, and a row that does not exist cannot be locked.
 * @param name 1 to 200 characters; the database refuses others
 * @param openAccounts how the ledger opens the accounts of a merchant (`openAccounts`)
 * @param by who creates it, for the audit log
 */
export function createMerchant(
  sql: Sql,
  { name, openAccounts }: { name: string; openAccounts: (tx: Tx, merchant_id: number) => Promise<void> | void },
  by: Actor = SYSTEM,
): Promise<number> {
  return sql.begin(async (tx) => {
    const merchant_id = await insertMerchant(tx, name)
    await openAccounts(tx, merchant_id)
    recordAct(tx, { merchant_id, livemode: null }, { actor: by, act: 'merchant.create', after: { name } })
    return merchant_id
  })
}
