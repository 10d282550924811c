import type { BookCheck } from './book-check.ts'

/** Compares the decisions about differences with the ledger, and statements with the books. */
export const differenceChecks: readonly BookCheck[] = [
  {
    check: 'every line that two people decided about is booked once, as its statement shows it, and no other is',
    contradictions: (tx) => tx`
      with approved as materialized (
        select livemode, key as id, id as proposal_id, typed->>'resolution' as resolution
          from act_proposals
         where merchant_id = 0 and act = 'reconcile.propose' and status = 'approved' and person_in(decided_by) <> person_in(proposed_by)
      ), booked as materialized (
        select livemode, subject_id as id, count(distinct operation) as operations,
               -sum(amount) filter (where operation = 'line_booked' and account like 'held:%') as effect,
               coalesce(sum(amount) filter (where account in ('unassigned', 'disputed')), 0) as suspended,
               max(abs(amount)) filter (where operation = 'line_resolved') as amount
          from ledger_entries
         where merchant_id = 0 and operation in ('line_booked', 'line_resolved')
         group by 1, 2
      ), decided as materialized (
        select d.livemode, d.id, d.proposal_id, d.resolution, l.effect, d.amount
          from differences d
          left join statement_lines l on (l.id, l.month) = (d.line_id, d.line_month)
         where d.status = 'closed' and d.resolution not in ('late_line', 'anomaly')
      )
      select coalesce(d.id, a.id, b.id) as example
        from decided d
        full join approved a using (livemode, id, proposal_id, resolution)
        full join booked b using (livemode, id)
       where d.id is null or a.id is null
          or (d.resolution = 'accept') is distinct from (b.id is null)
          or b.id is not null and (b.operations, b.effect, b.suspended, b.amount) is distinct from (2, d.effect, 0, d.amount)`,
  },
  {
    check: 'every line that two people gave to a merchant is credited to that merchant once, or its job waits',
    contradictions: (tx) => tx`
      with given as materialized (
        select livemode, key as id, (typed->>'merchant')::bigint as merchant_id, typed->>'credited' as account, amount
          from act_proposals
         where merchant_id = 0 and act = 'reconcile.propose' and status = 'approved' and typed->>'resolution' = 'assign'
      ), credited as materialized (
        select livemode, subject_id as id, merchant_id, account, sum(amount) as amount
          from ledger_entries
         where operation = 'line_assigned' and account not like 'held:%'
         group by 1, 2, 3, 4
      ), waiting as materialized (
        select payload->>'difference_id' as id from jobs where kind = 'assign-line'
      )
      select coalesce(g.id, c.id) as example
        from given g
        full join credited c using (livemode, id, merchant_id, account)
       where g.amount is distinct from c.amount
         and (g.id is null or c.id is not null or g.id not in (select w.id from waiting w))`,
  },
  {
    check: "every line of a bank's file that confirmed a deposit is booked once, in the account of its file",
    contradictions: (tx) => tx`
      with booked as materialized (
        select livemode, subject_id as id, account, -sum(amount) as amount
          from ledger_entries
         where operation = 'deposit' and account like 'held:%'
         group by 1, 2, 3
      ), approved as materialized (
        select livemode, id, outcome, decided_by
          from act_proposals
         where act = 'balance.deposit' and status = 'approved'
      )
      select d.line_id as example
        from deposit_lines d
        left join approved p on (p.livemode, p.id, p.outcome, p.decided_by) = (d.livemode, d.proposal_id, d.deposit_id, d.imported_by)
        left join booked b on (b.livemode, b.id, b.account) = (d.livemode, d.deposit_id, 'held:' || d.account)
        left join statement_lines l on (l.livemode, l.id, l.month) = (d.livemode, d.line_id, d.line_month) and l.state <> 'withdrawn'
       where p.id is null or b.amount is distinct from d.amount or l.id is null or l.matched_by = 'two_people'`,
  },
  {
    // Where lines have not been compared since they changed, or are being read, the comparison has yet to name them.
    check: 'the statement of every opened account and day is the books and the differences that wait by name',
    contradictions: (tx) => tx`
      with booked as materialized (
        select livemode, subject_id as id, -sum(amount) as effect
          from ledger_entries
         where merchant_id = 0 and operation = 'line_booked' and account like 'held:%'
         group by 1, 2
      ), named as materialized (
        select l.account, l.day, l.effect,
               case when l.matched_by = 'two_people' then coalesce(b.effect, 0)
                    when l.state in ('matched', 'grouped') then l.effect else 0 end as booked,
               -- Fees and taxes alone wait for the closing of their day.
               case when l.state = 'unmatched' and (d.status <> 'closed' or d.resolution <> 'late_line')
                      or l.matched_by = 'class' then l.effect else 0 end as waiting
          from account_openings o
          join statement_lines l on (l.livemode, l.account) = (o.livemode, o.account) and l.day > o.day
          left join differences d on d.id = 'dif' || substr(l.id, 4)
          left join booked b on (b.livemode, b.id) = (d.livemode, d.id)
         where l.state <> 'withdrawn'
           and not exists (select from changed_days c where (c.livemode, c.account) = (o.livemode, o.account))
           and not exists (select from statement_files f
                            where (f.livemode, f.account, f.status) = (o.livemode, o.account, 'reading'))
      )
      select account || ' ' || day || ' ' || sum(effect - booked - waiting) as example
        from named
       where effect <> booked + waiting
       group by account, day`,
  },
]
