import type { Db, Statement } from '../platform/postgres/database.ts'
import { given } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'

/** Money that somebody wants to send: the whole number, and francs. `id` is the caller's own, to tell its answers apart. */
export type WantedSend = { id: string; msisdn: string; amount: number }

/** Earlier payouts of a merchant to a number. A payout that failed does not count: its money came back. */
export type EarlierSends = {
  id: string
  /** The last payout there; null: there was none. */
  last_sent_at: Date | null
  /** The last one of the same amount since the moment that was asked about, with its id; null: none. */
  same_amount_at: Date | null
  same_amount_id: string | null
}

/**
 * Reads what was sent before to each of these numbers. Exact as a list is: of what the worker has listed, by the end of the number, and from where
 * money writes it, of what the worker has not come to.
 * @param since from when on the same amount counts
 */
export async function readEarlierSends(
  db: Db,
  { merchant_id, livemode }: Tenant,
  wanted: readonly WantedSend[],
  since: Date,
): Promise<EarlierSends[]> {
  // The newest that matches, of both places.
  const newest = (matches: Statement<object[]>) => db`
    (select e.id, e.created_at
       from ((select s.id, s.created_at
                from listed_operations l
                join payout_listing s on (s.merchant_id, s.livemode, s.id) = (l.merchant_id, l.livemode, l.id)
               where l.merchant_id = ${merchant_id} and l.livemode = ${livemode} and l.kind = 'payout'
                 and l.last4 = right(w.msisdn, 4) and s.msisdn = w.msisdn and s.status <> 'failed' ${matches}
               order by l.id desc
               limit 1)
             union all
             (select s.id, s.created_at
                from recent s
               where s.msisdn = w.msisdn ${matches}
               order by s.id desc
               limit 1)) e
      order by e.id desc
      limit 1)`
  return db<EarlierSends[]>`
    with recent as materialized (
      select s.id, s.msisdn, s.amount, s.created_at
        from payout_listing s
       where s.merchant_id = ${merchant_id} and s.livemode = ${livemode} and s.status <> 'failed'
         and s.id >= (select before_id from listing_progress where source = 'new payouts'))
    select w.id, sent.created_at as last_sent_at, alike.created_at as same_amount_at, alike.id as same_amount_id
      from ${given(db, 'payouts w', wanted, ['id', 'msisdn', 'amount'])}
      left join lateral ${newest(db``)} sent on true
      left join lateral ${newest(db`and s.amount = w.amount and s.created_at >= ${since}`)} alike on true`
}
