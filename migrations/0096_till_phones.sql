-- older code: runs
-- Of src/checkout/till: the telephones of a till, which see its payments of the last day without an account.

create table till_phones (
  merchant_id bigint not null,
  livemode boolean not null,
  -- `tph_…`: the address of its invitation is derived from it.
  id text not null,
  -- The permanent code or link whose payments it sees.
  link_id text not null,
  name text not null check (char_length(name) between 1 and 80),
  -- A person, in the form of the audit log.
  invited_by text not null,
  created_at timestamptz not null default clock_now(),
  -- The invitation pairs one telephone, until then.
  expires_at timestamptz not null,
  paired_at timestamptz,
  -- SHA-256 of the telephone's cookie.
  session_hash bytea check (octet_length(session_hash) = 32),
  -- To the hour.
  seen_at timestamptz,
  ended_at timestamptz,
  ended_by text,
  primary key (merchant_id, livemode, id),
  foreign key (merchant_id, livemode, link_id) references payment_links,
  check ((paired_at is null) = (session_hash is null) and (paired_at is null) = (seen_at is null)),
  check ((ended_at is null) = (ended_by is null))
);
create index till_phones_by_id on till_phones (id);
create index till_phones_of_link on till_phones (merchant_id, livemode, link_id) where ended_at is null;
