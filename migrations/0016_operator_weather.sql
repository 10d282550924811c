-- older code: stops

-- How operations went with each operator, in rows of five minutes. Counted from the instructions again and again until all of them have
-- ended; nothing is decided by it, and no payment waits for it.
create table operator_weather (
  livemode boolean not null,
  operator text not null,
  direction text not null check (direction in ('collect', 'payout', 'refund')),
  -- Of the operations accepted in the five minutes from here on.
  starts_at timestamptz not null,
  succeeded integer not null,
  -- Ended without money moving: by the operator's failure, and by anybody else's.
  failed integer not null,
  failed_otherwise integer not null,
  -- Of those without an end: how many there are, and how many of them nobody knows the fate of.
  open integer not null,
  in_doubt integer not null,
  -- Of those that succeeded: how many were confirmed within each bound of src/operators/weather/weather.ts and not within the one before.
  confirmed_within integer[] not null,
  counted_at timestamptz not null,
  primary key (livemode, operator, direction, starts_at)
);
