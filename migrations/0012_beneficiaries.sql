-- older code: stops

-- Destinations that money may leave to: a merchant's book.
--
-- There is no foreign key to merchants: a batch of payouts writes hundreds of entries, and merchant_id comes from the key.
create table beneficiaries (
  merchant_id bigint not null,
  livemode boolean not null,
  -- Random, so that it tells nothing; whose entry it is, is decided by the two columns before it and never by the id.
  id uuid not null default gen_random_uuid(),
  kind text not null check (kind in ('payout', 'settlement')),
  -- The merchant's own words for it; null when a payout brought it here.
  label text check (length(label) between 1 and 200),
  name text not null check (length(name) between 1 and 200),
  operator text,
  msisdn text check (msisdn ~ '^\+225\d{10}$'),
  iban text check (iban ~ '^CI[0-9A-Z]{26}$'),
  -- All that an answer ever shows of the number or the IBAN.
  last4 text not null,
  active boolean not null default true,
  -- Since when a settlement goes here; null: it does not.
  designated_at timestamptz,
  created_at timestamptz not null default clock_now(),
  archived_at timestamptz,
  -- `key:…` for an API key, or a person. Null: from a test of the service.
  added_by text check (length(added_by) between 1 and 200),
  -- Null: it is active, or a test of the service archived it.
  archived_by text check (length(archived_by) between 1 and 200),
  primary key (merchant_id, livemode, id),
  constraint beneficiaries_one_destination check (num_nonnulls(msisdn, iban) = 1),
  constraint beneficiaries_iban_for_settlement check (iban is null or kind = 'settlement'),
  constraint beneficiaries_number_has_operator check (kind = 'payout' or msisdn is null or operator is not null),
  constraint beneficiaries_last4 check (last4 = right(coalesce(msisdn, iban), 4)),
  constraint beneficiaries_archived check (active = (archived_at is null)),
  constraint beneficiaries_designated check (designated_at is null or (kind = 'settlement' and active)),
  constraint beneficiaries_archived_by check (archived_by is null or not active)
);
-- One active entry for one destination; an archived one leaves its place to a new one.
create unique index beneficiaries_msisdn_key on beneficiaries (merchant_id, livemode, kind, msisdn)
  where active and msisdn is not null;
create unique index beneficiaries_iban_key on beneficiaries (merchant_id, livemode, kind, iban)
  where active and iban is not null;
-- Settlements go to one destination at a time.
create unique index beneficiaries_designated_key on beneficiaries (merchant_id, livemode)
  where designated_at is not null;
-- Pages of active or of archived entries, also where the others are a million; a page of all entries merges the two halves.
create index beneficiaries_by_state on beneficiaries (merchant_id, livemode, active, created_at, id);
-- How often a number was archived in a merchant's book: asked for the lines of a batch when it is made and when it is executed.
create index beneficiaries_archived_msisdn on beneficiaries (merchant_id, livemode, kind, msisdn)
  where not active and msisdn is not null;

-- How many entries a merchant's book has, so that a list tells its total without counting a million rows. Triggers keep it, whoever
-- writes to the book.
create table book_sizes (
  merchant_id bigint not null,
  livemode boolean not null,
  active bigint not null,
  archived bigint not null,
  primary key (merchant_id, livemode)
);

-- For each statement and in the order of merchants. Entries of a transaction are locked before any size is, and sizes in one order, so
-- two transactions that write to the same books never wait for each other.
create function count_new_entries() returns trigger
  language plpgsql as $$
declare
  book record;
begin
  for book in
    select merchant_id, livemode, count(*) filter (where active) as active, count(*) filter (where not active) as archived
      from new_entries
     group by merchant_id, livemode
     order by merchant_id, livemode
  loop
    insert into book_sizes as s (merchant_id, livemode, active, archived)
    values (book.merchant_id, book.livemode, book.active, book.archived)
    on conflict (merchant_id, livemode) do update
       set active = s.active + excluded.active, archived = s.archived + excluded.archived;
  end loop;
  return null;
end $$;

create function count_archived_entry() returns trigger
  language plpgsql as $$
declare
  archived integer := case when new.active then -1 else 1 end;
begin
  insert into book_sizes as s (merchant_id, livemode, active, archived)
  values (new.merchant_id, new.livemode, -archived, archived)
  on conflict (merchant_id, livemode) do update
     set active = s.active + excluded.active, archived = s.archived + excluded.archived;
  return null;
end $$;
create trigger beneficiaries_counted after insert on beneficiaries
  referencing new table as new_entries
  for each statement execute function count_new_entries();
create trigger beneficiaries_archiving_counted after update of active on beneficiaries
  for each row when (old.active is distinct from new.active)
  execute function count_archived_entry();

