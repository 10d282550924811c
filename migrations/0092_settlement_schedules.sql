-- older code: runs
-- Of src/settlements: a merchant's withdrawals at a fixed hour of some days.

create table settlement_schedules (
  merchant_id bigint not null references merchants,
  livemode boolean not null,
  days text[] not null check (cardinality(days) between 1 and 7 and days <@ '{mon,tue,wed,thu,fri,sat,sun}'),
  -- In Abidjan, which is on UTC.
  at_hour smallint not null check (at_hour between 0 and 23),
  -- Francs that stay available.
  keep bigint not null check (keep between 0 and 1000000000000),
  -- The maker of the requests.
  set_by text not null check (length(set_by) between 1 and 200),
  set_at timestamptz not null,
  next_at timestamptz not null,
  last_at timestamptz,
  last_outcome text check (last_outcome in ('asked', 'no_destination', 'cooling', 'too_little', 'merchant_inactive')),
  last_settlement_id text,
  primary key (merchant_id, livemode),
  check ((last_at is null) = (last_outcome is null)),
  check (last_settlement_id is null or last_outcome = 'asked')
);
create index settlement_schedules_due on settlement_schedules (next_at);
