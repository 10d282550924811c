-- older code: stops

-- Many payouts at once.
create table payout_batches (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  status text not null check (status in (
    'brouillon', 'en_attente_validation', 'en_cours', 'termine', 'termine_avec_erreurs', 'annule')),
  reference text,
  currency text not null check (currency = 'XOF'),
  total_amount bigint not null check (total_amount > 0),
  line_count integer not null check (line_count between 1 and 500),
  -- The cap of 24 hours when it was made, in francs: a draft must fit a cap that was lowered since.
  cap_day bigint not null check (cap_day > 0),
  -- Lines under way, and lines that ended badly; the batch ends when none is under way.
  open_lines integer not null default 0 check (open_lines >= 0),
  bad_lines integer not null default 0 check (bad_lines >= 0),
  -- The people who made it and who decided; never the same.
  made_by text not null,
  decided_by text,
  -- The words of the person who declined, for the maker; null: they gave none.
  decline_reason text check (length(decline_reason) between 1 and 500),
  approved_at timestamptz,
  created_at timestamptz not null default clock_now(),
  executed_at timestamptz,
  finished_at timestamptz,
  -- The person, or `key:…` for an API key. Null: not executed.
  executed_by text,
  -- The HMAC of the Idempotency-Key, from which the references of its payouts are derived. Null: the request had no such key.
  order_key bytea,
  primary key (merchant_id, livemode, id),
  check (decline_reason is null or (status = 'annule' and decided_by is not null))
);
create index payout_batches_by_id on payout_batches (id);
-- Batches that wait for a person, as for requests.
create index payout_batches_waiting on payout_batches (id) where status = 'en_attente_validation';
-- The approved batches that wait to be executed, which each first page of a merchant reads, and again while it is open.
create index payout_batches_to_launch on payout_batches (merchant_id, livemode, id)
 where status = 'brouillon' and approved_at is not null;

-- The moves a batch may make: the same rows as src/payout-batches/states.ts.
create table payout_batch_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into payout_batch_transitions (from_status, to_status) values
  ('brouillon', 'en_cours'),
  ('brouillon', 'en_attente_validation'),
  ('brouillon', 'annule'),
  ('en_attente_validation', 'brouillon'),
  ('en_attente_validation', 'annule'),
  ('en_cours', 'termine'),
  ('en_cours', 'termine_avec_erreurs');

create function check_payout_batch_move() returns trigger
  language plpgsql as $$
