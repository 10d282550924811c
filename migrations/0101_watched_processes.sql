-- older code: runs

-- The processes of the service, each by its machine and metrics port. A process writes its row every 15 seconds, and removes it when it stops.
create table service_processes (
  place text not null primary key,
  roles text[] not null,
  version text not null,
  started_at timestamptz not null default clock_timestamp(),
  heard_at timestamptz not null default clock_timestamp(),
  -- The knowledge of the process about each rule.
  parts jsonb not null
);

-- Rules whose condition holds. So several workers agree, and a restart tells nobody twice.
create table rule_states (
  rule text not null primary key,
  since timestamptz not null default clock_timestamp(),
  -- Null: the condition has not held for long enough.
  fired_at timestamptz,
  value double precision
);

-- The worst state and values of each five minutes.
create table status_figures (
  starts_at timestamptz not null primary key,
  state text not null check (state in ('ok', 'ticket', 'page')),
  -- The value of each rule that had one.
  figures jsonb not null,
  evaluated_at timestamptz not null default clock_timestamp()
);
