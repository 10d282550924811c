import type { Tenant } from '../values/caller.ts'
import { guardedAccounts } from './accounts.ts'
import type { Leg, Operation } from './postings.ts'

export type AccountState = Tenant & {
  account: string
  /** Credits less debits, in francs. */
  balance: number
  /** The sum of all its credits so far, in francs. */
  credited: number
  /** The sequence number of its last entry. */
  sequence: number
  /**
   * The time of its next entry, in UTC to the microsecond: the transaction's time, or that of its last entry if that is
   * later.
   */
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

/** The key of one account. A value may have further fields. */
export type AccountKey = Tenant & { readonly account: string }

/**
 * A set of accounts, each once. The look-up goes by merchant and mode and then by name: building one text key for each
 * look-up takes more than twice the time.
 */
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

/** Thrown when a guarded balance would fall below zero. */
export class Overdrawn extends Error {
  override name = 'Overdrawn'
  readonly operation: Operation
  /** For an act that takes it as a refusal. */
  readonly conflict: string

  constructor(operation: Operation, account: string) {
    super(`${operation} would overdraw ${account}.`)
    this.operation = operation
    this.conflict = `overdrawn_by_${operation}`
  }
}

/**
 * Computes the entries of these transactions, in order, with running balances. Updates the states in `accounts` as it
 * goes; writes nothing to the database.
 * @throws when the legs do not sum to zero or an account is missing, both defects. `Overdrawn` when a guarded balance
 * would fall below zero: also a defect where the caller checked the funds under the lock
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
