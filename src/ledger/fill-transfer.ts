import { recordAct } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import { bankReferenceIn } from '../values/bank-reference.ts'
import type { Tenant } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { guardedAccounts } from './accounts.ts'
import { lockAccounts, post } from './post.ts'
import { deposit, type Leg, movedToTransfer } from './postings.ts'
import * as store from './store.ts'

export type Filled =
  /**
   * `repeated`: this reference was booked before, so nothing is booked now. `transfer`: the resulting transfer balance,
   * in francs.
   */
  | { kind: 'booked' | 'repeated'; id: string; transfer: number }
  | { kind: 'refused'; code: 'resource_not_found' | 'invalid_reference' | 'insufficient_funds' }
  /** The reference was booked before with another amount; see `earlier`. */
  | { kind: 'refused'; code: 'reference_used'; earlier: store.NamedFilling }

/** The author, for the audit log, and the reference that makes a repeated command safe. */
export type FillingOrder = {
  by?: Actor
  /**
   * 1 to 140 characters, compared like bank references (without spaces and letter case). Null or absent: every command
   * books anew.
   */
  reference?: string | null
}

/**
 * Books money that a merchant brought to the bank for its payouts. Amount in francs. Refusals in order of precedence:
 * an invalid reference, no such merchant, a reference used for another amount.
 */
export async function depositToTransfer(
  sql: Sql,
  tenant: Tenant,
  amount: number,
  clock: Clock,
  order: FillingOrder = {},
): Promise<Filled> {
  // The bank account has no lower bound, so funds are always sufficient.
  return fillTransfer(sql, tenant, clock, { ...order, operation: 'deposit', amount, legs: deposit(amount) })
}

/**
 * Moves money that the service owes a merchant from `available` to its transfer balance, for payouts. Amount in francs.
 * Refusals in order of precedence: an invalid reference, no such merchant, a reference used for another amount,
 * insufficient funds.
 */
export async function moveToTransfer(
  sql: Sql,
  tenant: Tenant,
  amount: number,
  clock: Clock,
  order: FillingOrder = {},
): Promise<Filled> {
  return fillTransfer(sql, tenant, clock, {
    ...order,
    operation: 'moved_to_transfer',
    amount,
    legs: movedToTransfer(amount),
  })
}

const kinds = {
  deposit: { prefix: 'dep', act: 'balance.deposit' },
  moved_to_transfer: { prefix: 'mov', act: 'balance.transfer' },
} as const

type Filling = FillingOrder & { operation: keyof typeof kinds; amount: number; legs: Leg[] }

/** Books money into the transfer balance, when the source account covers it and the reference is new. */
async function fillTransfer(sql: Sql, tenant: Tenant, clock: Clock, filling: Filling): Promise<Filled> {
  const { operation, amount, legs, by = SYSTEM } = filling
  const { merchant_id, livemode } = tenant
  const reference = filling.reference == null ? null : bankReferenceIn(filling.reference)
  if (reference === null && filling.reference != null) return { kind: 'refused', code: 'invalid_reference' }
  return sql.begin(async (tx): Promise<Filled> => {
    if ((await store.readBalances(tx, tenant)).length === 0) return { kind: 'refused', code: 'resource_not_found' }
    const accounts = legs.map(({ account }) => ({ merchant_id, livemode, account }))
    const locked = await lockAccounts(tx, accounts)
    const transfer = () => locked.get({ merchant_id, livemode, account: 'transfer' })!.balance
    // Read under the lock of the accounts, so that the second of two concurrent commands finds what the first booked.
    const earlier = reference === null ? null : await store.findFilling(tx, { ...tenant, operation, reference })
    if (earlier !== null) {
      if (earlier.amount !== amount) return { kind: 'refused', code: 'reference_used', earlier }
      return { kind: 'repeated', id: earlier.id, transfer: transfer() }
    }
    const short = legs.some(({ account, amount: change }) => {
      return guardedAccounts.has(account) && locked.get({ merchant_id, livemode, account })!.balance + change < 0
    })
    if (short) return { kind: 'refused', code: 'insufficient_funds' }
    const { prefix, act } = kinds[operation]
    const id = newId(prefix, clock.milliseconds())
    await post(tx, [{ merchant_id, livemode, subject_id: id, operation, legs }])
    name(tx, tenant, { id, operation, reference, amount })
    recordAct(tx, tenant, { actor: by, act, subject: id, after: { amount, reference } })
    return { kind: 'booked', id, transfer: transfer() }
  })
}

function name(
  tx: Tx,
  tenant: Tenant,
  filling: Omit<store.NewFilling, 'reference'> & { reference: string | null },
): void {
  const { reference } = filling
  if (reference !== null) store.insertFilling(tx, tenant, { ...filling, reference })
}
