import { type BookCheck, held } from './book-check.ts'

/** Compares settlements with the ledger and with the people who decided. */
export const settlementChecks: readonly BookCheck[] = [
  {
    check: 'every settlement debited its amount from the available balance once, and nothing else did',
    contradictions: (tx) => tx`
      select coalesce(s.id, e.subject_id) as example
        from settlements s
        full join (select merchant_id, livemode, subject_id,
                          -sum(amount) filter (where account = 'available') as taken,
                          sum(amount) filter (where account = 'settlements_in_flight') as held
                     from ledger_entries
                    where operation = 'settlement_requested'
                    group by 1, 2, 3) e
          on (e.merchant_id, e.livemode, e.subject_id) = (s.merchant_id, s.livemode, s.id)
       where (s.amount, s.amount) is distinct from (e.taken, e.held)`,
  },
  {
    check: 'every settlement that ended is booked once, according to its status, and no other settlement is',
    contradictions: (tx) => tx`
      select coalesce(s.id, e.subject_id) as example
        from (select merchant_id, livemode, id, array['settlement_' || status] as ends,
                     case status when 'paid' then amount else 0 end as paid,
                     case status when 'rejected' then amount else 0 end as returned
                from settlements
               where status in ('paid', 'rejected')) s
        full join (select merchant_id, livemode, subject_id, array_agg(distinct operation) as ends,
                          coalesce(sum(amount) filter (where ${held(tx)}), 0) as paid,
                          coalesce(sum(amount) filter (where account = 'available'), 0) as returned
                     from ledger_entries
                    where operation in ('settlement_paid', 'settlement_rejected')
                    group by 1, 2, 3) e
          on (e.merchant_id, e.livemode, e.subject_id) = (s.merchant_id, s.livemode, s.id)
       where (s.ends, s.paid, s.returned) is distinct from (e.ends, e.paid, e.returned)`,
  },
  {
    check: 'settlements_in_flight is the sum of the settlements that have not ended',
    contradictions: (tx) => tx`
      select merchant_id || ' ' || livemode || ': ' || coalesce(a.balance, 0) || ' for ' || coalesce(s.open, 0) as example
        from (select merchant_id, livemode, balance from accounts where account = 'settlements_in_flight') a
        full join (select merchant_id, livemode, sum(amount) as open
                     from settlements
                    where status in ('pending_validation', 'validated')
                    group by 1, 2) s using (merchant_id, livemode)
       where coalesce(a.balance, 0) <> coalesce(s.open, 0)`,
  },
  {
    check: 'the status of every settlement is that of its last transition',
    contradictions: (tx) => tx`
      select s.id as example
        from settlements s
        left join (select merchant_id, livemode, settlement_id, count(*) as transition_count,
                          (array_agg(to_status order by number desc))[1] as stands,
                          bool_and(number = rank and from_status = before) as unbroken
                     from (select merchant_id, livemode, settlement_id, number, from_status, to_status,
                                  row_number() over w as rank, lag(to_status, 1, 'pending_validation') over w as before
                             from settlement_transitions_log
                           window w as (partition by merchant_id, livemode, settlement_id order by number)) m
                    group by 1, 2, 3) m
          on (m.merchant_id, m.livemode, m.settlement_id) = (s.merchant_id, s.livemode, s.id)
       where (s.transition_count, s.status, true)
             is distinct from (coalesce(m.transition_count, 0), coalesce(m.stands, 'pending_validation'), coalesce(m.unbroken, true))`,
  },
  {
    check: 'the people whom a settlement names made its transitions, and different people validated and paid it',
    contradictions: (tx) => tx`
      select s.id as example
        from settlements s
        left join (select merchant_id, livemode, settlement_id,
                          max(transitioned_by) filter (where to_status = 'validated') as validated_by,
                          max(transitioned_by) filter (where to_status = 'paid') as paid_by,
                          max(transitioned_by) filter (where to_status = 'rejected') as rejected_by
                     from settlement_transitions_log
                    group by 1, 2, 3) m
          on (m.merchant_id, m.livemode, m.settlement_id) = (s.merchant_id, s.livemode, s.id)
       where (s.validated_by, s.paid_by, s.rejected_by) is distinct from (m.validated_by, m.paid_by, m.rejected_by)
          or person_in(m.paid_by) = person_in(m.validated_by)
          or 'key' in (split_part(m.validated_by, ':', 1), split_part(m.paid_by, ':', 1))`,
  },
]
