-- Tables that grow with every payment are vacuumed some thousand rows at a time, as soon as they are written, and not a fifth of
-- the table at once. PostgreSQL looks once a minute. What it marks then is still in memory and went to the log since the last
-- checkpoint; later it would have to be read from the disk, and every page would go to the log whole, while commits wait.

do $$
declare
  small_steps constant text := 'autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000';
  name text;
begin
  foreach name in array array['deliveries', 'instructions', 'payments', 'payouts', 'simulator_orders'] loop
    execute format('alter table %s set (%s)', name, small_steps);
  end loop;
  -- Rows that stay as they were written are frozen with it: nobody has to write the page again when their transaction grows old.
  for name in
    select unnest(array[
      'events', 'idempotency_keys', 'ledger_entries', 'ledger_transactions', 'operator_answers', 'operator_callbacks',
      'operator_references', 'payment_moves', 'payout_moves', 'payout_uses', 'sends'])
     union all
    select inhrelid::regclass::text from pg_inherits
     where inhparent in ('request_log'::regclass, 'delivery_attempts'::regclass)
  loop
    execute format('alter table %s set (%s, autovacuum_freeze_min_age = 0)', name, small_steps);
  end loop;
end $$;

-- As before, with this for each day.
create or replace function make_log_days(log regclass, first_day date default null, days_ahead integer default 7) returns void
  language plpgsql as $$
declare
  today date := (clock_now() at time zone 'UTC')::date;
  day date;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('maintain_log'), log::oid::int);
  for day in select generate_series(least(first_day, today - 1), today + days_ahead, interval '1 day')::date loop
    name := log || '_' || to_char(day, 'YYYYMMDD');
    if to_regclass(format('%I', name)) is null then
      execute format('create table %I (like %s including defaults including constraints including indexes) '
        'with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000, '
        'autovacuum_freeze_min_age = 0)', name, log);
      execute format('alter table %s attach partition %I for values from (%L) to (%L)',
        log, name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
    end if;
  end loop;
end $$;
