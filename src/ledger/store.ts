import type { Db, Statement, Tx } from '../platform/postgres/database.ts'
import { given, insertRows, matching, sameRow } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import type { AccountKey, AccountState, LedgerEntry, LedgerTransaction } from './book.ts'

/**
 * Locks accounts, sorted, so that all transactions lock in the same order. An account that does not exist is absent
 * from the result. If an account's last entry is later than this transaction's time, its transaction began later but
 * had the lock first; the next entry then takes that later time.
 */
export async function lockAccounts(tx: Tx, wanted: readonly AccountKey[]): Promise<AccountState[]> {
  return tx<AccountState[]>`
    select a.merchant_id, a.livemode, a.account, a.balance, a.credited, a.sequence,
           to_char(greatest(clock_now(), a.booked_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as booked_at
      from ${matching(tx, 'accounts a', wanted, 'account')}
     order by a.merchant_id, a.livemode, a.account
       for no key update of a`
}

/** Opens accounts at zero; those that exist are left alone. */
export async function openAccounts(tx: Tx, wanted: readonly AccountKey[]): Promise<void> {
  await tx`
    insert into accounts (merchant_id, livemode, account)
    select w.merchant_id, w.livemode, w.account
      from ${given(tx, 'accounts w', wanted, ['merchant_id', 'livemode', 'account'])}
     order by w.merchant_id, w.livemode, w.account
    on conflict do nothing`
}

export function insertTransactions(tx: Tx, transactions: readonly LedgerTransaction[]): void {
  const rows = transactions.map(({ merchant_id, livemode, subject_id, operation, legs }) => {
    return { merchant_id, livemode, subject_id, operation, legs: legs.length }
  })
  insertRows(tx, 'ledger_transactions', rows)
}

/** Whether an operation is booked for a subject. */
export async function isBooked(
  db: Db,
  { merchant_id, livemode, subject_id, operation }: Omit<LedgerTransaction, 'legs'>,
): Promise<boolean> {
  const rows = await db`
    select subject_id
      from ledger_transactions
     where subject_id = ${subject_id} and merchant_id = ${merchant_id} and livemode = ${livemode} and operation = ${operation}`
  return rows.length > 0
}

/**
 * Inserts all entries in one statement, because the trigger that checks them must see whole transactions. Does not
 * wait.
 */
export function insertEntries(tx: Tx, entries: readonly LedgerEntry[]): void {
  insertRows(tx, 'ledger_entries', entries)
}

/**
 * Writes the new balances. This transaction already holds the row locks, so it cannot overwrite another's values. The
 * statement casts `booked_at` where it reads it: Citus refuses an update that casts a column's text to a time.
 */
export function updateBalances(tx: Tx, accounts: readonly AccountState[]): void {
  tx.send(tx`
    update accounts a
       set balance = n.balance, credited = n.credited, sequence = n.sequence, booked_at = n.booked_at
      from ${given(tx, 'accounts n', accounts, ['merchant_id', 'livemode', 'account', 'balance', 'credited', 'sequence', 'booked_at'])}
     where ${sameRow(tx, 'a', 'n', accounts, 'account')}`)
}

/** The balances of one merchant in one mode, read at one moment, which every row repeats. */
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

/**
 * An account over a period, in francs. Its entries have the sequence numbers `first_sequence` to `last_sequence`;
 * without entries, `last_sequence` is `first_sequence - 1`.
 */
export type AccountPeriod = {
  opening_balance: number
  total_in: number
  total_out: number
  closing_balance: number
  first_sequence: number
  last_sequence: number
}

/**
 * Reads an account from one UTC day to another (`YYYY-MM-DD`), both included, in one snapshot. Null when there is no
 * such account.
 *
 * Times never decrease along an account, so a binary search finds the last entry before a moment: some twenty steps
 * over the primary key for a million entries. It needs no index on time, which every write would have to maintain. The
 * two entries found are enough, because each holds the balance and the credits so far. A period that reaches the
 * present ends with the last entry, whatever the clock said when it was booked.
 */
