import type { BookCheck } from './book-check.ts'

/** Compares the lines of statement files with what the files said, and with the orders that they name. */
export const statementChecks: readonly BookCheck[] = [
  {
    check: 'the lines and rows of every counted file sum to the totals of its classes',
    // A line of which a later file showed the fee has another effect than its first file could tell.
    contradictions: (tx) => tx`
      select f.id || ' ' || coalesce(t.class, w.class) as example
        from statement_files f
       cross join lateral (
             select class, (sums->>'rows')::bigint as rows, (sums->>'gross')::bigint as gross, (sums->>'effect')::bigint as effect
               from jsonb_each(f.found->'totals') as x(class, sums)
              where (sums->>'rows')::bigint > 0) t
        full join (select file_id, class, count(*) as rows, sum(gross) as gross, sum(effect) as effect
                     from (select file_id, class, gross, effect
                             from statement_lines
                            where not (is_changed or is_merged)
                            union all
                           select file_id, class, gross, effect
                             from statement_rows) r
                    group by file_id, class) w
          on (w.file_id, w.class) = (f.id, t.class)
       where (f.status is null or f.status = 'counted')
         and ((t.rows, t.gross) is distinct from (w.rows, w.gross)
              or f.found->>'arithmetic' <> 'from_balance' and t.effect is distinct from w.effect)
         and (f.id is not null or not exists (
               select from statement_files g where g.id = w.file_id and g.status in ('reading', 'withdrawn')))`,
  },
  {
    check: 'every matched line names an order that its operator confirmed for its amount, and no order has two',
    contradictions: (tx) => tx`
      select l.id as example
        from statement_lines l
        left join instructions i on i.subject_id = l.subject_id and i.livemode = l.livemode
       where l.state = 'matched'
         and ((i.state, i.amount) is distinct from ('confirmed', l.gross)
              or (i.direction = 'collect') is distinct from (l.direction = 'in')
              or exists (
                 select from statement_lines o
                  where o.subject_id = l.subject_id and o.state = 'matched' and o.id <> l.id))`,
  },
  {
    check: 'every line comes from a file of its account that was not refused',
    contradictions: (tx) => tx`
      select l.id as example
        from statement_lines l
        left join statement_files f on f.id = l.file_id
       where f.status is null or f.status = 'refused' or (f.livemode, f.account) <> (l.livemode, l.account)`,
  },
]
