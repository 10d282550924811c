-- older code: runs

-- Of src/statement-files.
create view lines_about as
  select subject_id, livemode, account, state, month
    from statement_lines
   where subject_id is not null and state <> 'withdrawn';
comment on view lines_about is 'The operations that a statement shows, also where the line disagrees: for src/reconciliation, which names the others.';

create or replace view instruction_progress as
select merchant_id, livemode, subject_id, state, next_action, concluded_at, sent_at
  from instructions;
