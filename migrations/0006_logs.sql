-- Logs that only grow: one partition a day, dropped whole when old.

create table request_log (
  merchant_id bigint not null,
  livemode boolean not null,
  request_id uuid not null,
  key_id text not null,
  method text not null,
  path text not null,
  status smallint not null,
  error_code text,
  address inet,
  duration_ms integer not null,
  requested_at timestamptz not null,
  primary key (merchant_id, livemode, requested_at, request_id)
) partition by range (requested_at);

-- Makes the partitions of a log for yesterday, today and the days ahead, and drops those older than `keep_days`. Run at
-- start and then every hour. A day whose partition is missing would refuse its rows, hence the days ahead.
create function maintain_log(log regclass, keep_days integer, days_ahead integer default 7) returns void
  language plpgsql as $$
declare
  day date;
  old regclass;
begin
  perform pg_advisory_xact_lock(hashtext('maintain_log'), log::oid::int);
  for day in select generate_series(clock_now()::date - 1, clock_now()::date + days_ahead, interval '1 day')::date loop
    if to_regclass(format('%I', log || '_' || to_char(day, 'YYYYMMDD'))) is null then
      execute format('create table %I partition of %s for values from (%L) to (%L)',
        log || '_' || to_char(day, 'YYYYMMDD'), log, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
    end if;
  end loop;
  for old in
    select inhrelid::regclass from pg_inherits
     where inhparent = log
       and right(inhrelid::regclass::text, 8) ~ '^\d{8}$'
       and to_date(right(inhrelid::regclass::text, 8), 'YYYYMMDD') < clock_now()::date - keep_days
  loop
    execute format('drop table %s', old);
  end loop;
end $$;
