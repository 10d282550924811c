-- Money going out.

-- A merchant's own caps in one mode, in francs; null: the service's.
create table payout_caps (
  merchant_id bigint not null references merchants,
  livemode boolean not null,
  operation bigint check (operation > 0),
  day bigint check (day > 0),
  primary key (merchant_id, livemode)
);

-- What counts towards the rolling 24 hours: payouts that have not failed, requests that wait, batches that are open. One
-- row each, with its time; decided and written under the lock of the transfer account.
create table payout_uses (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  -- Francs that still count: less what failed since.
  amount bigint not null check (amount >= 0),
  used_at timestamptz not null,
  primary key (merchant_id, livemode, subject_id)
);
create index payout_uses_by_time on payout_uses (merchant_id, livemode, used_at);

-- The sum of the uses after `swept_until`, so that nobody adds up a day's payouts for each new one: what grew older than
-- 24 hours is taken off when the next decision is made.
create table payout_windows (
  merchant_id bigint not null,
  livemode boolean not null,
  used bigint not null default 0 check (used >= 0),
  swept_until timestamptz not null,
  primary key (merchant_id, livemode)
);

create table payouts (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  amount bigint not null check (amount between 1 and 1000000000000),
  fee_amount bigint not null check (fee_amount >= 0),
  total_debited bigint not null,
  currency text not null check (currency = 'XOF'),
  status text not null default 'created',
  beneficiary_id uuid not null,
  -- Whether the caller named the destination itself, and may therefore see its number in full.
  is_inline boolean not null,
  name text,
  label text,
  msisdn text not null,
  operator text,
  reference text,
  batch_id text,
  rank integer,
  failure_code text,
  moves integer not null default 0,
  created_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, id),
  foreign key (merchant_id, livemode, beneficiary_id) references beneficiaries,
  -- A line of a batch is paid once.
  unique (merchant_id, livemode, batch_id, rank),
  constraint payouts_add_up check (total_debited = amount + fee_amount),
  check ((batch_id is null) = (rank is null))
);

-- The moves a payout may make: the same rows as src/payouts/states.ts.
create table payout_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into payout_transitions (from_status, to_status) values
  ('created', 'processing'),
  ('processing', 'succeeded'),
  ('processing', 'failed'),
  ('processing', 'indeterminate'),
  ('indeterminate', 'succeeded'),
  ('indeterminate', 'failed');

create function check_payout_move() returns trigger
  language plpgsql as $$
begin
  if not exists (select from payout_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a payout does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger payouts_move before update of status on payouts
  for each row when (old.status is distinct from new.status) execute function check_payout_move();

create function check_payout_facts() returns trigger
  language plpgsql as $$
begin
  raise exception 'the amounts and the destination of a payout are fixed at creation' using errcode = 'check_violation';
end $$;
create trigger payouts_fixed before update on payouts
  for each row when (
    (old.amount, old.fee_amount, old.total_debited, old.currency, old.msisdn, old.operator)
    is distinct from (new.amount, new.fee_amount, new.total_debited, new.currency, new.msisdn, new.operator))
  execute function check_payout_facts();

create table payout_moves (
  merchant_id bigint not null,
  livemode boolean not null,
  payout_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  cause text not null,
  moved_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, payout_id, number),
  foreign key (merchant_id, livemode, payout_id) references payouts
);
create trigger payout_moves_append_only before update or delete on payout_moves
  for each row execute function refuse_change();

-- A payout held back by a cap. Nothing has left.
create table payout_requests (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  status text not null default 'pending_approval' check (status in ('pending_approval', 'approved', 'rejected', 'expired')),
  reason text not null check (reason in ('plafond_operation', 'plafond_24h')),
  -- Francs: the value of the cap that was exceeded.
  cap bigint not null,
  amount bigint not null check (amount between 1 and 1000000000000),
  currency text not null check (currency = 'XOF'),
  beneficiary_id uuid not null,
  is_inline boolean not null,
  name text,
  label text,
  msisdn text not null,
  operator text,
  reference text,
  -- Who asked and who decided; never the same.
  made_by text not null,
  decided_by text check (decided_by <> made_by),
  payout_id text,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  decided_at timestamptz,
  primary key (merchant_id, livemode, id),
  foreign key (merchant_id, livemode, beneficiary_id) references beneficiaries,
  foreign key (merchant_id, livemode, payout_id) references payouts,
  check ((status = 'approved') = (payout_id is not null)),
  check ((status = 'pending_approval') = (decided_at is null))
);
create index payout_requests_by_id on payout_requests (id);
create index payout_requests_expiring on payout_requests (expires_at) where status = 'pending_approval';

-- Whose payouts are stopped: all of them, one operator's or one merchant's. Read when a send begins.
create table payout_stops (
  scope text not null check (scope in ('all', 'operator', 'merchant')),
  value text not null,
  stopped_by text not null,
  stopped_at timestamptz not null default clock_now(),
  primary key (scope, value)
);
