import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type AccountKey, type AccountState, Accounts, book, type LedgerTransaction } from './book.ts'
import * as store from './store.ts'

export type LockedAccounts = Accounts<AccountState>

/** The accounts that each transaction has locked, as its decisions and bookings left them. */
const lockedBy = new WeakMap<Tx, LockedAccounts>()

/**
 * Locks accounts until the transaction ends and reads their balances, in one statement. All callers lock in the same
 * order, so two transactions with common accounts wait for one another but never deadlock. An account that the merchant
 * does not have yet, such as that of a new operator, is opened at zero first.
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
 * Writes transactions to the ledger. No other code changes a balance. It writes the entries first and then the balances
 * that follow from them; the database checks both. Accounts not locked yet are locked here.
 * @throws when a transaction does not balance. Booking an operation a second time for a subject fails the caller's
 * transaction at the commit
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

/** One ledger transaction as an effect. All those of a database transaction are written together. */
export const postTransaction = defineEffect<LedgerTransaction>('account', post)
