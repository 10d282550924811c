import { type BookCheck, held } from './book-check.ts'

/** Compares refunds with their payments, the ledger and their instructions. */
export const refundChecks: readonly BookCheck[] = [
  {
    check: 'every refund debited its parts from the available balance and the fees once, and nothing else did',
    contradictions: (tx) => tx`
      select coalesce(r.id, e.subject_id) as example
        from refunds r
        full join (select merchant_id, livemode, subject_id,
                          -coalesce(sum(amount) filter (where account = 'available'), 0) as net,
                          -coalesce(sum(amount) filter (where account = 'fees'), 0) as fee,
                          coalesce(sum(amount) filter (where ${held(tx)}), 0) as returned
                     from ledger_entries
                    where operation = 'refund_started'
                    group by 1, 2, 3) e
          on (e.merchant_id, e.livemode, e.subject_id) = (r.merchant_id, r.livemode, r.id)
       where (r.net_amount, r.fee_amount, r.amount_returned) is distinct from (e.net, e.fee, e.returned)`,
  },
  {
    check: 'every refund that failed returned its parts once, and no other refund did',
    contradictions: (tx) => tx`
      select coalesce(r.id, e.subject_id) as example
        from (select merchant_id, livemode, id, net_amount, fee_amount, amount_returned
                from refunds
               where status = 'failed') r
        full join (select merchant_id, livemode, subject_id,
                          coalesce(sum(amount) filter (where account = 'available'), 0) as net,
                          coalesce(sum(amount) filter (where account = 'fees'), 0) as fee,
                          -coalesce(sum(amount) filter (where ${held(tx)}), 0) as returned
                     from ledger_entries
                    where operation = 'refund_failed'
                    group by 1, 2, 3) e
          on (e.merchant_id, e.livemode, e.subject_id) = (r.merchant_id, r.livemode, r.id)
       where (r.net_amount, r.fee_amount, r.amount_returned) is distinct from (e.net, e.fee, e.returned)`,
  },
  {
    check: 'no refunds exceed their payment, and a full refund is exact to the franc',
    contradictions: (tx) => tx`
      select p.id as example
        from (select merchant_id, livemode, payment_id, sum(amount) as amount, sum(amount_returned) as returned,
                     sum(fee_amount) as fee
                from refunds
               where status <> 'failed'
               group by 1, 2, 3) r
        join payments p on (p.merchant_id, p.livemode, p.id) = (r.merchant_id, r.livemode, r.payment_id)
       where r.amount > p.amount
          or r.fee > p.fee_amount
          or r.returned > p.amount_collected
          or (r.amount = p.amount and (r.fee, r.returned) is distinct from (p.fee_amount, p.amount_collected))`,
  },
  {
    check: 'amount_refunded of every payment is the sum of its refunds that succeeded, and its status agrees',
    contradictions: (tx) => tx`
      select coalesce(p.id, r.payment_id) as example
        from (select merchant_id, livemode, id, status, amount, amount_refunded
                from payments
               where amount_refunded > 0 or status in ('refunded', 'partially_refunded')) p
        full join (select merchant_id, livemode, payment_id, sum(amount) as amount
                     from refunds
                    where status = 'succeeded'
                    group by 1, 2, 3) r
          on (r.merchant_id, r.livemode, r.payment_id) = (p.merchant_id, p.livemode, p.id)
       where p.amount_refunded is distinct from r.amount
          or p.status is distinct from case when r.amount = p.amount then 'refunded' else 'partially_refunded' end`,
  },
  {
    check: 'every refund by an operator has one instruction, with the same outcome',
    contradictions: (tx) => tx`
      select coalesce(r.id, i.subject_id) as example
        from (select merchant_id, livemode, id, status, operator, amount_returned
                from refunds
               where not by_hand) r
        full join (select merchant_id, livemode, subject_id, state, amount, operator, refund_of
                     from instructions
                    where direction = 'refund') i
          on (i.merchant_id, i.livemode, i.subject_id) = (r.merchant_id, r.livemode, r.id)
       where (r.amount_returned, r.operator) is distinct from (i.amount, i.operator)
          or (r.status = 'succeeded') is distinct from (i.state = 'confirmed')
          or (r.status = 'failed') is distinct from (i.state = 'refused')
          or (r.status = 'requested' and i.state <> 'prepared')
          or i.refund_of is null`,
  },
  {
    check: 'the status of every refund is that of its last transition',
    contradictions: (tx) => tx`
      select r.id as example
        from (select merchant_id, livemode, id, transition_count, status,
                     case when by_hand then 'manual' else 'requested' end as began
                from refunds) r
        left join (select merchant_id, livemode, refund_id, count(*) as transition_count,
                          (array_agg(from_status order by number))[1] as began,
                          (array_agg(to_status order by number desc))[1] as stands,
                          bool_and(number = rank and from_status = before) as unbroken
                     from (select merchant_id, livemode, refund_id, number, from_status, to_status,
                                  row_number() over w as rank, lag(to_status, 1, from_status) over w as before
                             from refund_transitions_log
                           window w as (partition by merchant_id, livemode, refund_id order by number)) m
                    group by 1, 2, 3) m
          on (m.merchant_id, m.livemode, m.refund_id) = (r.merchant_id, r.livemode, r.id)
       where (r.transition_count, r.status, r.began, true)
             is distinct from (coalesce(m.transition_count, 0), coalesce(m.stands, r.began), coalesce(m.began, r.began),
                               coalesce(m.unbroken, true))`,
  },
]
