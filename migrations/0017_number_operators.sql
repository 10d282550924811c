-- older code: stops

-- The operators that serve numbers, where ended orders have shown another one than the prefix. A hint for people who choose: no order
-- is accepted or routed by it, and all of it may be deleted at any time.
create table number_operators (
  livemode boolean not null,
  -- HMAC-SHA256 of the number under a key made of SECRET_KEY. In test mode the merchant is hashed with it. The number itself is not here.
  number_hash bytea not null check (octet_length(number_hash) = 32),
  -- Money moved through it last, and it has not said since that the number is not its own.
  operator text,
  -- Those that have said since then that the number is not theirs.
  refused_by text[] not null,
  learned_at timestamptz not null default clock_now(),
  primary key (livemode, number_hash),
  constraint number_operators_facts check (operator is not null or cardinality(refused_by) > 0)
);
