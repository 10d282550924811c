import type { BookCheck } from './book-check.ts'

/** Compares batches with their lines, and lines with their payouts. */
export const batchChecks: readonly BookCheck[] = [
  {
    check: 'every batch has all its lines, and their total',
    contradictions: (tx) => tx`
      select b.id as example
        from payout_batches b
        left join payout_batch_lines l
          on (l.merchant_id, l.livemode, l.batch_id) = (b.merchant_id, b.livemode, b.id)
       group by b.merchant_id, b.livemode, b.id
      having count(l.rank) <> b.line_count or max(l.rank) <> b.line_count or sum(l.amount) <> b.total_amount`,
  },
  {
    // A batch's final state comes from its lines at that time. A line that was indeterminate then may have succeeded
    // since.
    check: 'the counters and the status of every batch agree with its lines',
    contradictions: (tx) => tx`
      select b.id as example
        from payout_batches b
        left join (select l.merchant_id, l.livemode, l.batch_id,
                          count(*) filter (where l.status = 'processing') as open,
                          count(*) filter (where l.payout_id is null and l.status = 'failed') as uncovered,
                          count(*) filter (where l.status in ('failed', 'indeterminate')) as bad,
                          count(*) filter (where m.first_outcome <> 'succeeded') as once_bad,
                          bool_and(l.status = 'pending' and l.payout_id is null) as untouched,
                          bool_and(l.status = 'cancelled' and l.payout_id is null) as cancelled
                     from payout_batch_lines l
                     left join (select merchant_id, livemode, payout_id,
                                       (array_agg(to_status order by number))[1] as first_outcome
                                  from payout_transitions_log
                                 where to_status <> 'processing'
                                 group by 1, 2, 3) m using (merchant_id, livemode, payout_id)
                    group by 1, 2, 3) l
          on (l.merchant_id, l.livemode, l.batch_id) = (b.merchant_id, b.livemode, b.id)
       where (b.open_lines, b.bad_lines) is distinct from (l.open, l.bad)
          or (b.status in ('brouillon', 'en_attente_validation')) <> l.untouched
          or (b.status = 'annule') <> l.cancelled
          or (b.status = 'en_cours') <> (l.open > 0)
          or (b.status = 'termine' and l.bad > 0)
          or (b.status = 'termine_avec_erreurs' and l.uncovered + l.once_bad = 0)`,
  },
  {
    check: 'every line that was sent has one payout, with the same status',
    contradictions: (tx) => tx`
      select coalesce(l.batch_id || ' ' || l.rank, p.id) as example
        from (select merchant_id, livemode, batch_id, rank, payout_id, amount, fee_amount, msisdn, status
                from payout_batch_lines
               where payout_id is not null) l
        full join (select merchant_id, livemode, batch_id, rank, id, amount, fee_amount, msisdn,
                          case status when 'created' then 'processing' else status end as status
                     from payouts
                    where batch_id is not null) p
          on (p.merchant_id, p.livemode, p.id) = (l.merchant_id, l.livemode, l.payout_id)
       where (l.batch_id, l.rank, l.amount, l.fee_amount, l.msisdn, l.status)
             is distinct from (p.batch_id, p.rank, p.amount, p.fee_amount, p.msisdn, p.status)`,
  },
]