-- The destination of settlements is changed by two people: one proposes it, another confirms it.
create table destination_proposals (
  merchant_id bigint not null,
  livemode boolean not null,
  id uuid not null default gen_random_uuid(),
  -- The entry that settlements are to go to.
  beneficiary_id uuid not null,
  status text not null default 'proposed' check (status in ('proposed', 'confirmed', 'refused', 'withdrawn')),
  proposed_by text not null check (length(proposed_by) between 1 and 200),
  proposed_at timestamptz not null default clock_now(),
  -- The person who confirmed or refused it; of a withdrawn one its proposer.
  decided_by text check (length(decided_by) between 1 and 200),
  decided_at timestamptz,
  -- The one of the two who is an owner of the merchant, of a confirmed one.
  owner text,
  -- Told by the person who refused it.
  reason text check (length(reason) between 1 and 500),
  -- A command on the host designated at once, without a second person.
  break_glass boolean not null default false,
  -- The person who stopped the change while it cooled: settlements go nowhere since.
  stopped_by text check (length(stopped_by) between 1 and 200),
  stopped_at timestamptz,
  -- The payment in the place of a second person. Once for each merchant and mode: only the first destination is chosen so.
  proof_session_id text,
  -- The company decides, because the merchant has no second person.
  by_company boolean not null default false,
  called_by text check (length(called_by) between 1 and 200),
  called_at timestamptz,
  -- The number that was called, and what was said: the evidence of the second person.
  called_number text check (length(called_number) between 1 and 40),
  call_report text check (length(call_report) between 1 and 500),
  primary key (merchant_id, livemode, id),
  foreign key (merchant_id, livemode, beneficiary_id) references beneficiaries,
  constraint destination_proposals_decided check (
    (status = 'proposed') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint destination_proposals_people check (
    person_in(proposed_by) not like 'key:%' and person_in(decided_by) not like 'key:%'),
  constraint destination_proposals_owner check (
    status <> 'confirmed' or break_glass or coalesce(owner in (proposed_by, decided_by), false)),
  constraint destination_proposals_withdrawn check (
    status <> 'withdrawn' or person_in(decided_by) = person_in(proposed_by)),
  constraint destination_proposals_reason check ((status = 'refused') = (reason is not null)),
  constraint destination_proposals_stopped check (
    (stopped_by is null) = (stopped_at is null) and (stopped_by is null or status = 'confirmed')),
  constraint destination_proposals_break_glass check (not break_glass or status = 'confirmed'),
  constraint destination_proposals_two_people check (
    break_glass or proof_session_id is not null or status not in ('confirmed', 'refused')
    or person_in(decided_by) <> person_in(proposed_by)),
  constraint destination_proposals_proven check (
    proof_session_id is null
    or coalesce(status = 'confirmed' and not break_glass and person_in(decided_by) = person_in(proposed_by), false)),
  constraint destination_proposals_called check (
    (called_by is null) = (called_at is null) and (called_by is null) = (called_number is null)
    and (called_by is null) = (call_report is null) and (by_company or called_by is null)),
  -- Two people of the company, whatever our code believes.
  constraint destination_proposals_company_two_people check (
    not by_company or status <> 'confirmed'
    or coalesce(person_in(called_by) <> person_in(decided_by) and person_in(called_by) <> person_in(proposed_by), false))
);
-- One waits at a time.
create unique index destination_proposals_waiting on destination_proposals (merchant_id, livemode) where status = 'proposed';
create index destination_proposals_order on destination_proposals (merchant_id, livemode, proposed_at, id);
create unique index destination_proposals_own on destination_proposals (merchant_id, livemode) where proof_session_id is not null;
create index destination_proposals_by_id on destination_proposals (id);
create index destination_proposals_of_company on destination_proposals (proposed_at) where by_company and status = 'proposed';

-- A decision is never written over, nor is what was proposed. A change that was confirmed is stopped once.
create function check_destination_decision() returns trigger
  language plpgsql as $$
begin
  if old.stopped_by is null and new.stopped_by is not null
     and to_jsonb(new) - '{stopped_by,stopped_at}'::text[] = to_jsonb(old) - '{stopped_by,stopped_at}'::text[] then
    return new;
  end if;
  if old.status <> 'proposed' then
    raise exception 'a proposal that was decided is fixed' using errcode = 'check_violation';
  end if;
  if (old.merchant_id, old.livemode, old.id, old.beneficiary_id, old.proposed_by, old.proposed_at, old.break_glass, old.proof_session_id,
      old.by_company)
     is distinct from
     (new.merchant_id, new.livemode, new.id, new.beneficiary_id, new.proposed_by, new.proposed_at, new.break_glass, new.proof_session_id,
      new.by_company) then
    raise exception 'a proposal is decided as it was made' using errcode = 'check_violation';
  end if;
  if old.called_by is not null
     and (old.called_by, old.called_at, old.called_number, old.call_report)
         is distinct from (new.called_by, new.called_at, new.called_number, new.call_report) then
    raise exception 'a call is noted once' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger destination_proposals_decided_once before update on destination_proposals
  for each row execute function check_destination_decision();
create trigger destination_proposals_not_deleted before delete on destination_proposals
  for each row execute function refuse_change();
create trigger destination_proposals_independent before insert or update of decided_by on destination_proposals
  for each row when (new.decided_by is not null and not new.break_glass and new.status <> 'withdrawn' and new.proof_session_id is null)
  execute function check_independence('decided_by', 'proposed_by');
create trigger destination_proposals_caller_independent before insert or update of decided_by on destination_proposals
  for each row when (new.by_company and new.status = 'confirmed')
  execute function check_independence('decided_by', 'called_by');

-- A merchant of one person gets its money: an owner proves a number of their own by a payment of 100 francs from
-- it, and chooses it alone as the first destination of settlements.
create table number_proofs (
  merchant_id bigint not null,
  livemode boolean not null,
  -- The session of the payment that proves the number.
  session_id text not null,
  person text not null check (length(person) between 1 and 200),
  msisdn text not null,
  operator text not null,
  holder text not null check (length(holder) between 1 and 200),
  -- Whether the operator knows the number under this name. Null: nobody could ask.
  name_match text check (name_match in ('match', 'close', 'unknown')),
  made_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, session_id)
);
create index number_proofs_of_person on number_proofs (merchant_id, livemode, person, made_at);
create trigger number_proofs_kept before update or delete on number_proofs
  for each row execute function refuse_change();
