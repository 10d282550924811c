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
-- The book, page by page.
create index beneficiaries_order on beneficiaries (merchant_id, livemode, created_at, id);
-- The command line is given an id alone.
create index beneficiaries_id on beneficiaries (id);
