-- older code: stops

-- The charges that operators keep, and the money of ours that each of them holds.

-- Charges are the service's cost: no balance of a merchant knows them.
alter table accounts drop constraint accounts_account_check;
alter table accounts add constraint accounts_account_check check (
  account in ('available', 'transfer', 'payouts_in_flight', 'settlements_in_flight', 'fees', 'operator_charges', 'bank')
  or account ~ '^operator:[a-z_]{1,40}$');

-- The tariff of charges and the bounds of the float, as the settings name them. Nothing of them is secret.
alter table connectors add column terms jsonb not null default '{}';
-- When a worker last took it up to ask for the balance.
alter table connectors add column balance_asked_at timestamptz;
-- Whether the last check of the settings in force named a problem.
alter table connectors add column check_fails boolean not null default false;

-- Of every order that a connector carried out, what it changed in the money that its operator holds: written once, in the
-- transaction that confirms the instruction. A charge that was learned later is a row of its own, of the difference.
create table connector_movements (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  -- 1: the order itself; 2: the correction of its charge.
  number smallint not null check (number in (1, 2)),
  connector text not null,
  operator text,
  direction text not null check (direction in ('collect', 'payout', 'refund')),
  -- In francs. Nothing, of a correction.
  amount bigint not null check (amount >= 0),
  charge bigint not null,
  -- By the operator; otherwise it is the tariff's.
  charge_stated boolean not null,
  -- When it first may have left, and when its end was established: the operator moved the money in between. Both are those of the order
  -- also in its correction.
  sent_at timestamptz not null,
  moved_at timestamptz not null,
  primary key (subject_id, merchant_id, livemode, number),
  constraint connector_movements_first check (
    case number when 1 then amount > 0 and charge >= 0 else amount = 0 and charge_stated end)
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);
create index connector_movements_in_time on connector_movements (connector, moved_at);
create trigger connector_movements_append_only before update or delete on connector_movements
  for each row execute function refuse_change();
create trigger connector_movements_not_truncated before truncate on connector_movements
  for each statement execute function refuse_change();

-- The balances that operators told, each beside what was expected of it then. Amounts in francs.
create table connector_balances (
  connector text not null,
  -- Before the question, and after its answer.
  asked_at timestamptz not null,
  answered_at timestamptz not null,
  amount bigint not null,
  -- Between these, by the last accepted balance and the movements since. Null: none was accepted.
  expected_from bigint,
  expected_to bigint,
  -- The distance to that range, 0 within it.
  difference bigint,
  -- Payouts and refunds that were sent and have not ended, and those that wait to be sent.
  in_flight bigint not null,
  held bigint not null,
  -- Paid out in the last 24 hours, less what came in.
  outflow_of_a_day bigint not null,
  warnings text[] not null,
  -- The person for whom it is the truth from which the following ones are reckoned.
  accepted_by text,
  accepted_at timestamptz,
  primary key (connector, asked_at),
  constraint connector_balances_acceptance check ((accepted_by is null) = (accepted_at is null)),
  constraint connector_balances_range check ((expected_from is null) = (difference is null) and expected_from <= expected_to)
);
create index connector_balances_accepted on connector_balances (connector, asked_at) where accepted_at is not null;
