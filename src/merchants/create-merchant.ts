import type { Sql } from '../platform/postgres/database.ts'
import { insertMerchant } from './store.ts'

/**
 * Creates a merchant with its accounts in test and live mode, all at zero, and returns its `merchant_id`.
 * @param name 1 to 200 characters; the database refuses others
 * @param accounts the accounts of every merchant, which the ledger lists
 */
export function createMerchant(
  sql: Sql,
  { name, accounts }: { name: string; accounts: readonly string[] },
): Promise<number> {
  return sql.begin((tx) => insertMerchant(tx, name, accounts))
}
