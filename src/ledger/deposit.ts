import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import { newId } from '../words/ids.ts'
import { accountKey } from './book.ts'
import { lockAccounts, post } from './post.ts'
import { deposit } from './postings.ts'
import * as store from './store.ts'

export type DepositResult =
  | { kind: 'booked'; deposit_id: string /** The transfer balance after it, in francs. */; transfer: number }
  | { kind: 'refused'; code: 'resource_not_found' }

/** Books money that a merchant brought to the bank, so that it can pay out from it. Amount in francs. */
export async function depositToTransfer(
  sql: Sql,
  tenant: Tenant,
  amount: number,
  clock: Clock,
): Promise<DepositResult> {
  return sql.begin(async (tx): Promise<DepositResult> => {
    if ((await store.readBalances(tx, tenant)).length === 0) return { kind: 'refused', code: 'resource_not_found' }
    const { merchant_id, livemode } = tenant
    const legs = deposit(amount)
    const locked = await lockAccounts(
      tx,
      legs.map(({ account }) => ({ merchant_id, livemode, account })),
    )
    const deposit_id = newId('dep', clock.milliseconds())
    await post(tx, [{ merchant_id, livemode, subject_id: deposit_id, operation: 'deposit', legs }], locked)
    const after = locked.get(accountKey({ merchant_id, livemode, account: 'transfer' }))!
    return { kind: 'booked', deposit_id, transfer: after.balance }
  })
}
