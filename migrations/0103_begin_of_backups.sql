-- older code: runs

-- A dump holds the database as it was when the dump began. Null: an earlier version of the backup did not tell.
alter table backup_runs add column began_at timestamptz;
