-- older code: stops

-- API keys, the answers kept for idempotent requests, the log of requests, and the log of people's acts.

create table api_keys (
  merchant_id bigint not null references merchants,
  livemode boolean not null,
  key_id text not null,
  scope text not null check (scope in ('collect', 'payout')),
  -- SHA-256 of the whole key: enough for 256 random bits, and fast on every request.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  allowed_addresses cidr[] not null default '{}',
  last_refused_address inet,
  last_refused_at timestamptz,
  created_at timestamptz not null default clock_now(),
  revoked_at timestamptz,
  primary key (merchant_id, livemode, key_id)
);

-- Lookup: the public part of a key finds its merchant.
create table api_key_lookup (
  key_id text primary key,
  merchant_id bigint not null,
  livemode boolean not null
);

-- The answer to replay. Written in the transaction of the work it answers for, so that one never exists without the other.
create table idempotency_keys (
  merchant_id bigint not null,
  livemode boolean not null,
  key text not null check (length(key) between 8 and 255),
  -- SHA-256 of the operation and the canonical body.
  fingerprint bytea not null,
  status smallint not null check (status between 200 and 299),
  body text not null,
  created_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, key)
) with (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);
create index idempotency_keys_age on idempotency_keys using brin (created_at);

-- The number that stands for a key among advisory locks, for which nothing is written into a text first. Two keys
-- that share one could at worst be told "in progress".
create function key_lock(merchant_id bigint, livemode boolean, key text) returns bigint
  language sql stable parallel safe
  return hashtextextended(key, merchant_id * 2 + livemode::integer);

create function refuse_key_in_use() returns boolean
  language plpgsql as $$
begin
  raise exception 'an idempotency key is in use' using errcode = 'BD001';
end $$;

-- Claims a key until the transaction ends, and fails with BD001 when another one holds it. It never waits. An expression,
-- so that it becomes part of the statement that calls it.
create function claim_new_key(merchant_id bigint, livemode boolean, key text) returns boolean
  language sql
  return case
    when pg_try_advisory_xact_lock(key_lock(merchant_id, livemode, key)) then true
    else refuse_key_in_use()
  end;

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