begin
  if not exists (select from payout_batch_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a batch does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger payout_batches_move before update of status on payout_batches
  for each row when (old.status is distinct from new.status) execute function check_payout_batch_move();
create trigger payout_batches_makers_side before insert or update of decided_by on payout_batches
  for each row when (new.decided_by is not null) execute function check_makers_side();

create table payout_batch_lines (
  merchant_id bigint not null,
  livemode boolean not null,
  batch_id text not null,
  rank integer not null check (rank between 1 and 500),
  status text not null default 'pending'
    check (status in ('pending', 'processing', 'succeeded', 'failed', 'indeterminate', 'cancelled')),
  amount bigint not null check (amount between 1 and 1000000000000),
  fee_amount bigint not null check (fee_amount >= 0),
  -- Null: a draft brings no destination to the book, so an inline line has no entry until the batch is executed.
  beneficiary_id uuid,
  is_inline boolean not null,
  name text,
  label text,
  msisdn text not null,
  operator text,
  reference text,
  payout_id text,
  failure_code text,
  -- How many entries of an inline number were archived when the draft was made: its execution sees whether the number was archived
  -- meanwhile. Null for a line from the book.
  archived_before integer check (archived_before >= 0),
  -- Since when an operator is asked about this line; null: nobody is.
  name_check_asked_at timestamptz,
  -- The operator's word and its time, or those of nobody who could tell.
  name_check text check (name_check in ('match', 'close', 'no_match', 'unknown')),
  name_checked_at timestamptz,
  primary key (merchant_id, livemode, batch_id, rank),
  foreign key (merchant_id, livemode, batch_id) references payout_batches,
  foreign key (merchant_id, livemode, beneficiary_id) references beneficiaries,
  foreign key (merchant_id, livemode, payout_id) references payouts (merchant_id, livemode, id),
  constraint payout_batch_lines_sent_to_an_entry
    check (beneficiary_id is not null or (is_inline and payout_id is null)),
  constraint payout_batch_lines_name_check check ((name_check is null) = (name_checked_at is null))
);

-- A line that is sent elsewhere than it was loses its check.
create function forget_name_check() returns trigger
  language plpgsql as $$
begin
  new.name_check_asked_at := null;
  new.name_check := null;
  new.name_checked_at := null;
  return new;
end $$;
create trigger payout_batch_lines_amended before update of msisdn, operator, name on payout_batch_lines
  for each row when ((old.msisdn, old.operator, old.name) is distinct from (new.msisdn, new.operator, new.name))
  execute function forget_name_check();

-- Batches that people prepare from a file.
create table batch_drafts (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  -- As its maker called it; the reference of the batch that is made of it.
  name text not null check (length(name) between 1 and 255),
  -- The file as it came. Null: the lines are the failed ones of another batch.
  file_name text check (length(file_name) between 1 and 255),
  file_sha256 bytea check (octet_length(file_sha256) = 32),
  file_content bytea check (octet_length(file_content) between 1 and 5242880),
  from_batch_id text,
  -- How the file was read: its form, its encoding, the titles that were left aside.
  reading jsonb not null,
  -- Its lines as they were read and mended, in the order of the file.
  lines jsonb not null check (jsonb_array_length(lines) <= 500),
  -- Grows with each change, so that a batch is made of the lines that its maker has seen.
  version integer not null default 1,
  made_by text not null,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  primary key (merchant_id, livemode, id),
  constraint batch_drafts_of_a_version unique (merchant_id, livemode, id, version),
  constraint batch_drafts_whole_file
    check ((file_name is null) = (file_sha256 is null) and (file_name is null) = (file_content is null)),
  constraint batch_drafts_from_somewhere check (file_name is null or from_batch_id is null)
);
-- Finds a file that came before.
create index batch_drafts_of_file on batch_drafts (merchant_id, livemode, file_sha256);
create index batch_drafts_of_failed_lines on batch_drafts (merchant_id, livemode, from_batch_id) where from_batch_id is not null;

-- The columns of a file as a person named them, so that the next file with the same titles is read by it.
create table batch_file_columns (
  merchant_id bigint not null,
  livemode boolean not null,
  -- The titles as they are compared, or the number of columns of a file without titles, as a digest.
  header_sha256 bytea not null check (octet_length(header_sha256) = 32),
  -- For each column of the file what it is; null: it is left aside.
  columns jsonb not null check (jsonb_array_length(columns) <= 64),
  assigned_by text not null,
  assigned_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, header_sha256)
);

-- The batch that was made of a draft: one, whatever our code believes. From then on the draft is its file, and does not change.
create table drafted_batches (
  merchant_id bigint not null,
  livemode boolean not null,
  draft_id text not null,
  version integer not null,
  batch_id text not null,
  primary key (merchant_id, livemode, draft_id),
  constraint drafted_batches_of_a_batch unique (merchant_id, livemode, batch_id),
  constraint drafted_batches_draft
    foreign key (merchant_id, livemode, draft_id, version) references batch_drafts (merchant_id, livemode, id, version),
  foreign key (merchant_id, livemode, batch_id) references payout_batches
);

-- A batch has its maker in the row when a person made it in the console; an API key made the others.
create function check_batch_decision() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.decided_by, new.made_by) is not distinct from (old.decided_by, old.made_by) then
    return new;
  end if;
  if person_in(new.decided_by) = person_in(new.made_by)
     and not decides_alone(new.merchant_id, new.livemode, new.id, new.decided_by) then
    raise exception 'the maker of a batch does not decide on it: it violates check constraint "%"', tg_name
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end $$;
create trigger payout_batches_two_people before insert or update of decided_by, made_by on payout_batches
  for each row when (new.decided_by is not null) execute function check_batch_decision();
