-- What grows with every payment is vacuumed from ten thousand new rows on, where PostgreSQL waits for a fifth of the table. It looks
-- once a minute. What it marks then is still in memory, and most of it went to the log since the last checkpoint; later it would
-- have to be read from the disk, and every page would go to the log whole, while commits wait. Of rows that hardly change once they
-- are written it freezes all, so that nobody has to write the page again when their transaction has grown old.
--
-- Statistics are taken when a table has grown by half, not by a tenth: they hardly change any more, and a sample of thirty thousand
-- rows takes up to a second of a core.
--
-- Only vacuums wait for these locks, and behind them. One that is at work makes room after a second.
set local lock_timeout = '5s';

do $$
declare
  from_ten_thousand constant text :=
    'autovacuum_vacuum_insert_threshold = 10000, autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5';
  name text;
begin
  for name in
    select unnest(array[
      'checkout_session_moves', 'checkout_tokens', 'ledger_entries', 'ledger_transactions', 'operator_answers',
      'operator_references', 'payment_moves', 'payout_moves', 'refund_moves', 'sends', 'simulator_orders'])
     union all
    select inhrelid::regclass::text from pg_inherits
     where inhparent in ('request_log'::regclass, 'delivery_attempts'::regclass)
  loop
    execute format('alter table %s set (autovacuum_vacuum_insert_scale_factor = 0, %s)', name, from_ten_thousand);
  end loop;
  -- Rows that go by their age leave room in the indexes, and these are read whole to find it: not every minute.
  foreach name in array array['events', 'idempotency_keys', 'operator_callbacks', 'payout_uses'] loop
    execute format('alter table %s set (autovacuum_vacuum_insert_scale_factor = 0.02, %s)', name, from_ten_thousand);
  end loop;
  -- Three changes to a row: grown by half as well. Their changes have them vacuumed often enough.
  foreach name in array array['deliveries', 'instructions', 'payments', 'payouts'] loop
    execute format('alter table %s set (autovacuum_analyze_scale_factor = 1.5)', name);
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
        'autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5)', name, log);
      execute format('alter table %s attach partition %I for values from (%L) to (%L)',
        log, name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
    end if;
  end loop;
end $$;
