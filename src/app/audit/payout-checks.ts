import { type BookCheck, held } from './book-check.ts'

/** Compares payouts with the ledger and their instructions. */
export const payoutChecks: readonly BookCheck[] = [
  {
    check: 'every payout debited its total from the transfer balance once, and nothing else did',
    contradictions: (tx) => tx`
      select coalesce(p.id, e.subject_id) as example
        from payouts p
        full join (select merchant_id, livemode, subject_id,
                          -sum(amount) filter (where account = 'transfer') as taken,
                          sum(amount) filter (where account = 'payouts_in_flight') as held
                     from ledger_entries
                    where operation = 'payout_started'
                    group by 1, 2, 3) e
          on (e.merchant_id, e.livemode, e.subject_id) = (p.merchant_id, p.livemode, p.id)
       where (p.total_debited, p.total_debited) is distinct from (e.taken, e.held)`,
  },
  {
    check: 'every payout that ended is booked once, according to its status, and no other payout is',
    contradictions: (tx) => tx`
      select coalesce(p.id, e.subject_id) as example
        from (select merchant_id, livemode, id, array['payout_' || status] as ends,
                     case status when 'succeeded' then amount else 0 end as sent,
                     case status when 'succeeded' then fee_amount else 0 end as earned,
                     case status when 'failed' then total_debited else 0 end as returned
                from payouts
               where status in ('succeeded', 'failed')) p
        full join (select merchant_id, livemode, subject_id, array_agg(distinct operation) as ends,
                          coalesce(sum(amount) filter (where ${held(tx)}), 0) as sent,
                          coalesce(sum(amount) filter (where account = 'fees'), 0) as earned,
                          coalesce(sum(amount) filter (where account = 'transfer'), 0) as returned
                     from ledger_entries
                    where operation in ('payout_succeeded', 'payout_failed')
                    group by 1, 2, 3) e
          on (e.merchant_id, e.livemode, e.subject_id) = (p.merchant_id, p.livemode, p.id)
       where (p.ends, p.sent, p.earned, p.returned) is distinct from (e.ends, e.sent, e.earned, e.returned)`,
  },
  {
    check: 'payouts_in_flight is the sum of the payouts that have not ended',
    contradictions: (tx) => tx`
      select merchant_id || ' ' || livemode || ': ' || coalesce(a.balance, 0) || ' for ' || coalesce(p.open, 0) as example
        from (select merchant_id, livemode, balance from accounts where account = 'payouts_in_flight') a
        full join (select merchant_id, livemode, sum(total_debited) as open
                     from payouts
                    where status not in ('succeeded', 'failed')
                    group by 1, 2) p using (merchant_id, livemode)
       where coalesce(a.balance, 0) <> coalesce(p.open, 0)`,
  },
  {
    check: 'every payout has one instruction, with the same outcome',
    contradictions: (tx) => tx`
      select coalesce(p.id, i.subject_id) as example
        from payouts p
        full join (select merchant_id, livemode, subject_id, state, amount, msisdn, operator
                     from instructions
                    where direction = 'payout') i
          on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
       where (p.amount, p.msisdn, p.operator) is distinct from (i.amount, i.msisdn, i.operator)
          or (p.status = 'succeeded') is distinct from (i.state = 'confirmed')
          or (p.status = 'failed') is distinct from (i.state = 'refused')
          or (p.status = 'created' and i.state <> 'prepared')`,
  },
  {
    check: 'the status of every payout is that of its last transition',
    contradictions: (tx) => tx`
      select p.id as example
        from payouts p
        left join (select merchant_id, livemode, payout_id, count(*) as transition_count,
                          (array_agg(to_status order by number desc))[1] as stands,
                          bool_and(number = rank and from_status = before) as unbroken
                     from (select merchant_id, livemode, payout_id, number, from_status, to_status,
                                  row_number() over w as rank, lag(to_status, 1, 'created') over w as before
                             from payout_transitions_log
                           window w as (partition by merchant_id, livemode, payout_id order by number)) m
                    group by 1, 2, 3) m
          on (m.merchant_id, m.livemode, m.payout_id) = (p.merchant_id, p.livemode, p.id)
       where (p.transition_count, p.status, true)
             is distinct from (coalesce(m.transition_count, 0), coalesce(m.stands, 'created'), coalesce(m.unbroken, true))`,
  },
  {
    check: 'every approved payout request has one payout of its amount, and no other request has a payout',
    contradictions: (tx) => tx`
      select r.id as example
        from payout_requests r
        left join payouts p on (p.merchant_id, p.livemode, p.id) = (r.merchant_id, r.livemode, r.payout_id)
       where (case r.status when 'approved' then r.amount end) is distinct from p.amount
          or (p.id is not null and p.msisdn <> r.msisdn)`,
  },
]
