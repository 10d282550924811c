-- older code: runs

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
