-- older code: stops

-- The log of requests: it only grows, has one partition a day, and each day is dropped whole when it is old.
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
  -- The id with which the answer to a POST began: the resource that the call made or moved. Null: the call moved none, or was refused.
  subject_id text,
  primary key (merchant_id, livemode, requested_at, request_id)
) partition by range (requested_at);

-- Makes the partitions of a log from `first_day` (absent: yesterday) to the days ahead, those that are not there yet. A day whose
-- partition is missing would refuse its rows, hence the days ahead. A partition is made apart and then attached, which lets writers go
-- on; made as a partition it would wait for them, and everybody behind it.
create function make_log_days(log regclass, first_day date default null, days_ahead integer default 7) returns void
  language plpgsql as $$
declare
  today date := (clock_now() at time zone 'UTC')::date;
  day date;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('make_log_days'), log::oid::int);
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

-- Acts of people on the service: who, when, through which door, what, and how it stood before and after. Written in the
-- transaction of the act itself, and never changed. It is small (an act is a person's), so it is one table and not days.
create table audit_log (
  -- 0: the act concerns the service as a whole, such as a stop of all payouts.
  merchant_id bigint not null,
  -- Null: the act concerns both modes.
  livemode boolean,
  id uuid not null default gen_random_uuid(),
  at timestamptz not null default clock_now(),
  -- A person, or `system` for the service itself.
  actor text not null check (length(actor) between 1 and 200),
  -- `command_line`, or `system`.
  door text not null check (length(door) between 1 and 40),
  act text not null check (act ~ '^[a-z_]+(\.[a-z_]+)+$'),
  subject text,
  -- Never a secret, a whole telephone number or a whole account.
  before jsonb,
  after jsonb,
  -- The client's address; null: a command on the host itself, or the service.
  from_address inet,
  -- The fresh factor by which the person agreed to this very act; null: none was asked for.
  step_up_id text,
  primary key (merchant_id, at, id)
);
create index audit_log_by_time on audit_log (at, id);
-- The filters of the audit log's screen. Without them a rare value reads every line: half a second for a million. Each costs 75 bytes a line.
create index audit_log_by_actor on audit_log (actor, at, id);
create index audit_log_by_act on audit_log (act, at, id);
create index audit_log_by_subject on audit_log (subject, at, id) where subject is not null;
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_not_truncated before truncate on audit_log
  for each statement execute function refuse_change();

-- The chain over the lines of the audit log, a merchant's each. The worker adds each line once, in the order in which it comes upon them: a line
-- whose transaction ended late is chained late. Nobody who acts waits for it.
create table audit_chain (
  merchant_id bigint not null,
  sequence bigint not null check (sequence > 0),
  line_at timestamptz not null,
  line_id uuid not null,
  -- SHA-256 of the hash before and the line.
  hash bytea not null check (octet_length(hash) = 32),
  chained_at timestamptz not null default clock_now(),
  primary key (merchant_id, sequence),
  unique (merchant_id, line_id)
);
create trigger audit_chain_append_only before update or delete on audit_chain
  for each row execute function refuse_change();
create trigger audit_chain_not_truncated before truncate on audit_chain
  for each statement execute function refuse_change();

-- One text for a line, whatever the time zone of the session.
create function audit_line_hash(
  previous bytea, merchant_id bigint, livemode boolean, id uuid, at timestamptz, actor text, door text, from_address inet, step_up_id text,
  act text, subject text, before jsonb, after jsonb) returns bytea
  language sql stable parallel safe
  return sha256(previous || convert_to(jsonb_build_array(merchant_id, livemode, id, extract(epoch from at), actor, door,
    host(from_address), step_up_id, act, subject, before, after)::text, 'UTF8'));
