-- older code: stops

-- The accounts that others keep for the service, each with statements of its own, and the calendar of business days.
create table external_accounts (
  livemode boolean not null,
  -- Names the account for ever, in commands and in the ledger (`held:<code>`).
  code text not null check (code ~ '^[a-z][a-z0-9_-]{0,39}$'),
  kind text not null check (kind in ('wallet', 'bank', 'safeguarding')),
  -- Of a wallet: the connector whose orders move its money.
  connector text,
  -- Of a wallet, the orders that it takes. Empty: those that no other wallet of its connector names.
  directions text[] not null default '{}'
    check (directions <@ array['collect', 'payout', 'refund'] and cardinality(directions) <= 3),
  -- An order that began earlier stays with the connector's other wallet, so that one order is never booked in two.
  orders_from timestamptz not null,
  -- The holder's number of the account, sealed under SECRET_KEY, and its last four characters. Null: not told.
  number_sealed bytea,
  number_end text check (length(number_end) between 1 and 4),
  -- How its statement files are read. Null: each import says it.
  profile text check (profile ~ '^[a-z][a-z0-9_]{0,39}$'),
  -- Whether a statement is expected for every day or for every business day, and after how many such days a movement is late.
  due text not null check (due in ('daily', 'business')),
  late_days smallint not null check (late_days between 0 and 30),
  opened_on date not null default (clock_now() at time zone 'UTC')::date,
  created_by text not null,
  created_at timestamptz not null default clock_now(),
  primary key (livemode, code),
  constraint external_accounts_wallet check (
    case kind when 'wallet' then connector is not null else connector is null and directions = '{}' end),
  constraint external_accounts_number check ((number_sealed is null) = (number_end is null))
);
-- A connector has one wallet for what no other takes.
create unique index external_accounts_rest on external_accounts (livemode, connector) where directions = '{}';
-- And one for each direction, also when two people create wallets at once.
create unique index external_accounts_collect on external_accounts (livemode, connector) where 'collect' = any(directions);
create unique index external_accounts_payout on external_accounts (livemode, connector) where 'payout' = any(directions);
create unique index external_accounts_refund on external_accounts (livemode, connector) where 'refund' = any(directions);
create trigger external_accounts_fixed before update or delete on external_accounts
  for each row execute function refuse_change();
create trigger external_accounts_not_truncated before truncate on external_accounts
  for each statement execute function refuse_change();
insert into external_accounts (livemode, code, kind, connector, orders_from, due, late_days, created_by)
values (false, 'bank', 'bank', null, '1970-01-01Z', 'business', 3, 'system'),
       (true, 'bank', 'bank', null, '1970-01-01Z', 'business', 3, 'system'),
       (false, 'simulator', 'wallet', 'simulator', '1970-01-01Z', 'daily', 1, 'system');

-- Opens the wallet of a connector, under its name or, if another account has that, under the next free one.
create function open_wallet(of_livemode boolean, of_connector text, by text) returns void
  language sql as $$
  insert into external_accounts (livemode, code, kind, connector, orders_from, due, late_days, created_by)
  select of_livemode, free.code, 'wallet', of_connector, timestamptz '1970-01-01Z', 'daily', 1, by
    from (select named.code
            from generate_series(0, 99) as tried(at)
           cross join lateral (select case at when 0 then of_connector else left(of_connector, 30) || '-wallet' || at end) as named(code)
           where not exists (select from external_accounts e where e.livemode = of_livemode and e.code = named.code)
           order by at
           limit 1) free
   where not exists (
         select from external_accounts e
          where e.livemode = of_livemode and e.connector = of_connector and e.directions = '{}')
$$;

-- The days that differ from the calendar which the code computes: holidays that follow the moon, and days that a decree declares.
create table calendar_days (
  day date primary key,
  business boolean not null,
  name text check (length(name) between 1 and 80),
  changed_by text not null,
  changed_at timestamptz not null default clock_now(),
  constraint calendar_days_named check (business = (name is null))
);

-- The statement's balance from which the comparison of an external account begins.
create table account_openings (
  livemode boolean not null,
  account text not null,
  -- The comparison begins with the day after.
  day date not null,
  -- The statement's closing balance of that day, and its difference to the books then, which is booked to own_funds. In francs.
  balance bigint not null,
  unexplained bigint not null,
  proposal_id text not null unique,
  opened_at timestamptz not null default clock_now(),
  primary key (livemode, account)
);
create trigger account_openings_append_only before update or delete on account_openings
  for each row execute function refuse_change();
create trigger account_openings_not_truncated before truncate on account_openings
  for each statement execute function refuse_change();

-- The movements on our accounts that operators and banks list. An import writes these tables alone: no entry, no order.

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
