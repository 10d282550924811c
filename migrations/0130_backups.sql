-- older code: runs

-- Backups of the embedded server beside dumps: how much a backup holds of the server's files. Null: a dump. `kind` stays as older code knows it.
alter table backup_runs add column level text check (level in ('full', 'diff', 'incr'));
-- Its name among the backups. Null: a dump.
alter table backup_runs add column backup text;

-- Of a drill by `bandama restore drill`: the backup, the seconds from its first byte to the end of the audit, and why it failed.
alter table restore_drills add column backup text;
alter table restore_drills add column seconds integer check (seconds >= 0);
alter table restore_drills add column fault text;