export async function readPeriod(
  db: Db,
  key: AccountKey,
  { from, to }: { from: string; to: string },
): Promise<AccountPeriod | null> {
  const { merchant_id, livemode, account } = key
  const [row] = await db<AccountPeriod[]>`
    with recursive halving as (
      select e.edge, e.moment, 0::bigint as low, a.sequence as high
        from accounts a
        cross join lateral (values
          ('opening', ${from}::date::timestamp at time zone 'UTC'),
          ('closing', case when ${to}::date >= (clock_now() at time zone 'UTC')::date then 'infinity'
                           else (${to}::date + 1)::timestamp at time zone 'UTC' end)) as e(edge, moment)
       where a.merchant_id = ${merchant_id} and a.livemode = ${livemode} and a.account = ${account}
       union all
      ${halve(db, key)}),
    edges as (
      select h.edge, h.low as sequence, coalesce(e.balance_after, 0) as balance, coalesce(e.credited_after, 0) as credited
        from halving h
        left join ledger_entries e
          on (e.merchant_id, e.livemode, e.account, e.sequence) = (${merchant_id}, ${livemode}, ${account}, h.low)
       where h.low = h.high)
    select o.balance as opening_balance,
           c.credited - o.credited as total_in,
           o.balance + c.credited - o.credited - c.balance as total_out,
           c.balance as closing_balance,
           o.sequence + 1 as first_sequence,
           c.sequence as last_sequence
      from edges o
      cross join edges c
     where o.edge = 'opening' and c.edge = 'closing'`
  return row ?? null
}

/**
 * The balance of an account at the end of each UTC day of a period, first and last day included. Today has the present
 * balance. Empty when there is no such account. Uses a binary search, like `readPeriod`.
 */
export async function readDayBalances(
  db: Db,
  key: AccountKey,
  { from, to }: { from: string; to: string },
): Promise<{ day: string; balance: number }[]> {
  const { merchant_id, livemode, account } = key
  return db<{ day: string; balance: number }[]>`
    with recursive halving as (
      select d.day::date as edge,
             case when d.day::date >= (clock_now() at time zone 'UTC')::date then 'infinity'
                  else (d.day::date + 1)::timestamp at time zone 'UTC' end as moment,
             0::bigint as low, a.sequence as high
        from accounts a
       cross join generate_series(${from}::date::timestamp, ${to}::date::timestamp, interval '1 day') as d(day)
       where a.merchant_id = ${merchant_id} and a.livemode = ${livemode} and a.account = ${account}
       union all
      ${halve(db, key)})
    select h.edge::text as day, coalesce(e.balance_after, 0) as balance
      from halving h
      left join ledger_entries e
        on (e.merchant_id, e.livemode, e.account, e.sequence) = (${merchant_id}, ${livemode}, ${account}, h.low)
     where h.low = h.high
     order by h.edge`
}

/** One step of the search: halves the entries among which each edge is, `low` to `high`. */
function halve(db: Db, { merchant_id, livemode, account }: AccountKey): Statement<object[]> {
  return db`
    select h.edge, h.moment,
           case when m.created_at < h.moment then m.sequence else h.low end,
           case when m.created_at < h.moment then h.high else m.sequence - 1 end
      from halving h
      join ledger_entries m
        on (m.merchant_id, m.livemode, m.account, m.sequence)
         = (${merchant_id}, ${livemode}, ${account}, (h.low + h.high + 1) / 2)
     where h.low < h.high`
}

/** An entry as the page of its subject shows it. Amounts in francs; a credit is positive. */
export type EntryOfSubject = Pick<LedgerEntry, 'operation' | 'leg' | 'account' | 'amount'> & { created_at: Date }

/**
 * The entries of one subject, in booking order; there are only a few. Operators' charges are left out, because they
 * change no merchant's balance.
 */
export async function readEntriesOf(
  db: Db,
  { merchant_id, livemode }: Tenant,
  subject_id: string,
): Promise<EntryOfSubject[]> {
  return db<EntryOfSubject[]>`
    select operation, leg, account, amount, created_at
      from ledger_entries
     where subject_id = ${subject_id} and merchant_id = ${merchant_id} and livemode = ${livemode}
       and operation not in ('operator_charged', 'operator_charge_corrected')
     order by created_at, operation, leg`
}

/** The accounts with these names in one mode, of all merchants, that have entries. */
export async function readAccountsNamed(db: Db, livemode: boolean, names: readonly string[]): Promise<AccountKey[]> {
  return db<AccountKey[]>`
    select merchant_id, livemode, account
      from accounts
     where livemode = ${livemode} and account = any(${[...names]}::text[]) and sequence > 0
     order by merchant_id, account`
}

/**
 * The day on which the money of an external account was brought there from the accounts by operator (`held_moved`), as the first entry of each merchant.
 * Null: it began empty.
 */
