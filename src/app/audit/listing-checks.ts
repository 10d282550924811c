import { cell } from '../../listings/figures-store.ts'
import { type ListedKind, listedKinds } from '../../listings/listed-operation.ts'
import { type Source, views } from '../../listings/store.ts'
import type { Statement, Tx } from '../../platform/postgres/database.ts'
import type { BookCheck } from './book-check.ts'

/** One statement for each kind of listed operation, combined by `union all`. */
function ofBothKinds(tx: Tx, write: (kind: ListedKind) => Statement<object[]>): Statement<{ example: string }[]> {
  return listedKinds.map(write).reduce((all, one) => tx`${all} union all ${one}`) as Statement<{ example: string }[]>
}

/** The identifier below which the worker has read all rows of a source. */
function passed(tx: Tx, source: Source): Statement<object[]> {
  return tx`(select before_id from listing_progress where source = ${source})`
}

/**
 * SQL condition: the worker must have seen the present state of the operation. That holds when it has passed the
 * identifier, the operation is more than an hour old, and no event of a transition still waits for the worker. A jump
 * of the clock makes identifiers appear among those already passed; the events of their transitions then add them to
 * the list.
 */
function mustHaveBeenSeen(tx: Tx, kind: ListedKind): Statement<object[]> {
  return tx`(s.id < ${passed(tx, `${kind}s again`)}
             and s.created_at < clock_now() - interval '1 hour'
             and not exists (select
                               from event_subjects e
                              where (e.merchant_id, e.livemode, e.subject_id) = (s.merchant_id, s.livemode, s.id)
                                and e.id >= ${passed(tx, 'new events')}))`
}

/**
 * Compares lists and charts with the operations. The worker updates both after the money moves, so each is compared
 * only as far as the worker has come.
 */
export const listingChecks: readonly BookCheck[] = [
  {
    // By the status in the list: the transaction that lists an operation also updates the figures.
    check: 'the daily figures of charts are the sums of the operations that are listed',
    contradictions: (tx) => tx`
      select concat_ws(' ', merchant_id, case when livemode then 'live' else 'test' end, kind, day, nullif(operator, ''), status) as example
        from (select merchant_id, livemode, kind, day, operator, status, failure_code, within_seconds, count, amount, fee_amount
                from daily_figures
               union all
              ${ofBothKinds(
                tx,
                (kind) => tx`
              select merchant_id, livemode, ${kind}, day, operator, status, failure_code, within_seconds,
                     sum(count), sum(amount), sum(fee_amount)
                from (select l.merchant_id, l.livemode, ${cell(tx, tx`l.status`, tx`-1`)}
                        from listed_operations l
                        join ${tx(views[kind])} s on (s.merchant_id, s.livemode, s.id) = (l.merchant_id, l.livemode, l.id)
                       where l.kind = ${kind}) cells
               group by 1, 2, 4, 5, 6, 7, 8`,
              )}) both_sides
       group by merchant_id, livemode, kind, day, operator, status, failure_code, within_seconds
      having sum(count) <> 0 or sum(amount) <> 0 or sum(fee_amount) <> 0
       order by 1`,
  },
  {
    // The worker reads every operation twice, the second time an hour later, to find rows that were committed late. A
    // transition is still ahead of the worker while its event is.
    check:
      'every operation that the worker has passed twice is listed with its current status, or its change is not listed yet, and nothing else is listed',
    contradictions: (tx) =>
      ofBothKinds(
        tx,
        (kind) => tx`
      select coalesce(s.id, l.id) as example
        from ${tx(views[kind])} s
        full join (select merchant_id, livemode, id, version, status, amount, operator, last4
                     from listed_operations
                    where kind = ${kind}) l
          on (l.merchant_id, l.livemode, l.id) = (s.merchant_id, s.livemode, s.id)
       where case
               when s.id is null then true
               when l.id is null then ${mustHaveBeenSeen(tx, kind)}
               when (l.amount, l.operator, l.last4) is distinct from (s.amount, s.operator, s.last4) then true
               when l.version >= s.version then (l.version, l.status) <> (s.version, s.status)
               else ${mustHaveBeenSeen(tx, kind)}
             end`,
      ),
  },
]
