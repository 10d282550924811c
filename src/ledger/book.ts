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

/** Names one account. A value of this type may have further fields. */
export type AccountKey = Tenant & { readonly account: string }

/** Accounts, each once. Found by merchant and mode and then by name: a text of the three, made for each look, takes more than twice the time. */
export class Accounts<Account extends AccountKey> {
  readonly #byTenant = new Map<number, Map<string, Account>>()

  constructor(accounts: Iterable<Account> = []) {
    for (const account of accounts) this.set(account)
  }

  get({ merchant_id, livemode, account }: AccountKey): Account | undefined {
    return this.#byTenant.get(numberOf(merchant_id, livemode))?.get(account)
  }

  set(account: Account): void {
    const tenant = numberOf(account.merchant_id, account.livemode)
    const named = this.#byTenant.get(tenant)
    if (named === undefined) this.#byTenant.set(tenant, new Map([[account.account, account]]))
    else named.set(account.account, account)
  }

  *[Symbol.iterator](): IterableIterator<Account> {
    for (const named of this.#byTenant.values()) yield* named.values()
  }
}

function numberOf(merchant_id: number, livemode: boolean): number {
  return 2 * merchant_id + (livemode ? 1 : 0)
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
export function book(accounts: Accounts<AccountState>, transactions: readonly LedgerTransaction[]): LedgerEntry[] {
  const entries: LedgerEntry[] = []
  for (const { merchant_id, livemode, subject_id, operation, legs } of transactions) {
    if (legs.reduce((sum, leg) => sum + leg.amount, 0) !== 0) throw new Error(`${operation} does not sum to zero.`)
    legs.forEach(({ account, amount }, at) => {
      const state = accounts.get({ merchant_id, livemode, account })
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
