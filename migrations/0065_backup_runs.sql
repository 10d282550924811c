-- older code: runs

-- The backups that succeeded. A backup writes its row itself when its file is complete; the service only watches their age.
create table backup_runs (
  finished_at timestamptz not null default clock_timestamp() primary key,
  kind text not null check (kind in ('dump')),
  bytes bigint not null check (bytes > 0)
);
