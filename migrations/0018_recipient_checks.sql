-- Whether a name is that of a number's holder. Only an operator's word is kept, never the name that it holds.

-- How often a merchant had a number checked lately, so that a name is not found by trying. The number is a keyed hash of it.
create table recipient_checks (
  merchant_id bigint not null references merchants,
  livemode boolean not null,
  number_hash bytea not null check (length(number_hash) = 32),
  began_at timestamptz not null,
  checks integer not null check (checks > 0),
  primary key (merchant_id, livemode, number_hash)
);
