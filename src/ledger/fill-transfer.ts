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
  /** `repeated`: this reference was given before; nothing was booked now. `transfer`: the transfer balance after it, in francs. */
  | { kind: 'booked' | 'repeated'; id: string; transfer: number }
  | { kind: 'refused'; code: 'resource_not_found' | 'invalid_reference' | 'insufficient_funds' }
  /** The same reference was given for another amount, which was booked as `earlier`. */
  | { kind: 'refused'; code: 'reference_used'; earlier: store.NamedFilling }

/** A person who fills the transfer balance, for the audit log, and the name that makes a repeated command the same one. */
export type FillingOrder = {
  by?: Actor
  /** 1 to 140 characters, compared as a bank's references are. Null: each command is another one. */
  reference?: string | null
}

/**
 * Books money that a merchant brought to the bank, so that it can pay out from it. Amount in francs. Refusals, in their order: the
 * reference, no such merchant, a reference of another amount.
 */
export async function depositToTransfer(
  sql: Sql,
  tenant: Tenant,
  amount: number,
  clock: Clock,
  order: FillingOrder = {},
): Promise<Filled> {
  // The bank account may be anywhere, so funds never lack.
  return fillTransfer(sql, tenant, clock, { ...order, operation: 'deposit', amount, legs: deposit(amount) })
}

/**
 * Moves what the service owes a merchant to its transfer balance, to pay out from. Amount in francs. Refusals, in their order: the
 * reference, no such merchant, a reference of another amount, funds.
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

/** Books what fills the transfer balance, if the account it comes from covers it and its reference is new. */
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
    // Under the lock of the accounts: of two at once, the second finds what the first booked.
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
