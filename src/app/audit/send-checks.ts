import type { BookCheck } from './book-check.ts'

/** Compares all instructions with the send journal. Simulated payments go to nobody and have no journal row. */
export const sendChecks: readonly BookCheck[] = [
  {
    check:
      'every instruction has one send for each begun attempt, those that may have left through its own connector, and none was confirmed without a send',
    contradictions: (tx) => tx`
      select i.subject_id as example
        from instructions i
        left join (select merchant_id, livemode, subject_id, count(*) as sends,
                          max(connector) filter (where not_sent_at is null) as connector,
                          min(connector) filter (where not_sent_at is null) as other,
                          (array_agg(connector order by attempt desc))[1] as last,
                          count(*) filter (where not_sent_at is null) as may_have_left
                     from sends
                    group by 1, 2, 3) s using (merchant_id, livemode, subject_id)
       where i.simulate is null
         and (coalesce(s.sends, 0) <> i.attempts
              or (s.sends > 0 and s.last is distinct from i.connector)
              or (s.may_have_left > 0 and (s.connector, s.other) is distinct from (i.connector, i.connector))
              or coalesce(s.may_have_left, 0) > 1 + i.sent_again
              or (i.state in ('sending', 'sent', 'unknown', 'confirmed') and coalesce(s.may_have_left, 0) = 0 and i.sent_again = 0)
              or (i.state = 'prepared' and coalesce(s.may_have_left, 0) <> 0))`,
  },
  {
    check:
      'an order that may have left was sent again only unchanged, after its operator said that it does not hold it, and with the guarantee to execute it once',
    contradictions: (tx) => tx`
      select n.subject_id as example
        from sends n
        left join sends last
          on (last.merchant_id, last.livemode, last.subject_id, last.attempt)
             = (n.merchant_id, n.livemode, n.subject_id, n.attempt - 1)
        left join lateral (
             select count(*) as times, max(a.answered_at) as until
               from operator_answers a
              where (a.merchant_id, a.livemode, a.subject_id) = (n.merchant_id, n.livemode, n.subject_id)
                and a.source = 'inquiry'
                and a.outcome = 'not_found'
                and a.answered_at > last.sent_at
                and a.answered_at <= n.sent_at) said on true
       where n.attempt > 1
         and (n.reference is distinct from last.reference
              or (exists (select
                            from sends s
                           where (s.merchant_id, s.livemode, s.subject_id) = (n.merchant_id, n.livemode, n.subject_id)
                             and s.attempt < n.attempt
                             and (s.not_sent_at is null or s.not_sent_at > n.sent_at))
                  and (last.again_times is null
                       or n.connector <> last.connector
                       or (n.payload_hash, n.again_times, n.again_after_seconds)
                          is distinct from (last.payload_hash, last.again_times, last.again_after_seconds)
                       or said.times < last.again_times
                       or said.until < last.sent_at + make_interval(secs => last.again_after_seconds))))`,
  },
]
