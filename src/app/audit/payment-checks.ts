import type { BookCheck } from './book-check.ts'

/** Collections against the ledger. */
export const paymentChecks: readonly BookCheck[] = [
  {
    check: 'every payment that succeeded is credited once with its net amount, and no other is',
    contradictions: (tx) => tx`
      select coalesce(p.id, e.subject_id) as example
        from (select merchant_id, livemode, id, net_amount, fee_amount, amount_collected
                from payments
               where status in ('succeeded', 'refunded', 'partially_refunded')) p
        full join (select merchant_id, livemode, subject_id,
                          sum(amount) filter (where account = 'available') as net,
                          sum(amount) filter (where account = 'fees') as fee,
                          -sum(amount) filter (where account like 'operator:%') as collected
                     from ledger_entries
                    where operation = 'collection_confirmed'
                    group by 1, 2, 3) e
          on (e.merchant_id, e.livemode, e.subject_id) = (p.merchant_id, p.livemode, p.id)
       where (p.net_amount, p.fee_amount, p.amount_collected)
             is distinct from (coalesce(e.net, 0), coalesce(e.fee, 0), e.collected)`,
  },
]
