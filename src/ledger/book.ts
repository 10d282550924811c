import type { Tenant } from '../values/caller.ts'
import { guardedAccounts } from './accounts.ts'
import type { Leg, Operation } from './postings.ts'

export type AccountState = Tenant & {
  account: string
  /** Credits less debits, in francs. */
  balance: number
  /** Everything it was ever credited with, in francs. */
  credited: number
  /** The number of its last entry. */
  sequence: number
  /** The time of its next entry, in UTC to the microsecond: that of the transaction, but never earlier than its last entry. */
  booked_at: string
}

export type LedgerTransaction = Tenant & { subject_id: string; operation: Operation; legs: readonly Leg[] }

export type LedgerEntry = Tenant & {
  account: string
  sequence: number
  subject_id: string
  operation: Operation
  leg: number
  amount: number
  balance_after: number
  credited_after: number
  created_at: string
}

/** Merchant, mode and account as one text, to look accounts up by. */
export function accountKey(of: Tenant & { account: string }): string {
  return `${of.merchant_id}/${of.livemode}/${of.account}`
}

/** A guarded balance would fall below zero. */
export class Overdrawn extends Error {
  override name = 'Overdrawn'
  readonly operation: Operation

  constructor(operation: Operation, account: string) {
    super(`${operation} would overdraw ${account}.`)
    this.operation = operation
  }
}

/**
 * The entries of these transactions, in their order, with the running balances. Updates the states in `accounts` as it goes.
 * Writes nothing.
 * @throws when legs do not sum to zero or an account is missing, which are defects; `Overdrawn`, which is one where the caller decided
 * about funds before, under the lock
 */
export function book(accounts: Map<string, AccountState>, transactions: readonly LedgerTransaction[]): LedgerEntry[] {
  const entries: LedgerEntry[] = []
  for (const { merchant_id, livemode, subject_id, operation, legs } of transactions) {
    if (legs.reduce((sum, leg) => sum + leg.amount, 0) !== 0) throw new Error(`${operation} does not sum to zero.`)
    legs.forEach(({ account, amount }, at) => {
      const state = accounts.get(accountKey({ merchant_id, livemode, account }))
      if (state === undefined) throw new Error(`${operation} needs the account ${account}, which is not locked.`)
      state.balance += amount
      state.credited += Math.max(amount, 0)
      state.sequence += 1
      if (!Number.isSafeInteger(state.balance) || !Number.isSafeInteger(state.credited))
        throw new Error(`${account} no longer fits an exact number.`)
      if (state.balance < 0 && guardedAccounts.has(account)) throw new Overdrawn(operation, account)
      entries.push({
        merchant_id,
        livemode,
        account,
        sequence: state.sequence,
        subject_id,
        operation,
        leg: at + 1,
        amount,
        balance_after: state.balance,
        credited_after: state.credited,
        created_at: state.booked_at,
      })
    })
  }
  return entries
}
