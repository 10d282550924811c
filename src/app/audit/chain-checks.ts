import type { BookCheck } from './book-check.ts'

/** Verifies the hash chain of the audit log. A line that anybody changed or deleted breaks the chain at that place. */
export const chainChecks: readonly BookCheck[] = [
  {
    check: 'the chain of the audit log has every line unchanged (the first broken line comes first)',
    contradictions: (tx) => tx`
      select c.merchant_id || ' line ' || c.sequence || ' ' || c.line_id as example
        from (select merchant_id, sequence, line_at, line_id, hash,
                     lag(sequence) over of_merchant as sequence_before, lag(hash) over of_merchant as hash_before
                from audit_chain
              window of_merchant as (partition by merchant_id order by sequence)) c
        left join audit_log l on (l.merchant_id, l.at, l.id) = (c.merchant_id, c.line_at, c.line_id)
       where l.id is null
          or c.sequence <> coalesce(c.sequence_before, 0) + 1
          or c.hash <> audit_line_hash(coalesce(c.hash_before, ''), l.merchant_id, l.livemode, l.id, l.at, l.actor, l.door,
                                       l.from_address, l.step_up_id, l.act, l.subject, l.before, l.after)
       order by c.merchant_id, c.sequence`,
  },
]
