import type { Db, Statement } from '../platform/postgres/database.ts'
import { given } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'

/** A payout to compare: the whole number, and the amount in francs. The caller chooses `id` to recognise the answer. */
export type WantedSend = { id: string; msisdn: string; amount: number }

/** Earlier payouts of a merchant to a number. Failed ones do not count, because their money came back. */
export type EarlierSends = {
  id: string
  /** The time of the last payout to the number. Null: none. */
  last_sent_at: Date | null
  /** The time of the last payout of the same amount since the given moment. Null: none. Its id follows. */
  same_amount_at: Date | null
  same_amount_id: string | null
}

/**
 * Reads the earlier payouts to each of these numbers. It is exact, like a list: it reads listed payouts by the end of the number, and payouts
 * that the worker has not listed yet from their own table.
 * @param since the moment from which the same amount counts
 */
export async function readEarlierSends(
  db: Db,
  { merchant_id, livemode }: Tenant,
  wanted: readonly WantedSend[],
  since: Date,
): Promise<EarlierSends[]> {
  // The newest match of both sources.
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

/** The most failed payouts to read for one number and amount. */
const FAILED_MAX = 5

/**
 * Reads the ids of the failed payouts of the same amount to the same number, at most five for each, newest first. As exact
 * as `readEarlierSends`.
 * @param since the moment from which they count
 */
export async function readFailedSends(
  db: Db,
  { merchant_id, livemode }: Tenant,
  wanted: readonly Omit<WantedSend, 'id'>[],
  since: Date,
): Promise<string[]> {
  if (wanted.length === 0) return []
  const rows = await db<{ id: string }[]>`
    with recent as materialized (
      select s.id, s.msisdn, s.amount, s.created_at
        from payout_listing s
       where s.merchant_id = ${merchant_id} and s.livemode = ${livemode} and s.status = 'failed'
         and s.id >= (select before_id from listing_progress where source = 'new payouts'))
    select distinct f.id
      from ${given(db, 'payouts w', wanted, ['msisdn', 'amount'])}
     cross join lateral (
           (select s.id
              from listed_operations l
              join payout_listing s on (s.merchant_id, s.livemode, s.id) = (l.merchant_id, l.livemode, l.id)
             where l.merchant_id = ${merchant_id} and l.livemode = ${livemode} and l.kind = 'payout'
               and l.last4 = right(w.msisdn, 4) and l.amount = w.amount and s.msisdn = w.msisdn
               and s.status = 'failed' and s.created_at >= ${since}
             order by l.id desc
             limit ${FAILED_MAX})
           union
           (select s.id
              from recent s
             where s.msisdn = w.msisdn and s.amount = w.amount and s.created_at >= ${since}
             order by s.id desc
             limit ${FAILED_MAX})) f
     order by f.id desc`
  return rows.map(({ id }) => id)
}
