import { type BookCheck, held } from './book-check.ts'
import { walletsOfOrders } from './held-checks.ts'

/** Compares the movements at operators with the confirmed instructions, and their charges with the ledger. */
export const chargeChecks: readonly BookCheck[] = [
  {
    // The amounts may differ: people may have established that an operator moved another amount than the order's.
    check: 'every instruction that was confirmed through a connector moved its amount there once, and no other did',
    contradictions: (tx) => tx`
      select coalesce(i.subject_id, m.subject_id) as example
        from (select i.merchant_id, i.livemode, i.subject_id, i.connector, i.direction, i.operator, i.amount,
                     exists (select from connectors c where c.name = i.connector) as by_contract,
                     exists (select
                               from operator_answers a
                              where (a.merchant_id, a.livemode, a.subject_id) = (i.merchant_id, i.livemode, i.subject_id)
                                and a.source = 'person') as by_hand
                from instructions i
               where i.state = 'confirmed' and i.connector is not null) i
        full join (select merchant_id, livemode, subject_id, connector, direction, operator, amount
                     from connector_movements
                    where number = 1) m
          on (m.merchant_id, m.livemode, m.subject_id) = (i.merchant_id, i.livemode, i.subject_id)
       where (i.by_contract or m.subject_id is not null)
         and ((i.connector, i.direction, i.operator) is distinct from (m.connector, m.direction, m.operator)
              or (i.amount is distinct from m.amount and i.by_hand is not true))`,
  },
  {
    check:
      'every charge of an operator is booked once, with its amount and in the wallet of its order, and no other charge is',
    contradictions: (tx) => tx`
      select coalesce(m.subject_id, e.subject_id) as example
        from (select m.merchant_id, m.livemode, m.subject_id, m.charge, m.operator, 'held:' || w.code as held_at,
                     case m.number when 1 then 'operator_charged' else 'operator_charge_corrected' end as operation
                from connector_movements m
                left join (${walletsOfOrders(tx)}) w
                  on (w.subject_id, w.merchant_id, w.livemode) = (m.subject_id, m.merchant_id, m.livemode)
               where m.charge <> 0) m
        full join (select merchant_id, livemode, subject_id, operation,
                          -sum(amount) filter (where account = 'operator_charges') as charge,
                          max(account) filter (where ${held(tx)}) as held_at
                     from ledger_entries
                    where operation in ('operator_charged', 'operator_charge_corrected')
                       or account = 'operator_charges'
                    group by 1, 2, 3, 4) e
          on (e.merchant_id, e.livemode, e.subject_id, e.operation) = (m.merchant_id, m.livemode, m.subject_id, m.operation)
       where (m.charge, case when e.held_at like 'operator:%' then 'operator:' || coalesce(m.operator, 'simulator') else m.held_at end)
             is distinct from (e.charge, e.held_at)`,
  },
  {
    check: 'every correction of a charge comes after the charge, at the same connector',
    contradictions: (tx) => tx`
      select c.subject_id as example
        from connector_movements c
        left join connector_movements m
          on (m.merchant_id, m.livemode, m.subject_id, m.number) = (c.merchant_id, c.livemode, c.subject_id, 1)
       where c.number = 2
         and ((c.connector, c.operator, c.direction, c.sent_at, c.moved_at)
              is distinct from (m.connector, m.operator, m.direction, m.sent_at, m.moved_at)
              or m.charge + c.charge < 0)`,
  },
]
