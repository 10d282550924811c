import type { Tx } from '../../platform/postgres/database.ts'
import type { BookCheck } from './book-check.ts'

/** The wallet of each order that a connector carried: its connector's for its direction, or else the connector's for the rest. */
export const walletsOfOrders = (tx: Tx) => tx`
  select distinct on (i.subject_id, i.merchant_id, i.livemode) i.subject_id, i.merchant_id, i.livemode, w.code
    from instructions i
    join external_accounts w
      on w.livemode = i.livemode and w.connector = coalesce(i.connector, 'simulator')
     and (w.directions = '{}' or (i.direction = any(w.directions) and w.orders_from <= i.created_at))
   order by i.subject_id, i.merchant_id, i.livemode, w.directions = '{}'`

/** Compares the money in external accounts with the orders that moved it. */
export const heldChecks: readonly BookCheck[] = [
  {
    check: 'every order moved its money in the wallet of its connector',
    contradictions: (tx) => tx`
      select e.subject_id || ' in ' || e.account as example
        from ledger_entries e
        left join (${walletsOfOrders(tx)}) w
          on (w.subject_id, w.merchant_id, w.livemode) = (e.subject_id, e.merchant_id, e.livemode)
       where e.operation in ('collection_confirmed', 'payout_succeeded')
         and e.account like 'held:%'
         and e.account is distinct from 'held:' || w.code`,
  },
  {
    check: 'every refund took its money from one wallet, and gave it back to the same one if it failed',
    contradictions: (tx) => tx`
      select r.id as example
        from refunds r
        join ledger_entries e on (e.merchant_id, e.livemode, e.subject_id) = (r.merchant_id, r.livemode, r.id)
       where e.operation in ('refund_started', 'refund_failed')
         and e.account like 'held:%'
         and e.account is distinct from 'held:' || r.wallet`,
  },
  {
    check: 'every account of the ledger belongs to a merchant, or to the house',
    contradictions: (tx) => tx`
      select a.merchant_id || ' ' || a.account as example
        from accounts a
        left join merchants m on m.merchant_id = a.merchant_id
       where m.merchant_id is null and a.merchant_id <> 0`,
  },
  {
    check: 'every account that two people opened is booked once, with the difference to the books, and no other is',
    contradictions: (tx) => tx`
      select coalesce(o.proposal_id, e.subject_id) as example
        from (select o.livemode, o.proposal_id, o.unexplained,
                     exists (select
                               from act_proposals p
                              where p.id = o.proposal_id and p.livemode = o.livemode and p.status = 'approved'
                                and (p.typed ->> 'account', (p.typed ->> 'balance')::bigint) = (o.account, o.balance)) as by_two
                from account_openings o) o
        full join (select livemode, subject_id, sum(amount) filter (where account = 'own_funds') as own
                     from ledger_entries
                    where operation = 'account_opened' and merchant_id = 0
                    group by 1, 2) e
          on (e.livemode, e.subject_id) = (o.livemode, o.proposal_id)
       where o.by_two is not true or coalesce(e.own, 0) <> o.unexplained`,
  },
  {
    check: 'every account of held money is about an external account of its mode',
    contradictions: (tx) => tx`
      select a.merchant_id || ' ' || a.livemode || ' ' || a.account as example
        from accounts a
        left join external_accounts w on w.livemode = a.livemode and 'held:' || w.code = a.account
       where a.account like 'held:%' and w.code is null`,
  },
]
