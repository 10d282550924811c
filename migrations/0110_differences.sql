-- older code: runs

-- Of src/statement-files: the lines that do not agree with our books, or wait for their other half.
create view differing_lines as
  select id, month, livemode, account, day, class, direction, gross, effect, state, subject_id,
         coalesce(kind, 'own_transfer') as kind
    from statement_lines
   where (kind is not null or (class = 'own_transfer' and state = 'unmatched')) and state <> 'withdrawn';
comment on view differing_lines is 'Of src/reconciliation: the lines of statements that are differences.';
create index statement_lines_differing on statement_lines (livemode, account, day, id)
  where (kind is not null or (class = 'own_transfer' and state = 'unmatched')) and state <> 'withdrawn';

-- Days whose lines changed since they were compared with the books. Rows are added by every change of a line, and deleted by the comparison. No key of the day:
-- two chunks of a file do not wait for one another.
create table changed_days (
  id uuid primary key default gen_random_uuid(),
  livemode boolean not null,
  account text not null,
  day date not null
);
create function keep_changed_days() returns trigger
  language plpgsql as $$
begin
  insert into changed_days (livemode, account, day)
  select distinct o.livemode, o.account, d.day
    from before_change o
    join after_change n using (id, month)
   cross join lateral (values (o.day), (n.day)) d(day)
   where (o.state, o.kind, o.subject_id, o.gross, o.effect, o.day)
         is distinct from (n.state, n.kind, n.subject_id, n.gross, n.effect, n.day);
  return null;
end $$;
create trigger statement_lines_changed after update on statement_lines
  referencing old table as before_change new table as after_change
  for each statement execute function keep_changed_days();

-- Of src/reconciliation: each fact in which a statement and our books disagree, with one row for good. Its id is derived from the fact.
create table differences (
  id text primary key,
  livemode boolean not null,
  account text not null,
  day date not null,
  kind text not null,
  -- `waiting`: it may still explain itself, until due_on if that is known.
  status text not null check (status in ('waiting', 'open', 'proposed', 'closed')),
  -- Francs, without a sign.
  amount bigint not null check (amount >= 0),
  -- The line of the statement. Null: the statement lacks one.
  line_id text,
  line_month date,
  -- Our operation. Null: we have none.
  subject_id text,
  file_id text,
  anomaly_id text,
  due_on date,
  opened_at timestamptz not null default clock_now(),
  closed_at timestamptz,
  -- The decision of two people, or `late_line` when the lines explained it.
  resolution text,
  proposal_id text,
  check ((line_id is null) = (line_month is null)),
  check ((status = 'closed') = (closed_at is not null)),
  check ((status = 'closed') = (resolution is not null)),
  check (proposal_id is not null or status <> 'proposed')
);
create index differences_of_day on differences (livemode, account, day, id);
create index differences_by_day on differences (livemode, day, id);
create index differences_due on differences (due_on) where status = 'waiting';
-- Open differences with their anomalies, which are bounded for each account, and those that wait for one.
create index differences_with_anomaly on differences (livemode, account, anomaly_id)
  where status = 'open' and anomaly_id is not null;
create index differences_without_anomaly on differences (livemode, account, kind, day)
  where status = 'open' and anomaly_id is null and subject_id is not null and line_id is not null;
create index differences_absent on differences (livemode, account, day)
  where kind = 'missing_there' and status in ('waiting', 'open');
