import type { BookCheck } from './book-check.ts'

/** Recomputes the ledger from its entries. */
export const ledgerChecks: readonly BookCheck[] = [
  {
    check: 'every transaction sums to zero and has all its legs',
    contradictions: (tx) => tx`
      select t.subject_id || ' ' || t.operation as example
        from ledger_transactions t
        left join ledger_entries e using (merchant_id, livemode, subject_id, operation)
       group by t.merchant_id, t.livemode, t.subject_id, t.operation, t.legs
      having coalesce(sum(e.amount), 0) <> 0 or count(e.leg) <> t.legs`,
  },
  {
    check: 'every balance is the sum of its entries',
    contradictions: (tx) => tx`
      select a.merchant_id || ' ' || a.livemode || ' ' || a.account as example
        from accounts a
        left join ledger_entries e using (merchant_id, livemode, account)
       group by a.merchant_id, a.livemode, a.account, a.balance, a.credited, a.sequence, a.booked_at
      having a.balance <> coalesce(sum(e.amount), 0)
          or a.credited <> coalesce(sum(greatest(e.amount, 0)), 0)
          or a.sequence <> count(e.sequence)
          or a.booked_at is distinct from max(e.created_at)`,
  },
  {
    check: 'every entry continues the previous one',
    contradictions: (tx) => tx`
      select merchant_id || ' ' || account || ' ' || sequence as example
        from (select merchant_id, account, sequence, amount, balance_after,
                     lag(balance_after, 1, 0::bigint) over w as before,
                     lag(sequence, 1, 0::bigint) over w as number_before
                from ledger_entries
              window w as (partition by merchant_id, livemode, account order by sequence)) e
       where balance_after <> before + amount or sequence <> number_before + 1`,
  },
  {
    // Statements of any period rely on this.
    check: 'every entry has the total credits of its account so far, and is not earlier than the previous one',
    contradictions: (tx) => tx`
      select merchant_id || ' ' || account || ' ' || sequence as example
        from (select merchant_id, account, sequence, credited_after, created_at,
                     sum(greatest(amount, 0)) over w as credited,
                     lag(created_at) over w as time_before
                from ledger_entries
              window w as (partition by merchant_id, livemode, account order by sequence)) e
       where credited_after is distinct from credited or created_at < time_before`,
  },
  {
    // An account's sequence numbers follow the order of commits, because each transaction held the account's lock until
    // its commit.
    check: 'no account of a merchant was ever below zero',
    contradictions: (tx) => tx`
      select merchant_id || ' ' || account || ' ' || sequence as example
        from ledger_entries
       where balance_after < 0
         and account in ('available', 'transfer', 'payouts_in_flight', 'settlements_in_flight')`,
  },
  {
    check: 'every deposit and transfer with a reference is booked with its amount',
    contradictions: (tx) => tx`
      select f.id as example
        from transfer_fillings f
        left join ledger_entries e
          on (e.merchant_id, e.livemode, e.subject_id, e.operation, e.account)
             = (f.merchant_id, f.livemode, f.id, f.operation, 'transfer')
       where e.amount is distinct from f.amount`,
  },
]
