import type { Tx } from '../platform/postgres/database.ts'
import { accountsOfMerchant } from './accounts.ts'
import * as store from './store.ts'

/** Opens the accounts of a new merchant at zero, in test and live mode. */
export async function openAccounts(tx: Tx, merchant_id: number): Promise<void> {
  const accounts = [false, true].flatMap((livemode) =>
    accountsOfMerchant.map((account) => ({ merchant_id, livemode, account })),
  )
  await store.openAccounts(tx, accounts)
}
