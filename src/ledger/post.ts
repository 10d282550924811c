import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type AccountKey, type AccountState, Accounts, book, type LedgerTransaction } from './book.ts'
import * as store from './store.ts'

export type LockedAccounts = Accounts<AccountState>

/** The accounts that a transaction has locked, as its decisions and what it has booked left them. */
const lockedBy = new WeakMap<Tx, LockedAccounts>()

/**
 * Locks accounts for the rest of the transaction and reads their balances, in one statement and always in the same
 * order for every caller: two transactions that need the same accounts wait for one another and never deadlock. An account
 * the merchant does not have yet (an operator that came later) is opened at zero first.
 */
export async function lockAccounts(tx: Tx, wanted: readonly AccountKey[]): Promise<LockedAccounts> {
  const distinct = [...new Accounts(wanted)]
  let rows = await store.lockAccounts(tx, distinct)
  if (rows.length < distinct.length) {
    await store.openAccounts(tx, distinct)
    rows = await store.lockAccounts(tx, distinct)
  }
  const locked = new Accounts(rows)
  lockedBy.set(tx, new Accounts([...(lockedBy.get(tx) ?? []), ...locked]))
  return locked
}

/**
 * Writes transactions to the ledger: the only code that moves a balance. Entries first, then the balances that follow
 * them (the database checks both). Accounts that the transaction has not locked yet are locked here.
 * The writes are sent with the next statement, at the latest with the commit.
 * @throws when something does not balance; booking a subject's operation a second time fails the caller's transaction at its commit
 */
export async function post(tx: Tx, transactions: readonly LedgerTransaction[]): Promise<void> {
  if (transactions.length === 0) return
  const wanted = transactions.flatMap(({ merchant_id, livemode, legs }) =>
    legs.map(({ account }) => ({ merchant_id, livemode, account })),
  )
  const locked = lockedBy.get(tx)
  const isLocked = locked !== undefined && wanted.every((account) => locked.get(account) !== undefined)
  const accounts = isLocked ? locked : await lockAccounts(tx, wanted)
  const entries = book(accounts, transactions)
  const touched = new Set(entries.map((entry) => accounts.get(entry)!))
  store.insertTransactions(tx, transactions)
  store.insertEntries(tx, entries)
  store.updateBalances(tx, [...touched])
}

/** One transaction of the ledger, written with all others of the same database transaction. */
export const postTransaction = defineEffect<LedgerTransaction>('account', post)
