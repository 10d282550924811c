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
  primary key (merchant_id, livemode, id),
  constraint beneficiaries_one_destination check (num_nonnulls(msisdn, iban) = 1),
  constraint beneficiaries_iban_for_settlement check (iban is null or kind = 'settlement'),
  constraint beneficiaries_number_has_operator check (kind = 'payout' or msisdn is null or operator is not null),
  constraint beneficiaries_last4 check (last4 = right(coalesce(msisdn, iban), 4)),
  constraint beneficiaries_archived check (active = (archived_at is null)),
  constraint beneficiaries_designated check (designated_at is null or (kind = 'settlement' and active))
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
