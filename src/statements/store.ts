import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import type { MovementRow } from './movement.ts'
import type { Period } from './period.ts'
import type { PeriodFigures } from './statement.ts'

/**
 * The figures of a period, all in one snapshot; null when there is no such account.
 *
 * The time of entries never goes back along an account, so the last entry before a moment is found by halving: some
 * twenty steps over the primary key for a million entries, and no index on time that every write would pay for. The two
 * entries found say the rest, because each carries the balance and the credits so far. A period that reaches the present
 * ends with the last entry, whatever a clock said when that was booked.
 */
export async function readFigures(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { from, to }: Period,
): Promise<PeriodFigures | null> {
  const rows = await db<Omit<PeriodFigures, 'from' | 'to'>[]>`
    with recursive halving as (
      select e.edge, e.moment, 0::bigint as low, a.sequence as high
        from accounts a
        cross join lateral (values
          ('opening', ${from}::date::timestamp at time zone 'UTC'),
          ('closing', case when ${to}::date >= (clock_now() at time zone 'UTC')::date then 'infinity'
                           else (${to}::date + 1)::timestamp at time zone 'UTC' end)) as e(edge, moment)
       where a.merchant_id = ${merchant_id} and a.livemode = ${livemode} and a.account = 'available'
       union all
      select h.edge, h.moment,
             case when m.created_at < h.moment then m.sequence else h.low end,
             case when m.created_at < h.moment then h.high else m.sequence - 1 end
        from halving h
        join ledger_entries m
          on (m.merchant_id, m.livemode, m.account, m.sequence)
           = (${merchant_id}, ${livemode}, 'available', (h.low + h.high + 1) / 2)
       where h.low < h.high),
    edges as (
      select h.edge, h.low as sequence, coalesce(e.balance_after, 0) as balance, coalesce(e.credited_after, 0) as credited
        from halving h
        left join ledger_entries e
          on (e.merchant_id, e.livemode, e.account, e.sequence) = (${merchant_id}, ${livemode}, 'available', h.low)
       where h.low = h.high)
    select o.balance as opening_balance,
           c.credited - o.credited as total_in,
           o.balance + c.credited - o.credited - c.balance as total_out,
           c.balance as closing_balance,
           o.sequence + 1 as first_sequence,
           c.sequence as last_sequence
      from edges o
      cross join edges c
     where o.edge = 'opening' and c.edge = 'closing'`
  const [figures] = rows
  return figures === undefined ? null : { from, to, ...figures }
}

/**
 * The entries of `available` from one sequence to another, both included, in their order: a page is found by its place and
 * costs the same wherever it stands. A collection's subject is its payment; a refund knows its own. Payments and refunds
 * are read where they stand, because nothing of them that is read here ever changes.
 */
export async function readMovements(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { first, last }: { first: number; last: number },
): Promise<MovementRow[]> {
  return db<MovementRow[]>`
    select e.sequence, e.subject_id, e.operation, e.amount, e.balance_after, p.id as payment_id, p.merchant_reference,
           e.created_at
      from ledger_entries e
      left join lateral (
             select payment_id
               from refunds
              where e.operation in ('refund_started', 'refund_failed')
                and merchant_id = ${merchant_id} and livemode = ${livemode} and id = e.subject_id
              limit 1) r on true
      left join payments p
        on (p.merchant_id, p.livemode, p.id) = (e.merchant_id, e.livemode, coalesce(r.payment_id, e.subject_id))
     where e.merchant_id = ${merchant_id} and e.livemode = ${livemode} and e.account = 'available'
       and e.sequence between ${first} and ${last}
     order by e.sequence`
}
