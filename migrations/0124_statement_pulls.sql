-- older code: runs

-- The lists of a day that the service asks an operator for by itself: the next day, on the third and on the tenth. Each is asked for until it is read or given up.
create table statement_pulls (
  livemode boolean not null,
  account text not null,
  day date not null,
  nth smallint not null check (nth between 1 and 3),
  attempts integer not null default 0 check (attempts >= 0),
  planned_at timestamptz not null default clock_now(),
  next_try_at timestamptz not null default clock_now(),
  ended_at timestamptz,
  outcome text check (outcome in ('read', 'empty', 'not_offered', 'refused', 'given_up')),
  -- The file that it became. Null: none.
  file_id text,
  primary key (livemode, account, day, nth),
  check ((ended_at is null) = (outcome is null))
);
create index statement_pulls_due on statement_pulls (next_try_at) where ended_at is null;
