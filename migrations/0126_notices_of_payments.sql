-- older code: runs
-- Payments and the takings of a day are told to the people who ask for it.

-- Of src/people/notices: what a person set beside the kinds that they turned off. No row: nothing was set.
create table notice_settings (
  person_id text primary key references persons,
  -- The kinds that come by mail only on request.
  mails_asked text[] not null default '{}',
  -- A smaller payment comes in no notice. Francs.
  payment_min bigint not null default 0 check (payment_min between 0 and 1000000000000),
  -- The quiet hours, in minutes of the day in Abidjan. The end may be on the next day.
  quiet_from smallint check (quiet_from between 0 and 1439),
  quiet_to smallint check (quiet_to between 0 and 1439),
  check ((quiet_from is null) = (quiet_to is null)),
  check (quiet_from <> quiet_to)
);

-- Of src/payments: how far a merchant's payments were told.
create table told_payments (
  merchant_id bigint not null,
  livemode boolean not null,
  -- The place in the feed of events.
  epoch integer not null,
  tx xid8 not null,
  id text not null,
  -- The last day, in Abidjan, whose takings were told. Null: none.
  day date,
  primary key (merchant_id, livemode)
);
