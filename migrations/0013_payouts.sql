-- older code: stops

-- Money going out.

-- A merchant's own caps in one mode, in francs; null: the service's.
create table payout_caps (
  merchant_id bigint not null references merchants,
  livemode boolean not null,
  operation bigint check (operation > 0),
  day bigint check (day > 0),
  primary key (merchant_id, livemode)
);

-- Usage of the rolling 24 hours: payouts that have not failed, requests that wait, batches that are open. One
-- row each, with its time; decided and written under the lock of the transfer account.
create table payout_cap_usage (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  -- Francs that still count: less what failed since.
  amount bigint not null check (amount >= 0),
  used_at timestamptz not null default clock_now(),
  primary key (subject_id, merchant_id, livemode)
) with (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);
create index payout_cap_usage_by_time on payout_cap_usage (merchant_id, livemode, used_at);

-- The sum of the usage after `expired_until`, so that nobody adds up a day's payouts for each new one: what grew older than
-- 24 hours is taken off when the next decision is made.
create table payout_cap_totals (
  merchant_id bigint not null,
  livemode boolean not null,
  used bigint not null default 0 check (used >= 0),
  expired_until timestamptz not null,
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
  transition_count integer not null default 0,
  created_at timestamptz not null default clock_now(),
  primary key (id, merchant_id, livemode),
  foreign key (merchant_id, livemode, beneficiary_id) references beneficiaries,
  constraint payouts_add_up check (total_debited = amount + fee_amount),
  check ((batch_id is null) = (rank is null))
) with (autovacuum_analyze_scale_factor = 1.5);
-- A line of a batch is paid once. Every other payout has no rank, and pays for no entry here.
create unique index payouts_rank_key on payouts (merchant_id, livemode, batch_id, rank) where batch_id is not null;

-- The moves a payout may make: the same rows as src/payouts/states.ts.
create table payout_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into payout_transitions (from_status, to_status) values
  ('created', 'processing'),
  ('created', 'failed'),
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

-- As for payments: the two moves that nearly every payout makes are not looked up.
create trigger payouts_move before update of status on payouts
  for each row when (
    old.status is distinct from new.status
    and (old.status, new.status) not in (('created', 'processing'), ('processing', 'succeeded')))
  execute function check_payout_move();

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

create table payout_transitions_log (
  merchant_id bigint not null,
  livemode boolean not null,
  payout_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  cause text not null,
  transitioned_at timestamptz not null default clock_now(),
  primary key (payout_id, merchant_id, livemode, number),
  foreign key (merchant_id, livemode, payout_id) references payouts (merchant_id, livemode, id)
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);
create trigger payout_transitions_log_append_only before update or delete on payout_transitions_log
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
  -- The people who asked and who decided; never the same.
  made_by text not null,
  decided_by text check (decided_by <> made_by),
  -- The words of the person who declined, for the maker; null: they gave none.
  decline_reason text check (length(decline_reason) between 1 and 500),
  payout_id text,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  decided_at timestamptz,
  -- The HMAC of the Idempotency-Key, from which the references of its payouts are derived. Null: the request had no such key.
  order_key bytea,
  primary key (merchant_id, livemode, id),
  foreign key (merchant_id, livemode, beneficiary_id) references beneficiaries,
  foreign key (merchant_id, livemode, payout_id) references payouts (merchant_id, livemode, id),
  check ((status = 'approved') = (payout_id is not null)),
  check ((status = 'pending_approval') = (decided_at is null)),
  check (decline_reason is null or status = 'rejected'),
  -- Two people, whatever our code believes.
  constraint payout_requests_two_people check (person_in(decided_by) <> person_in(made_by))
);
create index payout_requests_by_id on payout_requests (id);
create index payout_requests_expiring on payout_requests (expires_at) where status = 'pending_approval';
-- Requests that wait for a person, by the identifier that begins with its time: the oldest is asked for every few seconds, and the list of them by
-- whoever decides.
create index payout_requests_waiting on payout_requests (id) where status = 'pending_approval';
-- The request that a payout came of. People decide on each one by hand, so that there are never many.
create index payout_requests_of_payout on payout_requests (merchant_id, livemode, payout_id) where payout_id is not null;
create trigger payout_requests_makers_side before insert or update of decided_by on payout_requests
  for each row when (new.decided_by is not null) execute function check_makers_side();

