-- older code: stops

-- Paying a merchant what it is owed.

-- A merchant's own smallest settlement in one mode, in francs; absent: the service's.
create table settlement_floors (
  merchant_id bigint not null references merchants,
  livemode boolean not null,
  minimum bigint not null check (minimum > 0),
  primary key (merchant_id, livemode)
);

create table settlements (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  amount bigint not null check (amount between 1 and 1000000000000),
  currency text not null check (currency = 'XOF'),
  status text not null default 'pending_validation',
  -- The destination as it was when the merchant asked: what is designated, named or archived later does not change it.
  -- The whole number or IBAN stays in the book, whose entries never change theirs.
  beneficiary_id uuid not null,
  name text not null,
  account_type text not null check (account_type in ('bank_account', 'wallet')),
  operator text,
  last4 text not null,
  designated_at timestamptz not null,
  -- The asker (an API key), and the people who moved it on. Persons are written in small letters.
  made_by text not null,
  validated_by text,
  paid_by text,
  rejected_by text,
  -- The bank's name of the transfer, as it was typed.
  bank_reference text check (length(bank_reference) between 1 and 140),
  -- The days of the transfer as the bank's file gives them, where it was entered from one: of its booking, and from which it counts for interest.
  booking_date date,
  value_date date,
  rejection_reason text check (length(rejection_reason) between 1 and 500),
  transition_count integer not null default 0,
  created_at timestamptz not null default clock_now(),
  validated_at timestamptz,
  paid_at timestamptz,
  rejected_at timestamptz,
  -- When a person last took the whole account, in a file for the bank or alone: from then on the transfer may be ordered.
  account_taken_at timestamptz,
  account_taken_by text,
  primary key (merchant_id, livemode, id),
  foreign key (merchant_id, livemode, beneficiary_id) references beneficiaries,
  constraint settlements_account check ((account_type = 'wallet') = (operator is not null)),
  -- Two people, whatever our code believes, and neither of them is a key.
  constraint settlements_two_people check (
    lower(validated_by) <> lower(made_by) and lower(paid_by) <> lower(made_by) and lower(rejected_by) <> lower(made_by)
    and lower(paid_by) <> lower(validated_by)),
  constraint settlements_decided_by_people check (
    lower(validated_by) not like 'key:%' and lower(paid_by) not like 'key:%' and lower(rejected_by) not like 'key:%'),
  -- The same of people as they are compared, however they are written.
  constraint settlements_two_people_compared check (
    person_in(validated_by) <> person_in(made_by) and person_in(paid_by) <> person_in(made_by)
    and person_in(rejected_by) <> person_in(made_by) and person_in(paid_by) <> person_in(validated_by)),
  constraint settlements_decided_by_people_compared check (
    person_in(validated_by) not like 'key:%' and person_in(paid_by) not like 'key:%'
    and person_in(rejected_by) not like 'key:%'),
  constraint settlements_complete check (
    (validated_by is null) = (validated_at is null)
    and (paid_by is null) = (paid_at is null)
    and (paid_by is null) = (bank_reference is null)
    and (paid_by is not null or num_nonnulls(booking_date, value_date) = 0)
    and (rejected_by is null) = (rejected_at is null)
    and (account_taken_by is null) = (account_taken_at is null)
    and (account_taken_by is null or validated_by is not null)
    and (rejection_reason is null or rejected_by is not null)),
  -- One rejected after its validation keeps who validated it.
  constraint settlements_stand check (
    case status
      when 'pending_validation' then num_nonnulls(validated_by, paid_by, rejected_by) = 0
      when 'validated' then validated_by is not null and num_nonnulls(paid_by, rejected_by) = 0
      when 'paid' then num_nonnulls(validated_by, paid_by) = 2 and rejected_by is null
      when 'rejected' then rejected_by is not null and paid_by is null
      else false
    end)
);
-- One transfer pays one settlement. Spaces and letter case do not make another reference.
create unique index settlements_bank_reference_key
  on settlements (merchant_id, livemode, (upper(regexp_replace(bank_reference, '\s', '', 'g'))))
  where bank_reference is not null;
