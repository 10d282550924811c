-- What only grows is cut to its age, and cutting it holds up nobody.

-- Makes the partitions of a log from `first_day` (absent: yesterday) to the days ahead, those that are not there yet. A
-- partition is made apart and then attached, which lets writers go on; made as a partition it would wait for them, and
-- everybody behind it. `maintain_log` is what processes of an earlier version call.
create function make_log_days(log regclass, first_day date default null, days_ahead integer default 7) returns void
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
      execute format('create table %I (like %s including defaults including constraints including indexes)', name, log);
      execute format('alter table %s attach partition %I for values from (%L) to (%L)',
        log, name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
    end if;
  end loop;
end $$;

-- An event stays as it was written, but not for ever: one older than a month may be dropped (EVENT_DAYS says when).
drop trigger events_append_only on events;
create trigger events_fixed before update on events for each row execute function refuse_change();
create trigger events_kept before delete on events for each row
  when (old.created_at > clock_now() - interval '30 days')
  execute function refuse_change();
