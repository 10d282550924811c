import type { Db, Statement } from '../platform/postgres/database.ts'
import { given } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import { firstIdAt } from '../values/ids.ts'

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

/** The newest payout of the same amount to the number of a wanted one, with the batch of which it is a line. */
export type AlikeSend = { id: string; payout_id: string; batch_id: string | null; created_at: Date }

/**
 * Reads for each of these payouts the newest one of the same number and amount since a moment, as exactly as `readEarlierSends`. One index gives
 * the payouts to numbers with the same end since then, so that the time does not grow with the merchant's payouts.
 */
export async function readAlikeSends(
  db: Db,
  { merchant_id, livemode }: Tenant,
  wanted: readonly WantedSend[],
  since: Date,
): Promise<AlikeSend[]> {
  const first = firstIdAt('txn', since.getTime())
  return db<AlikeSend[]>`
    with recent as materialized (
      select s.id, s.parent_id, s.msisdn, s.amount, s.created_at
        from payout_listing s
       where s.merchant_id = ${merchant_id} and s.livemode = ${livemode} and s.status <> 'failed' and s.id >= ${first}
         and s.id >= (select before_id from listing_progress where source = 'new payouts')
         and s.msisdn = any(${wanted.map(({ msisdn }) => msisdn)}::text[]))
    select w.id, alike.id as payout_id, alike.parent_id as batch_id, alike.created_at
      from ${given(db, 'payouts w', wanted, ['id', 'msisdn', 'amount'])}
     cross join lateral (
       select e.id, e.parent_id, e.created_at
         from ((select s.id, s.parent_id, s.created_at
                  from listed_operations l
                 cross join lateral (
                   select p.id, p.parent_id, p.created_at
                     from payout_listing p
                    where p.merchant_id = ${merchant_id} and p.livemode = ${livemode} and p.id = l.id
                      and p.msisdn = w.msisdn and p.status <> 'failed'
                   offset 0) s
                 where l.merchant_id = ${merchant_id} and l.livemode = ${livemode} and l.kind = 'payout'
                   and l.last4 = right(w.msisdn, 4) and l.id >= ${first} and l.amount = w.amount
                 order by l.id desc
                 limit 1)
               union all
               (select s.id, s.parent_id, s.created_at
                  from recent s
                 where s.msisdn = w.msisdn and s.amount = w.amount
                 order by s.id desc
                 limit 1)) e
        order by e.id desc
        limit 1) alike`
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
