import { USAGE_KEPT_DAYS } from '../../payouts/drop-past-usage.ts'
import type { BookCheck } from './book-check.ts'

/** Compares the usage of the last 24 hours with the operations that it counts. */
export const windowChecks: readonly BookCheck[] = [
  {
    check: 'the stored sum of the last 24 hours is the sum of its usage',
    contradictions: (tx) => tx`
      select coalesce(w.merchant_id, u.merchant_id) || ' ' || coalesce(w.livemode, u.livemode) as example
        from (select w.merchant_id, w.livemode, w.used, coalesce(sum(u.amount), 0) as counted
                from payout_cap_totals w
                left join payout_cap_usage u
                  on (u.merchant_id, u.livemode) = (w.merchant_id, w.livemode) and u.used_at > w.expired_until
               group by 1, 2, 3) w
        full join (select distinct merchant_id, livemode from payout_cap_usage) u
          on (u.merchant_id, u.livemode) = (w.merchant_id, w.livemode)
       where w.used is distinct from w.counted or w.merchant_id is null`,
  },
  {
    // A payout counts until it fails, a request while it waits. A batch counts for its lines that have not failed,
    // until it is cancelled, and its payouts count as part of it. Usage that stopped counting long ago may have been
    // deleted, except that of a batch that can still be executed.
    check: 'the usage of the cap of 24 hours is that of sent payouts, waiting requests and open batches',
    contradictions: (tx) => tx`
      select coalesce(s.id, u.subject_id) as example
        from (select merchant_id, livemode, id, case status when 'failed' then 0 else amount end as amount,
                     created_at as used_by
                from payouts
               where batch_id is null
               union all
              select merchant_id, livemode, id, case status when 'pending_approval' then amount else 0 end, created_at
                from payout_requests
               union all
              select b.merchant_id, b.livemode, b.id,
                     case b.status when 'annule' then 0
                                   else coalesce(sum(l.amount) filter (where l.status <> 'failed'), 0) end,
                     case when b.status not in ('brouillon', 'en_attente_validation')
                          then coalesce(b.executed_at, b.created_at) end
                from payout_batches b
                left join payout_batch_lines l
                  on (l.merchant_id, l.livemode, l.batch_id) = (b.merchant_id, b.livemode, b.id)
               group by b.merchant_id, b.livemode, b.id) s
        full join payout_cap_usage u
          on (u.merchant_id, u.livemode, u.subject_id) = (s.merchant_id, s.livemode, s.id)
       where s.amount is distinct from u.amount
         and (u.subject_id is not null or s.used_by is null
              or s.used_by > clock_now() - make_interval(days => ${USAGE_KEPT_DAYS - 1}))`,
  },
]
