-- older code: runs

-- Of src/statement-files: the movements on our accounts that operators and banks list. An import writes these tables alone: no entry, no order.

-- The partition of each month of a table, made before its first row. A month may lie years back, so they are made when a file needs them.
create function make_months(of regclass, first_day date, last_day date) returns void
  language plpgsql as $$
declare
  begins date;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('make_months'), of::oid::int);
  for begins in select generate_series(date_trunc('month', first_day), last_day, interval '1 month')::date loop
    name := of || '_' || to_char(begins, 'YYYYMM');
    if to_regclass(format('%I', name)) is null then
      execute format('create table %I (like %s including defaults including constraints including indexes) '
        'with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000, '
        'autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5)', name, of);
      execute format('alter table %s attach partition %I for values from (%L) to (%L)',
        of, name, begins, (begins + interval '1 month')::date);
    end if;
  end loop;
end $$;

-- How one operator or bank writes its files. A change is a new version, so that a file can be read again as it was read first.
create table statement_profiles (
  profile text not null check (profile ~ '^[a-z][a-z0-9_]{0,39}$'),
  version integer not null check (version > 0),
  settings jsonb not null,
  set_by text not null,
  set_at timestamptz not null default clock_now(),
  primary key (profile, version)
);

create table statement_files (
  id text primary key,
  -- An external account.
  livemode boolean not null,
  account text not null,
  source text not null check (source in ('file', 'api', 'typed')),
  status text not null default 'reading' check (status in ('proposed', 'reading', 'counted', 'refused', 'withdrawn')),
  -- SHA-256 of the bytes as they came.
  hash bytea not null check (octet_length(hash) = 32),
  bytes bigint not null check (bytes >= 0),
  -- The profile as it was, and the balance before the file, so that a second reading finds the same rows.
  settings jsonb,
  opening bigint,
  -- The period for which the file is complete, as the person said. Null: from its first to its last line.
  period_from date,
  period_to date,
  -- The result of the reading: days, classes, chain, arithmetic, faults. The counts are complete once the file is counted.
  found jsonb,
  first_day date,
  last_day date,
  counts jsonb,
  refusal text,
  imported_by text not null,
  imported_at timestamptz not null default clock_now(),
  ended_at timestamptz,
  -- The process that reads the file holds it until then; later any other may continue.
  held_until timestamptz,
  -- How often another process continued. A file that fails each time is given up, so that it does not hold back its account.
  tries smallint not null default 0,
  -- When its lines without our reference were last looked up by their numbers. Null: at the import.
  matched_at timestamptz,
  check ((status in ('counted', 'withdrawn')) = (counts is not null)),
  check ((status = 'refused') = (refusal is not null)),
  check (status = 'refused' or (settings is not null and found is not null)),
  check ((period_from is null) = (period_to is null) and period_from <= period_to)
);
-- The same bytes are one file of an account. A refused or withdrawn file may be imported again.
create unique index statement_files_bytes on statement_files (livemode, account, hash) where status in ('proposed', 'reading', 'counted');
-- One file of an account is read at a time.
create unique index statement_files_reading on statement_files (livemode, account) where status = 'reading';
create index statement_files_of_account on statement_files (livemode, account, first_day);

-- The bytes of a file, compressed and sealed, in pieces. Deleted after 400 days.
create table statement_bytes (
  file_id text not null references statement_files,
  piece integer not null check (piece >= 0),
  sealed bytea not null,
  primary key (file_id, piece)
);

-- The parts of a file that are written, each in a transaction of its own with its lines and rows.
create table statement_chunks (
  file_id text not null references statement_files,
  chunk integer not null check (chunk >= 0),
  counts jsonb not null,
  primary key (file_id, chunk)
);

-- The movements of an account, as its operator or bank lists them. The id is derived from the identity, so the same line of another file has it too.
create table statement_lines (
  id text not null,
  month date not null,
  livemode boolean not null,
  account text not null,
  day date not null,
  occurred_at timestamptz,
  class text not null check (class in ('operation', 'fee', 'tax', 'own_transfer')),
  direction text not null check (direction in ('in', 'out')),
  gross bigint not null,
  fee bigint not null,
  tax bigint not null,
  effect bigint not null,
  is_fee_known boolean not null,
  balance bigint,
  currency text not null,
  reference text,
  our_reference text,
  party text,
  text text,
  -- Where it was seen first. Without a foreign key: a million checks would take as long as the rows, and the audit compares both.
  file_id text not null,
  row integer not null check (row > 0),
  state text not null default 'unmatched' check (state in ('unmatched', 'matched', 'grouped', 'explained', 'withdrawn')),
  -- The key by which it was matched, and our operation; also of a line that is about an operation and does not agree with it.
  matched_by text,
  subject_id text,
  -- The charge that we booked for the operation.
  charge bigint,
  -- Why the line does not agree with our books.
  kind text,
  -- Files show it with different amounts; `statement_rows` has each of them.
  is_changed boolean not null default false,
  primary key (id, month),
  check (month = date_trunc('month', day)),
  check (state <> 'matched' or (subject_id is not null and matched_by is not null and not is_changed))
) partition by range (month);
create index statement_lines_of_day on statement_lines (livemode, account, day, id);
create index statement_lines_subject on statement_lines (subject_id) where subject_id is not null;
-- Lines about orders that had not ended: they are matched again.
create index statement_lines_open on statement_lines (id) where kind = 'order_open';
-- One operation is matched by one line, also if our code fails.
create unique index statement_lines_matched_once on statement_lines (subject_id, month) where state = 'matched';

-- Rows of files that are no new line: lines that another file shows too, and rows that moved nothing.
create table statement_rows (
  file_id text not null,
  month date not null,
  row integer not null check (row > 0),
  class text not null,
  fault text,
  -- The line that it shows. Null: none.
  line_id text,
  line_month date,
  day date,
  gross bigint not null,
  fee bigint not null,
  tax bigint not null,
  effect bigint not null,
  is_fee_known boolean not null,
  balance bigint,
  primary key (file_id, month, row)
) partition by range (month);
create index statement_rows_of_line on statement_rows (line_id) where line_id is not null;
