import type { BookCheck } from './book-check.ts'

/** Compares adjustments with the ledger, anomalies with their resolutions, and acts that waited for a second person with what they made. */
export const adjustmentChecks: readonly BookCheck[] = [
  {
    check: 'every adjustment that two people approved is booked once, and no other adjustment is',
    contradictions: (tx) => tx`
      select coalesce(a.id, e.subject_id) as example
        from (select merchant_id, livemode, id, counterpart,
                     case direction when 'credit' then amount else -amount end as change
                from adjustments
               where status = 'approved' and person_in(decided_by) <> person_in(proposed_by)) a
        full join (select merchant_id, livemode, subject_id,
                          sum(amount) filter (where account = 'available') as change,
                          max(account) filter (where account <> 'available') as counterpart
                     from ledger_entries
                    where operation = 'adjustment'
                    group by 1, 2, 3) e
          on (e.merchant_id, e.livemode, e.subject_id) = (a.merchant_id, a.livemode, a.id)
       where (a.change, a.counterpart) is distinct from (e.change, e.counterpart)`,
  },
  {
    check: 'an anomaly is closed if and only if two people approved its resolution, or its statement line fits by now',
    contradictions: (tx) => tx`
      with closed as materialized (
        select merchant_id, livemode, id, evidence->>'difference_id' as difference_id
          from anomalies
         where closed_at is not null
      ), approved as materialized (
        select merchant_id, livemode, anomaly_id, count(*) as times
          from anomaly_proposals
         where status = 'approved' and person_in(decided_by) <> person_in(proposed_by)
         group by 1, 2, 3
      )
      select coalesce(a.id, p.anomaly_id) as example
        from closed a
        full join approved p
          on (p.merchant_id, p.livemode, p.anomaly_id) = (a.merchant_id, a.livemode, a.id)
        left join differences d on d.id = a.difference_id
       where a.id is null
          or p.times is distinct from 1
             -- Another file withdrew or explained the line, or made it another anomaly.
             and (p.times is not null or coalesce(d.resolution, '') <> 'late_line' and d.anomaly_id is not distinct from a.id
                  or d.id is null)`,
  },
  {
    check: 'every approved resolution of an anomaly is booked as approved',
    contradictions: (tx) => tx`
      with made as materialized (
        -- The adjustment of an anomaly without a merchant belongs to another merchant. On Citus such rows can only be
        -- joined after they were gathered.
        select merchant_id, livemode, id, anomaly_id, status, direction, amount
          from adjustments
         where anomaly_id is not null
      )
      select p.id as example
        from anomaly_proposals p
        left join made a
          on (a.merchant_id, a.livemode, a.id)
             = (coalesce(p.of_merchant_id, p.merchant_id), p.livemode, p.adjustment_id)
        left join (select merchant_id, livemode, subject_id, sum(amount) filter (where amount > 0) as returned
                     from ledger_entries
                    where operation = 'returned_by_hand'
                    group by 1, 2, 3) r
          on (r.merchant_id, r.livemode, r.subject_id) = (p.merchant_id, p.livemode, p.anomaly_id)
       where (p.adjustment_id is not null) is distinct from (a.id is not null)
          or (a.id is not null and (a.anomaly_id, a.status) is distinct from (p.anomaly_id, 'approved'))
          or (p.status = 'approved' and p.resolution = 'credit_available'
              and (a.direction, a.amount) is distinct from ('credit', p.amount))
          or (p.status = 'approved' and p.resolution = 'debit_available'
              and (a.direction, a.amount) is distinct from ('debit', p.amount))
          or (p.status = 'approved' and p.resolution = 'returned_by_hand' and p.merchant_id <> 0
              and r.returned is distinct from p.amount)
          or (p.status <> 'approved' and p.adjustment_id is not null)`,
  },
  {
    check: 'every deposit and refund that two people approved is made, with the approved sum',
    contradictions: (tx) => tx`
      select p.id as example
        from act_proposals p
        left join (select merchant_id, livemode, subject_id,
                          sum(amount) filter (where account = 'transfer') as amount
                     from ledger_entries
                    where operation = 'deposit'
                    group by 1, 2, 3) d
          on (d.merchant_id, d.livemode, d.subject_id) = (p.merchant_id, p.livemode, p.outcome)
        left join refunds r
          on (r.merchant_id, r.livemode, r.id) = (p.merchant_id, p.livemode, p.outcome)
       where p.status = 'approved'
         and ((p.act = 'balance.deposit' and d.amount is distinct from p.amount)
              or (p.act = 'refund.create' and (r.payment_id, r.amount) is distinct from (p.subject, p.amount)))`,
  },
]