-- Stops of payouts: of all, of one operator's or of one merchant's. Read when a send begins. A stop stays when it is lifted, with
-- the people who stopped, who asked to resume, and who agreed. In force are those that are not lifted, one for each scope and value.
create table payout_stops (
  scope text not null check (scope in ('all', 'operator', 'merchant')),
  value text not null,
  stopped_by text not null,
  stopped_at timestamptz not null default clock_now(),
  resume_asked_by text,
  resume_asked_at timestamptz,
  lifted_by text,
  lifted_at timestamptz,
  -- Why the service stopped payouts itself, and what it saw. People who lift such a stop say that it is mended, so the same detail never stops
  -- again. Null: a person stopped.
  cause text,
  cause_detail text,
  -- Merchants are told once of a stop, by the job that its transaction adds.
  told_at timestamptz,
  primary key (scope, value, stopped_at),
  constraint payout_stops_two_people check (person_in(lifted_by) <> person_in(resume_asked_by)),
  constraint payout_stops_lifted_by_people check (
    person_in(resume_asked_by) not like 'key:%' and person_in(lifted_by) not like 'key:%'),
  constraint payout_stops_complete check (
    (resume_asked_by is null) = (resume_asked_at is null)
    and (lifted_by is null) = (lifted_at is null)
    and (lifted_by is null or resume_asked_by is not null))
);
create unique index payout_stops_in_force on payout_stops (scope, value) where lifted_at is null;

-- The stop itself is fixed; one who asked stays until another agrees or the stop is renewed; a lifted stop is past.
create function check_payout_stop() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if num_nonnulls(new.resume_asked_by, new.lifted_by) > 0 then
      raise exception 'a stop begins in force' using errcode = 'check_violation';
    end if;
  elsif old.lifted_at is not null
     or (old.scope, old.value, old.stopped_by, old.stopped_at) is distinct from (new.scope, new.value, new.stopped_by, new.stopped_at)
     or (old.resume_asked_by is distinct from new.resume_asked_by
         and (new.lifted_by is not null or (old.resume_asked_by is not null and new.resume_asked_by is not null))) then
    raise exception 'a stop is lifted once, by another person than the one who asked before' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger payout_stops_checked before insert or update on payout_stops
  for each row execute function check_payout_stop();
create trigger payout_stops_kept before delete on payout_stops
  for each row execute function refuse_change();
create trigger payout_stops_not_truncated before truncate on payout_stops
  for each statement execute function refuse_change();
create trigger payout_stops_independent before insert or update of lifted_by on payout_stops
  for each row when (new.lifted_by is not null) execute function check_independence('lifted_by', 'resume_asked_by');

-- Requests for higher caps, which another staff member confirms. A lower cap applies at once and has no row.
create table cap_proposals (
  merchant_id bigint not null references merchants,
  livemode boolean not null,
  id text not null,
  -- Of one payout, of 24 hours, or of one payment, which holds in both modes and is asked for in live mode.
  cap text not null check (cap in ('operation', 'day') or (cap = 'payment' and livemode)),
  amount bigint not null check (amount between 1 and 1000000000000),
  reason text not null check (length(reason) between 1 and 500),
  status text not null default 'proposed' check (status in ('proposed', 'approved', 'refused', 'superseded')),
  proposed_by text not null,
  proposed_at timestamptz not null default clock_now(),
  decided_by text,
  decided_at timestamptz,
  -- For the merchant, who reads why its cap stays.
  refusal_reason text check (length(refusal_reason) between 1 and 500),
  primary key (merchant_id, livemode, id),
  check ((status = 'proposed') = (decided_at is null)),
  check ((decided_by is null) = (decided_at is null)),
  check ((status = 'refused') = (refusal_reason is not null)),
  -- Two people, whatever our code believes. A proposal is superseded by whoever changes the cap meanwhile, the proposer included.
  constraint cap_proposals_two_people check (status = 'superseded' or person_in(decided_by) <> person_in(proposed_by))
);
-- One at a time for each cap.
create unique index cap_proposals_standing on cap_proposals (merchant_id, livemode, cap) where status = 'proposed';
-- The desk reads those of all merchants that wait.
create index cap_proposals_waiting on cap_proposals (proposed_at) where status = 'proposed';
create index cap_proposals_by_id on cap_proposals (id);
create trigger cap_proposals_decided_once before update on cap_proposals
  for each row execute function check_decision();
create trigger cap_proposals_not_deleted before delete on cap_proposals
  for each row execute function refuse_change();
create trigger cap_proposals_independent before insert or update of decided_by on cap_proposals
  for each row when (new.decided_by is not null and new.status <> 'superseded')
  execute function check_independence('decided_by', 'proposed_by');
