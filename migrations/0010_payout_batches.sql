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
  decided_by text check (decided_by <> made_by),
  -- The words of the person who declined, for the maker; null: they gave none.
  decline_reason text check (length(decline_reason) between 1 and 500),
  approved_at timestamptz,
  created_at timestamptz not null default clock_now(),
  executed_at timestamptz,
  finished_at timestamptz,
  primary key (merchant_id, livemode, id),
  check (decline_reason is null or (status = 'annule' and decided_by is not null)),
  -- Two people, whatever our code believes.
  constraint payout_batches_two_people check (person_in(decided_by) <> person_in(made_by))
);
create index payout_batches_by_id on payout_batches (id);
-- Batches that wait for a person, as for requests.
create index payout_batches_waiting on payout_batches (id) where status = 'en_attente_validation';

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
  primary key (merchant_id, livemode, batch_id, rank),
  foreign key (merchant_id, livemode, batch_id) references payout_batches,
  foreign key (merchant_id, livemode, beneficiary_id) references beneficiaries,
  foreign key (merchant_id, livemode, payout_id) references payouts (merchant_id, livemode, id),
  constraint payout_batch_lines_sent_to_an_entry
    check (beneficiary_id is not null or (is_inline and payout_id is null))
);
