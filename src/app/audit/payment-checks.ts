import { type BookCheck, held } from './book-check.ts'

/** Compares payments with the ledger. */
export const paymentChecks: readonly BookCheck[] = [
  {
    check: 'every payment that succeeded is credited once with its net amount, and no other payment is',
    contradictions: (tx) => tx`
      select coalesce(p.id, e.subject_id) as example
        from (select merchant_id, livemode, id, net_amount, fee_amount, amount_collected
                from payments
               where status in ('succeeded', 'refunded', 'partially_refunded')) p
        full join (select merchant_id, livemode, subject_id,
                          sum(amount) filter (where account = 'available') as net,
                          sum(amount) filter (where account = 'fees') as fee,
                          -sum(amount) filter (where ${held(tx)}) as collected
                     from ledger_entries
                    where operation = 'collection_confirmed'
                    group by 1, 2, 3) e
          on (e.merchant_id, e.livemode, e.subject_id) = (p.merchant_id, p.livemode, p.id)
       where (p.net_amount, p.fee_amount, p.amount_collected)
             is distinct from (coalesce(e.net, 0), coalesce(e.fee, 0), e.collected)`,
  },
  {
    check: 'every payment that has not ended waits to be sent, or has an instruction with its amount and number',
    contradictions: (tx) => tx`
      select p.id as example
        from payments p
        left join instructions i
          on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
        left join (select (c ->> 'merchant_id')::bigint as merchant_id, (c ->> 'livemode')::boolean as livemode,
                          c ->> 'subject_id' as subject_id, count(*) as groups
                     from collection_outbox w
                    cross join json_array_elements(w.collections) as c
                    group by 1, 2, 3) g
          on (g.merchant_id, g.livemode, g.subject_id) = (p.merchant_id, p.livemode, p.id)
       where p.status in ('created', 'pending')
         and (coalesce(g.groups, 0) + (i.subject_id is not null)::int <> 1
              or (p.status = 'pending' and i.subject_id is null)
              or (i.direction, i.amount, i.currency, i.operator, i.msisdn)
                 is distinct from ('collect', p.amount_collected, p.currency, p.operator, p.msisdn)
                 and i.subject_id is not null)`,
  },
]
