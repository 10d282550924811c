import { type Db, records, type Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import type { AccountState, LedgerEntry, LedgerTransaction } from './book.ts'

type AccountKey = Tenant & { account: string }

/** Sorted before locking, so that all lock in one order. An account that does not exist is absent from the answer. */
export async function lockAccounts(tx: Tx, wanted: readonly AccountKey[]): Promise<AccountState[]> {
  return tx<AccountState[]>`
    select a.merchant_id, a.livemode, a.account, a.balance, a.sequence
      from accounts a
      join json_to_recordset(${records(tx, wanted)}) as w(merchant_id bigint, livemode boolean, account text)
        on (a.merchant_id, a.livemode, a.account) = (w.merchant_id, w.livemode, w.account)
     order by a.merchant_id, a.livemode, a.account
       for no key update of a`
}

/** Opens accounts at zero; those that exist are left alone. */
export async function openAccounts(tx: Tx, wanted: readonly AccountKey[]): Promise<void> {
  await tx`
    insert into accounts (merchant_id, livemode, account)
    select w.merchant_id, w.livemode, w.account
      from json_to_recordset(${records(tx, wanted)}) as w(merchant_id bigint, livemode boolean, account text)
     order by w.merchant_id, w.livemode, w.account
    on conflict do nothing`
}

export async function insertTransactions(tx: Tx, transactions: readonly LedgerTransaction[]): Promise<void> {
  const rows = transactions.map(({ merchant_id, livemode, subject_id, operation, legs }) => {
    return { merchant_id, livemode, subject_id, operation, legs: legs.length }
  })
  await tx`
    insert into ledger_transactions (merchant_id, livemode, subject_id, operation, legs)
    select merchant_id, livemode, subject_id, operation, legs
      from json_to_recordset(${records(tx, rows)})
        as r(merchant_id bigint, livemode boolean, subject_id text, operation text, legs smallint)`
}

/**
 * All entries in one statement: the trigger that checks them sees whole transactions. Credits are counted on from the last
 * entry of each account, and so is the time, which would go back otherwise: a transaction's time is its beginning, and one
 * that began first may have had the lock last. The account is locked, so that entry is the last one.
 */
export async function insertEntries(tx: Tx, entries: readonly LedgerEntry[]): Promise<void> {
  await tx`
    insert into ledger_entries
      (merchant_id, livemode, account, sequence, subject_id, operation, leg, amount, balance_after, credited_after,
       created_at)
    select r.merchant_id, r.livemode, r.account, r.sequence, r.subject_id, r.operation, r.leg, r.amount, r.balance_after,
           coalesce(p.credited_after, 0) + r.credited,
           greatest(clock_now(), p.created_at)
      from json_to_recordset(${records(tx, entries)})
        as r(merchant_id bigint, livemode boolean, account text, sequence bigint, subject_id text, operation text,
             leg smallint, amount bigint, balance_after bigint, continues bigint, credited bigint)
      left join ledger_entries p
        on (p.merchant_id, p.livemode, p.account, p.sequence) = (r.merchant_id, r.livemode, r.account, r.continues)`
}

/** The rows are locked by this transaction already, so the new values cannot overwrite somebody else's. */
export async function updateBalances(tx: Tx, accounts: readonly AccountState[]): Promise<void> {
  await tx`
    update accounts a
       set balance = n.balance, sequence = n.sequence
      from json_to_recordset(${records(tx, accounts)})
        as n(merchant_id bigint, livemode boolean, account text, balance bigint, sequence bigint)
     where (a.merchant_id, a.livemode, a.account) = (n.merchant_id, n.livemode, n.account)`
}

/** The balances of one merchant in one mode, all of one moment, which each row names. */
export async function readBalances(
  db: Db,
  tenant: Tenant,
): Promise<{ account: string; balance: number; as_of: Date }[]> {
  return db<{ account: string; balance: number; as_of: Date }[]>`
    select account, balance, clock_now() as as_of
      from accounts
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}
     order by account`
}
