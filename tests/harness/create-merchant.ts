import assert from 'node:assert/strict'
import { openAccounts } from '../../src/ledger/open-accounts.ts'
import { createMerchant as createMerchantAct } from '../../src/merchants/create-merchant.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { perform } from './perform.ts'

/** Creates a merchant as a command on the host, and returns its number. */
export async function createMerchant(sql: Sql, name = 'Boutique'): Promise<number> {
  const deps = { sql, clock: createClock(), openAccounts, is_checked: true }
  const outcome = await perform(createMerchantAct, deps, { values: { name } })
  assert.ok(outcome.kind === 'done')
  return outcome.result.merchant_id
}
