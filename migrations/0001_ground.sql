-- The ground: time, merchants, keys, and the answers kept for idempotent requests.
--
-- Every table of a merchant's data has merchant_id first in its primary, unique and foreign keys, and livemode next:
-- the database can later be distributed by merchant without a change, and a row of test mode can never point to a row
-- of live mode. The few tables without it are lookups, through which a key or an operator's reference finds its merchant.

-- The time of all decisions. A function of its own, so that a test can live through thirty days in a second.
create function clock_now() returns timestamptz
  language sql stable parallel safe
  return now();

create function refuse_change() returns trigger
  language plpgsql as $$
begin
  raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;

create table merchants (
  merchant_id bigint generated always as identity primary key,
  name text not null check (length(name) between 1 and 200),
  active boolean not null default true,
  -- Francs; null: the service's own limit.
  collection_amount_max bigint check (collection_amount_max > 0),
  created_at timestamptz not null default clock_now()
);

-- What the service charges. The row in force at creation decides; a later row never touches what exists.
create table fee_schedules (
  merchant_id bigint not null references merchants,
  service text not null check (service in ('collection', 'payout')),
  effective_from timestamptz not null,
  basis_points integer not null default 0 check (basis_points between 0 and 10000),
  fixed bigint not null default 0 check (fixed >= 0),
  minimum bigint not null default 0 check (minimum >= 0),
  maximum bigint check (maximum >= minimum),
  bearer text not null default 'merchant' check (bearer in ('merchant', 'payer')),
  primary key (merchant_id, service, effective_from)
);
create trigger fee_schedules_append_only before update or delete on fee_schedules
  for each row execute function refuse_change();

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
);
create index idempotency_keys_age on idempotency_keys using brin (created_at);

-- Which worker processes live. The jobs of one that has been silent are given to the others.
create table workers (
  worker_id text primary key,
  beat_at timestamptz not null
);
