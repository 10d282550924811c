import { recordAct, SYSTEM } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import { newId } from '../words/ids.ts'
import { guardedAccounts } from './accounts.ts'
import { accountKey } from './book.ts'
import { lockAccounts, post } from './post.ts'
import { deposit, type Leg, movedToTransfer } from './postings.ts'
import * as store from './store.ts'

export type DepositResult =
  | { kind: 'booked'; deposit_id: string /** The transfer balance after it, in francs. */; transfer: number }
  | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Books money that a merchant brought to the bank, so that it can pay out from it. Amount in francs.
 * @param by who books it, for the audit log
 */
export async function depositToTransfer(
  sql: Sql,
  tenant: Tenant,
  amount: number,
  clock: Clock,
  by: string = SYSTEM,
): Promise<DepositResult> {
  // The bank account may be anywhere, so funds never lack.
  const filling = { prefix: 'dep', operation: 'deposit', amount, legs: deposit(amount), by } as const
  const booked = await fillTransfer(sql, tenant, clock, filling)
  return booked.kind === 'booked'
    ? { kind: 'booked', deposit_id: booked.id, transfer: booked.transfer }
    : { kind: 'refused', code: 'resource_not_found' }
}

export type TransferResult =
  | { kind: 'booked'; transfer_id: string /** The transfer balance after it, in francs. */; transfer: number }
  | { kind: 'refused'; code: 'resource_not_found' | 'insufficient_funds' }

/**
 * Moves what the service owes a merchant to its transfer balance, to pay out from. Amount in francs.
 * @param by who moves it, for the audit log
 */
export async function moveToTransfer(
  sql: Sql,
  tenant: Tenant,
  amount: number,
  clock: Clock,
  by: string = SYSTEM,
): Promise<TransferResult> {
  const legs = movedToTransfer(amount)
  const filling = { prefix: 'mov', operation: 'moved_to_transfer', amount, legs, by } as const
  const booked = await fillTransfer(sql, tenant, clock, filling)
  return booked.kind === 'booked' ? { kind: 'booked', transfer_id: booked.id, transfer: booked.transfer } : booked
}

type Filling = {
  prefix: 'dep' | 'mov'
  operation: 'deposit' | 'moved_to_transfer'
  amount: number
  legs: Leg[]
  by: string
}

type Filled =
  | { kind: 'booked'; id: string; transfer: number }
  | { kind: 'refused'; code: 'resource_not_found' | 'insufficient_funds' }

/** Books what fills the transfer balance, if the account it comes from covers it. */
async function fillTransfer(
  sql: Sql,
  { merchant_id, livemode }: Tenant,
  clock: Clock,
  { prefix, operation, amount, legs, by }: Filling,
): Promise<Filled> {
  return sql.begin(async (tx): Promise<Filled> => {
    if ((await store.readBalances(tx, { merchant_id, livemode })).length === 0)
      return { kind: 'refused', code: 'resource_not_found' }
    const accounts = legs.map(({ account }) => ({ merchant_id, livemode, account }))
    const locked = await lockAccounts(tx, accounts)
    const short = legs.some(({ account, amount }) => {
      return (
        guardedAccounts.has(account) && locked.get(accountKey({ merchant_id, livemode, account }))!.balance + amount < 0
      )
    })
    if (short) return { kind: 'refused', code: 'insufficient_funds' }
    const id = newId(prefix, clock.milliseconds())
    await post(tx, [{ merchant_id, livemode, subject_id: id, operation, legs }], locked)
    const act = operation === 'deposit' ? 'balance.deposit' : 'balance.transfer'
    recordAct(tx, { merchant_id, livemode }, { actor: by, act, subject: id, after: { amount } })
    return {
      kind: 'booked',
      id,
      transfer: locked.get(accountKey({ merchant_id, livemode, account: 'transfer' }))!.balance,
    }
  })
}
