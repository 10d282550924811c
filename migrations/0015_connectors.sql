-- older code: stops

-- Contracts with operators, and the way that operations take through them. Small tables of the whole service, which every process
-- reads whole. Nothing of them is asked on the way of a payment.

create table connectors (
  -- Names the contract in routes, in the journal and in the address of its callbacks: it never names another one.
  name text primary key check (name ~ '^[a-z][a-z0-9_-]{0,39}$'),
  type text not null,
  livemode boolean not null,
  -- Counts the settings that it has had.
  generation integer not null default 1 check (generation > 0),
  -- An operator that signs nothing is told an address that ends in this token. Sealed as the settings are.
  callback_token_sealed bytea not null,
  created_by text not null,
  created_at timestamptz not null default clock_now(),
  changed_by text not null,
  changed_at timestamptz not null default clock_now(),
  -- No route leads to a removed one. It stays, with its settings, for what it has collected or sent.
  removed_by text,
  removed_at timestamptz,
  constraint connectors_removal check ((removed_by is null) = (removed_at is null))
);
create trigger connectors_kept before delete on connectors
  for each row execute function refuse_change();

-- Sealed under SECRET_KEY, each bound to its row. Replaced ones verify callbacks for another day.
create table connector_settings (
  connector text not null,
  generation integer not null,
  settings_sealed bytea not null,
  replaced_at timestamptz,
  primary key (connector, generation)
);

-- Of an operator and a direction, the connectors in the order in which they are taken, and bounds narrower than the operator's own.
create table routes (
  -- 0: everybody who has no route of their own.
  merchant_id bigint not null check (merchant_id >= 0),
  livemode boolean not null,
  operator text not null,
  direction text not null check (direction in ('collect', 'payout', 'refund')),
  connectors text[] not null check (cardinality(connectors) between 1 and 8),
  -- In francs. Null: as the operator has it.
  amount_min bigint check (amount_min > 0),
  amount_max bigint check (amount_max > 0),
  changed_by text not null,
  changed_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, operator, direction),
  constraint routes_bounds check (amount_min <= amount_max)
);
