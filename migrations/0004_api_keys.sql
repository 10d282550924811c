-- older code: stops

-- API keys, and the answers kept for idempotent requests.
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
  -- As its merchant calls it; null: made by a command.
  name text check (length(name) between 1 and 100),
  -- Null: nobody is known, as of a key that a program made.
  created_by text,
  -- Made in the console to send money: it works once a second person has confirmed it.
  needs_confirmation boolean not null default false,
  confirmed_by text,
  confirmed_at timestamptz,
  revoked_by text,
  -- Of the last call with it, to the minute.
  last_used_at timestamptz,
  last_used_address inet,
  -- The person who allowed more addresses after the confirmation.
  widened_by text check (length(widened_by) between 1 and 200),
  primary key (merchant_id, livemode, key_id),
  constraint api_keys_confirmation_check check ((confirmed_by is null) = (confirmed_at is null)),
  constraint api_keys_maker_check check (not needs_confirmation or created_by is not null)
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

-- Two people, and of a merchant of one person a day. It is judged when it is written, as a decision on a payout is.
create function check_key_confirmation() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.confirmed_by, new.created_by) is not distinct from (old.confirmed_by, old.created_by) then
    return new;
  end if;
  if (person_in(new.confirmed_by) in (person_in(new.created_by), coalesce(person_in(new.widened_by), ''))
      or stands_behind(new.created_by, new.confirmed_by) or stands_behind(new.widened_by, new.confirmed_by))
     and not decides_alone(new.merchant_id, new.livemode, new.key_id, new.confirmed_by) then
    raise exception 'the person who made a key does not confirm it: it violates check constraint "%"', tg_name
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end $$;
create trigger api_keys_two_people before insert or update of confirmed_by, created_by on api_keys
  for each row when (new.needs_confirmation and new.confirmed_by is not null) execute function check_key_confirmation();

-- A confirmed key stays as it was confirmed: one that may be used from more addresses waits again, for somebody else than the person who
-- widened it.
create function check_key_addresses() returns trigger
  language plpgsql as $$
begin
  raise exception 'a key that may be used from more addresses is confirmed anew' using errcode = 'check_violation', constraint = tg_name;
end $$;

-- Wider: from anywhere, where it was not before, or from a block that none of the earlier ones contains.
create function is_wider(before cidr[], after cidr[]) returns boolean
  language plpgsql immutable as $$
begin
  return cardinality(before) > 0
     and (cardinality(after) = 0
          or exists (select from unnest(after) wanted where not exists (select from unnest(before) had where wanted <<= had)));
end $$;
create trigger api_keys_as_confirmed before update of allowed_addresses on api_keys
  for each row when (new.needs_confirmation and new.confirmed_by is not null and new.confirmed_at is not distinct from old.confirmed_at
                     and is_wider(old.allowed_addresses::cidr[], new.allowed_addresses::cidr[]))
  execute function check_key_addresses();
