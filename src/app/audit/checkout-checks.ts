import type { BookCheck } from './book-check.ts'

/** Compares checkout sessions with their payments, and links with their sessions. */
export const checkoutChecks: readonly BookCheck[] = [
  {
    check: 'a checkout session is paid if and only if one of its payments succeeded, and it names that payment',
    contradictions: (tx) => tx`
      select coalesce(s.id, p.session_id) as example
        from checkout_sessions s
        full join (select merchant_id, livemode, checkout_session_id as session_id,
                          array_agg(id) filter (where status in ('succeeded', 'refunded', 'partially_refunded')) as paid,
                          array_agg(amount) as amounts
                     from payments
                    where checkout_session_id is not null
                    group by 1, 2, 3) p
          on (p.merchant_id, p.livemode, p.session_id) = (s.merchant_id, s.livemode, s.id)
       where s.id is null
          or (s.status = 'paid') <> (p.paid is not null)
          or (s.status = 'paid' and s.payment_id <> all (p.paid))
          or s.attempts <> coalesce(cardinality(p.amounts), 0)
          or s.amount <> all (p.amounts)`,
  },
  {
    check: 'every second success of a checkout session is an anomaly',
    contradictions: (tx) => tx`
      select p.id as example
        from payments p
        join checkout_sessions s
          on (s.merchant_id, s.livemode, s.id) = (p.merchant_id, p.livemode, p.checkout_session_id)
       where p.status in ('succeeded', 'refunded', 'partially_refunded')
         and p.id <> s.payment_id
         and not exists (
               select from anomalies a
                where (a.merchant_id, a.livemode, a.subject_id) = (p.merchant_id, p.livemode, p.id)
                  and a.kind = 'second_success')`,
  },
  {
    check: 'every second success of a link that is not reusable is an anomaly',
    contradictions: (tx) => tx`
      select l.id as example
        from payment_links l
        join checkout_sessions s
          on (s.merchant_id, s.livemode, s.link_id) = (l.merchant_id, l.livemode, l.id)
       where not l.reusable
         and s.status = 'paid'
         and not exists (
               select from anomalies a
                where (a.merchant_id, a.livemode, a.subject_id) = (s.merchant_id, s.livemode, s.payment_id)
                  and a.kind = 'second_success')
       group by l.merchant_id, l.livemode, l.id
      having count(*) > 1`,
  },
  {
    check: 'attempt_live of every checkout session is true exactly while its latest attempt is in progress',
    contradictions: (tx) => tx`
      select s.id as example
        from checkout_sessions s
        left join payments p
          on (p.merchant_id, p.livemode, p.id) = (s.merchant_id, s.livemode, s.payment_id)
       where s.attempt_live <> (s.status = 'open' and coalesce(p.status in ('created', 'pending'), false))`,
  },
  {
    check:
      'a link that is not reusable is paid if and only if one of its sessions is, and it is taken by the session in progress',
    contradictions: (tx) => tx`
      select l.id as example
        from payment_links l
        left join (select merchant_id, livemode, link_id,
                          bool_or(status = 'paid') as paid,
                          max(id) filter (where attempt_live) as live
                     from checkout_sessions
                    where link_id is not null
                    group by 1, 2, 3) s
          on (s.merchant_id, s.livemode, s.link_id) = (l.merchant_id, l.livemode, l.id)
       where (l.status = 'paid') <> (not l.reusable and coalesce(s.paid, false))
          or l.taken_by is distinct from (case when not l.reusable then s.live end)`,
  },
]