create unique index settlements_bank_reference_compared
  on settlements (merchant_id, livemode, bank_reference_in(bank_reference))
  where bank_reference is not null;
-- A merchant's list, the newest first.
create index settlements_order on settlements (merchant_id, livemode, created_at, id);
-- Staff find a settlement by its id alone, and work through those that wait, oldest first.
create index settlements_by_id on settlements (id);
create index settlements_open on settlements (created_at, id) where status in ('pending_validation', 'validated');
-- The lists of the desk: of all merchants in one state, in the order of their time.
create index settlements_of_status on settlements (livemode, status, created_at, id);

-- The moves a settlement may make: the same rows as src/settlements/states.ts.
create table settlement_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into settlement_transitions (from_status, to_status) values
  ('pending_validation', 'validated'),
  ('pending_validation', 'rejected'),
  ('validated', 'paid'),
  ('validated', 'rejected');

create function check_settlement_move() returns trigger
  language plpgsql as $$
begin
  if not exists (select from settlement_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a settlement does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger settlements_move before update of status on settlements
  for each row when (old.status is distinct from new.status) execute function check_settlement_move();

create function check_new_settlement() returns trigger
  language plpgsql as $$
begin
  raise exception 'a settlement begins by waiting for validation' using errcode = 'check_violation';
end $$;
create trigger settlements_begin before insert on settlements
  for each row when (new.status <> 'pending_validation') execute function check_new_settlement();

-- The request never changes; who moved it on, when, and by which transfer is written once.
create function check_settlement_facts() returns trigger
  language plpgsql as $$
begin
  raise exception 'what a settlement says of its amount, its destination and its past is fixed'
    using errcode = 'check_violation';
end $$;
create trigger settlements_fixed before update on settlements
  for each row when (
    (old.merchant_id, old.livemode, old.id, old.amount, old.currency, old.beneficiary_id, old.name, old.account_type,
     old.operator, old.last4, old.designated_at, old.made_by, old.created_at)
    is distinct from
    (new.merchant_id, new.livemode, new.id, new.amount, new.currency, new.beneficiary_id, new.name, new.account_type,
     new.operator, new.last4, new.designated_at, new.made_by, new.created_at)
    or (old.validated_by is not null
        and (old.validated_by, old.validated_at) is distinct from (new.validated_by, new.validated_at))
    or (old.status in ('paid', 'rejected')
        and (old.paid_by, old.paid_at, old.bank_reference, old.booking_date, old.value_date, old.rejected_by, old.rejected_at,
             old.rejection_reason, old.account_taken_at, old.account_taken_by)
            is distinct from
            (new.paid_by, new.paid_at, new.bank_reference, new.booking_date, new.value_date, new.rejected_by, new.rejected_at,
             new.rejection_reason, new.account_taken_at, new.account_taken_by)))
  execute function check_settlement_facts();
create trigger settlements_not_deleted before delete on settlements
  for each row execute function refuse_change();
create trigger settlements_validated_independent before insert or update of validated_by on settlements
  for each row when (new.validated_by is not null) execute function check_independence('validated_by', 'made_by');
create trigger settlements_paid_independent before insert or update of paid_by on settlements
  for each row when (new.paid_by is not null) execute function check_independence('paid_by', 'made_by', 'validated_by');
create trigger settlements_rejected_independent before insert or update of rejected_by on settlements
  for each row when (new.rejected_by is not null) execute function check_independence('rejected_by', 'made_by');

create table settlement_transitions_log (
  merchant_id bigint not null,
  livemode boolean not null,
  settlement_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  cause text not null,
  transitioned_by text not null,
  transitioned_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, settlement_id, number),
  foreign key (merchant_id, livemode, settlement_id) references settlements
);
create trigger settlement_transitions_log_append_only before update or delete on settlement_transitions_log
  for each row execute function refuse_change();

-- A merchant's withdrawals at a fixed hour of some days.
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