export async function readHeldMoved(db: Db, livemode: boolean, account: string): Promise<string | null> {
  const [row] = await db<{ day: string | null }[]>`
    select to_char(max(e.created_at) at time zone 'UTC', 'YYYY-MM-DD') as day
      from accounts a
      join ledger_entries e
        on (e.merchant_id, e.livemode, e.account, e.sequence) = (a.merchant_id, a.livemode, a.account, 1)
     where a.livemode = ${livemode} and a.account = ${account} and e.operation = 'held_moved'`
  return row!.day
}

/** The balances of all merchants in one mode, summed by account. For staff. */
export function sumBalances(db: Db, livemode: boolean): Promise<{ account: string; amount: number }[]> {
  return db<{ account: string; amount: number }[]>`
    select account, sum(balance)::bigint as amount
      from accounts
     where livemode = ${livemode}
     group by account
     order by account`
}

/** Sums the entries of an account by UTC day and by the operator of the order or of the refund. Null: of neither, such as a correction. */
export async function sumByOperator(
  db: Db,
  { merchant_id, livemode, account }: AccountKey,
  { first_sequence, last_sequence }: Pick<AccountPeriod, 'first_sequence' | 'last_sequence'>,
): Promise<{ day: string; operator: string | null; amount: number }[]> {
  return db<{ day: string; operator: string | null; amount: number }[]>`
    select to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD') as day,
           coalesce(o.operator, r.operator) as operator,
           sum(e.amount)::bigint as amount
      from ledger_entries e
      left join operators_of_orders o
        on (o.subject_id, o.merchant_id, o.livemode) = (e.subject_id, e.merchant_id, e.livemode)
      left join operators_of_refunds r
        on (r.merchant_id, r.livemode, r.id) = (e.merchant_id, e.livemode, e.subject_id)
     where e.merchant_id = ${merchant_id} and e.livemode = ${livemode} and e.account = ${account}
       and e.sequence between ${first_sequence} and ${last_sequence}
     group by 1, 2`
}

/** A deposit or transfer that was booked with a reference. */
export type NamedFilling = { id: string; amount: number; created_at: Date }
/** `account`: the external account of a deposit, `bank` for one from before there were several. Null: of a transfer, which has none. */
export type FoundFilling = NamedFilling & { account: string | null }

export type NewFilling = {
  id: string
  operation: 'deposit' | 'moved_to_transfer'
  reference: string
  amount: number
}

/** The booking with this reference, compared like the unique index does. Null when the reference is new. */
export async function findFilling(
  tx: Tx,
  { merchant_id, livemode, operation, reference }: Tenant & Pick<NewFilling, 'operation' | 'reference'>,
): Promise<FoundFilling | null> {
  const [row] = await tx<FoundFilling[]>`
    select f.id, f.amount, f.created_at, regexp_replace(e.account, '^held:', '') as account
      from transfer_fillings f
      left join ledger_entries e
        on (e.subject_id, e.merchant_id, e.livemode, e.operation) = (f.id, f.merchant_id, f.livemode, 'deposit')
       and e.account <> 'transfer'
     where f.merchant_id = ${merchant_id} and f.livemode = ${livemode} and f.operation = ${operation}
       and bank_reference_in(f.reference) = bank_reference_in(${reference})`
  return row ?? null
}

/** A deposit at the bank, as its merchant reads it. */
export type Deposit = NamedFilling & { reference: string }

/** The newest deposits of a merchant that were booked with a bank's reference. */
export async function readDeposits(db: Db, { merchant_id, livemode }: Tenant, limit: number): Promise<Deposit[]> {
  return db<Deposit[]>`
    select id, amount, reference, created_at
      from transfer_fillings
     where merchant_id = ${merchant_id} and livemode = ${livemode} and operation = 'deposit'
     order by id desc
     limit ${limit}`
}

export function insertFilling(tx: Tx, { merchant_id, livemode }: Tenant, filling: NewFilling): void {
  const { id, operation, reference, amount } = filling
  tx.send(tx`
    insert into transfer_fillings (merchant_id, livemode, id, operation, reference, amount)
    values (${merchant_id}, ${livemode}, ${id}, ${operation}, ${reference}, ${amount})`)
}

/** Finds the merchant of a deposit or of a move to the transfer balance by its identifier, for the staff. */
export async function findMovementAnywhere(db: Db, id: string): Promise<Tenant | null> {
  const [row] = await db<Tenant[]>`
    select merchant_id, livemode
      from ledger_transactions
     where subject_id = ${id} and operation in ('deposit', 'moved_to_transfer')`
  return row ?? null
}
