-- older code: stops

-- The backups that succeeded. A backup writes its row itself when its file is complete; the service only watches their age.
create table backup_runs (
  finished_at timestamptz not null default clock_timestamp() primary key,
  kind text not null check (kind in ('dump')),
  bytes bigint not null check (bytes > 0),
  -- A dump holds the database as it was when the dump began. Null: the backup did not tell.
  began_at timestamptz
);

-- The runs of `bandama audit`, whose newest one the service watches.
create table audit_runs (
  finished_at timestamptz not null default clock_timestamp() primary key,
  failed_checks integer not null check (failed_checks >= 0)
);

-- Backups that were not made, because the disk has no room for another.
create table backup_refusals (
  refused_at timestamptz not null default clock_timestamp() primary key,
  cause text not null check (cause in ('no_space'))
);

-- Restores that were tried, as `docs/deploy.md` says.
create table restore_drills (
  finished_at timestamptz not null default clock_timestamp() primary key,
  passed boolean not null
);

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

-- Interruptions, as rules that wake a person saw them, and incidents that a person opened. Of the former one is open at a time, and the rules that
-- fire meanwhile belong to it.
create table incidents (
  id text not null primary key,
  -- When the condition of the first rule began, and when it fired: the clock of the report begins there.
  began_at timestamptz not null,
  detected_at timestamptz not null,
  ended_at timestamptz,
  rules text[] not null,
  -- Of an incident that a person opened.
  opened_by text,
  title text,
  -- A breach of security, which is always a major incident.
  security boolean not null default false,
  -- The hours of the report's clock of which people were told.
  told_hours integer[] not null default '{}'
);
create unique index incidents_one_open on incidents ((ended_at is null)) where ended_at is null and opened_by is null;
create index incidents_by_time on incidents (detected_at);
