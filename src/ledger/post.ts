import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type AccountState, accountKey, book, type LedgerTransaction } from './book.ts'
import * as store from './store.ts'

export type LockedAccounts = Map<string, AccountState>

/** The accounts that a transaction has locked, as its decisions and what it has booked left them. */
const lockedBy = new WeakMap<Tx, LockedAccounts>()

/**
 * Locks accounts for the rest of the transaction and reads their balances, in one statement and always in the same
 * order for every caller: two transactions that need the same accounts wait for one another and never deadlock. An account
 * the merchant does not have yet (an operator that came later) is opened at zero first.
 */
export async function lockAccounts(tx: Tx, wanted: readonly (Tenant & { account: string })[]): Promise<LockedAccounts> {
  const distinct = new Map(
    wanted.map(({ merchant_id, livemode, account }) => {
      const key = { merchant_id, livemode, account }
      return [accountKey(key), key]
    }),
  )
  let rows = await store.lockAccounts(tx, [...distinct.values()])
  if (rows.length < distinct.size) {
    await store.openAccounts(tx, [...distinct.values()])
    rows = await store.lockAccounts(tx, [...distinct.values()])
  }
  const locked: LockedAccounts = new Map(rows.map((row) => [accountKey(row), row]))
  lockedBy.set(tx, new Map([...(lockedBy.get(tx) ?? []), ...locked]))
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
  const isLocked = locked !== undefined && wanted.every((account) => locked.has(accountKey(account)))
  const accounts = isLocked ? locked : await lockAccounts(tx, wanted)
  const entries = book(accounts, transactions)
  const touched = new Map(entries.map((entry) => [accountKey(entry), accounts.get(accountKey(entry))!]))
  store.insertTransactions(tx, transactions)
  store.insertEntries(tx, entries)
  store.updateBalances(tx, [...touched.values()])
}

/** One transaction of the ledger, written with all others of the same database transaction. */
export const postTransaction = defineEffect<LedgerTransaction>('account', post)
