-- older code: stops

-- Money going back to payers; anomalies, and how two people close them; corrections of what is owed to a merchant.
create table refunds (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  payment_id text not null,
  -- Of the payment's `amount`, in francs.
  amount bigint not null check (amount between 1 and 1000000000000),
  -- The payer gets this: `amount`, and its part of a fee that the payer bore.
  amount_returned bigint not null check (amount_returned >= amount),
  -- The commission that is reversed, and what is no longer owed to the merchant.
  fee_amount bigint not null check (fee_amount >= 0),
  net_amount bigint not null check (net_amount >= 0),
  currency text not null check (currency = 'XOF'),
  status text not null check (status in ('requested', 'processing', 'manual', 'succeeded', 'failed')),
  operator text,
  -- Given back by a person, because the operator cannot or its wallet is gone.
  by_hand boolean not null,
  reason text check (length(reason) between 1 and 500),
  -- The key that makes a repeated command the same refund, and the amount it asked for (null: all that remained).
  request_key text not null check (length(request_key) between 1 and 255),
  asked_amount bigint,
  -- The people who asked, and who closed one by hand; never the same.
  requested_by text not null,
  closed_by text check (closed_by <> requested_by),
  -- The proof of a payment by hand: entered once.
  hand_reference text check (length(hand_reference) between 1 and 255),
  closing_reason text check (length(closing_reason) between 1 and 500),
  failure_code text,
  transition_count integer not null default 0,
  created_at timestamptz not null default clock_now(),
  concluded_at timestamptz,
  -- The external account that the money left, and to which it returns if the refund fails.
  wallet text,
  primary key (merchant_id, livemode, id),
  foreign key (merchant_id, livemode, payment_id) references payments (merchant_id, livemode, id),
  constraint refunds_key unique (merchant_id, livemode, request_key),
  constraint refunds_hand_reference unique (merchant_id, livemode, hand_reference),
  constraint refunds_add_up check (net_amount + fee_amount = amount_returned),
  constraint refunds_closed_by_hand check (
    (closed_by is not null) = (by_hand and status in ('succeeded', 'failed'))
    and (hand_reference is not null) = (by_hand and status = 'succeeded')),
  -- Two people, whatever our code believes.
  constraint refunds_two_people check (person_in(closed_by) <> person_in(requested_by)),
  check (by_hand or status <> 'manual'),
  check ((status in ('succeeded', 'failed')) = (concluded_at is not null)),
  constraint refunds_wallet check (wallet is not null or status in ('succeeded', 'failed'))
);
-- One transfer proves one refund, however its reference is written.
create unique index refunds_hand_reference_compared
  on refunds (merchant_id, livemode, bank_reference_in(hand_reference))
  where hand_reference is not null;
create index refunds_of_payment on refunds (merchant_id, livemode, payment_id);
create index refunds_by_id on refunds (id);
create index refunds_waiting on refunds (created_at) where status in ('manual', 'requested');

-- The moves a refund may make: the same rows as src/refunds/states.ts.
create table refund_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into refund_transitions (from_status, to_status) values
  ('requested', 'processing'),
  ('requested', 'failed'),
  ('processing', 'succeeded'),
  ('processing', 'failed'),
  ('manual', 'succeeded'),
  ('manual', 'failed');

create function check_refund_move() returns trigger
  language plpgsql as $$
begin
  if not exists (select from refund_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a refund does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger refunds_move before update of status on refunds
  for each row when (old.status is distinct from new.status) execute function check_refund_move();

create function check_refund_facts() returns trigger
  language plpgsql as $$
begin
  raise exception 'what a refund gives back is fixed when it is asked for' using errcode = 'check_violation';
end $$;
create trigger refunds_fixed before update on refunds
  for each row when (
    (old.payment_id, old.amount, old.amount_returned, old.fee_amount, old.net_amount, old.operator, old.by_hand, old.requested_by)
    is distinct from
    (new.payment_id, new.amount, new.amount_returned, new.fee_amount, new.net_amount, new.operator, new.by_hand, new.requested_by))
  execute function check_refund_facts();
create trigger refunds_not_deleted before delete on refunds
  for each row execute function refuse_change();
create trigger refunds_independent before insert or update of closed_by on refunds
  for each row when (new.closed_by is not null) execute function check_independence('closed_by', 'requested_by');

create table refund_transitions_log (
  merchant_id bigint not null,
  livemode boolean not null,
  refund_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  cause text not null,
  transitioned_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, refund_id, number),
  foreign key (merchant_id, livemode, refund_id) references refunds
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);
create trigger refund_transitions_log_append_only before update or delete on refund_transitions_log
  for each row execute function refuse_change();

-- Findings that do not fit, kept for a human.
create table anomalies (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  -- `unknown_reference` is about nobody's money yet: its merchant is 0, its subject the operator and the reference.
  kind text not null check (kind in (
    'amount_differs', 'currency_differs', 'proof_after_refusal', 'refusal_after_proof', 'unknown_status',
    'unknown_reference', 'second_success', 'in_doubt')),
  -- The same fact is kept once, however often it is reported; another one about the same subject is another line.
  fact text not null default '',
  id text not null,
  operator text,
  evidence jsonb not null,
  opened_at timestamptz not null default clock_now(),
  closed_at timestamptz,
  primary key (merchant_id, livemode, subject_id, kind, fact)
);
create index anomalies_by_id on anomalies (id);
create index anomalies_open on anomalies (opened_at) where closed_at is null;

-- Corrections of what is owed to a merchant: proposed by one person, decided by another.
create table adjustments (
  merchant_id bigint not null references merchants,
  livemode boolean not null,
  id text not null,
  direction text not null check (direction in ('credit', 'debit')),
  amount bigint not null check (amount between 1 and 1000000000000),
  -- The account on the other side: an external account (`held:` and its code) or the fees.
  counterpart text not null,
  reason text not null check (length(reason) between 1 and 500),
  -- The anomaly it closes, if any.
  anomaly_id text,
  status text not null default 'proposed' check (status in ('proposed', 'approved', 'refused')),
  proposed_by text not null,
  decided_by text check (decided_by <> proposed_by),
  proposed_at timestamptz not null default clock_now(),
  decided_at timestamptz,
  primary key (merchant_id, livemode, id),
  check ((status = 'proposed') = (decided_at is null)),
  check ((decided_by is null) = (decided_at is null)),
  -- Two people, whatever our code believes.
  constraint adjustments_two_people check (person_in(decided_by) <> person_in(proposed_by)),
  constraint adjustments_counterpart_check check (
    counterpart in ('fees', 'bank') or counterpart ~ '^operator:[a-z_]{1,40}$' or counterpart ~ '^held:[a-z][a-z0-9_-]{0,39}$')
);
create index adjustments_by_id on adjustments (id);
-- The desk reads all that waits for a second person, of all merchants.
create index adjustments_waiting on adjustments (proposed_at) where status = 'proposed';
create trigger adjustments_decided_once before update on adjustments
  for each row execute function check_decision();
create trigger adjustments_not_deleted before delete on adjustments
  for each row execute function refuse_change();
create trigger adjustments_independent before insert or update of decided_by on adjustments
  for each row when (new.decided_by is not null) execute function check_independence('decided_by', 'proposed_by');

-- How one person would close an anomaly; another one decides.
create table anomaly_proposals (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  anomaly_id text not null,
  resolution text not null check (resolution in (
    'as_proven', 'as_refused', 'credit_available', 'debit_available', 'returned_by_hand', 'nothing')),
  amount bigint check (amount between 1 and 1000000000000),
  -- The merchant whose books it is written in, where the anomaly is nobody's; null: its own merchant's.
  of_merchant_id bigint,
  reason text not null check (length(reason) between 1 and 500),
  status text not null default 'proposed' check (status in ('proposed', 'approved', 'refused')),
  proposed_by text not null,
  decided_by text check (decided_by <> proposed_by),
  adjustment_id text,
  proposed_at timestamptz not null default clock_now(),
  decided_at timestamptz,
  primary key (merchant_id, livemode, id),
  check (resolution in ('as_proven', 'as_refused', 'nothing') or amount is not null),
  check ((status = 'proposed') = (decided_at is null)),
  check ((decided_by is null) = (decided_at is null)),
  -- Two people, whatever our code believes.
  constraint anomaly_proposals_two_people check (person_in(decided_by) <> person_in(proposed_by))
);
-- One at a time, and one that was approved for ever.
create unique index anomaly_proposals_standing on anomaly_proposals (merchant_id, livemode, anomaly_id)
  where status in ('proposed', 'approved');
create index anomaly_proposals_waiting on anomaly_proposals (proposed_at) where status = 'proposed';
create trigger anomaly_proposals_decided_once before update on anomaly_proposals
  for each row execute function check_decision();
create trigger anomaly_proposals_not_deleted before delete on anomaly_proposals
  for each row execute function refuse_change();
create trigger anomaly_proposals_independent before insert or update of decided_by on anomaly_proposals
  for each row when (new.decided_by is not null) execute function check_independence('decided_by', 'proposed_by');

-- The staff member who has taken a case of the desk.
create table case_owners (
  -- 0: the case concerns no merchant that we know of.
  merchant_id bigint not null,
  livemode boolean not null,
  -- The payment, payout, refund, anomaly, settlement or adjustment.
  subject_id text not null check (length(subject_id) between 1 and 255),
  -- As the audit log names them.
  person text not null check (length(person) between 1 and 200),
  taken_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, subject_id)
);

-- A merchant asks for a refund, and the company decides. Nothing is set aside meanwhile.
create table refund_requests (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  payment_id text not null,
  -- Francs of the payment's amount. Null: all that is left when it is refunded.
  amount bigint check (amount between 1 and 1000000000000),
  reason text not null check (reason in ('returned', 'twice', 'wrong_amount', 'cancelled', 'other')),
  note text check (length(note) between 1 and 200),
  status text not null default 'asked' check (status in ('asked', 'accepted', 'refused', 'withdrawn')),
  asked_by text not null check (length(asked_by) between 1 and 200),
  asked_at timestamptz not null,
  decided_by text check (length(decided_by) between 1 and 200),
  decided_at timestamptz,
  -- Why it was refused: the merchant reads it.
  answer text check (length(answer) between 1 and 500),
  refund_id text,
  primary key (merchant_id, livemode, id),
  check ((status = 'asked') = (decided_at is null) and (decided_by is null) = (decided_at is null)),
  check ((status = 'refused') = (answer is not null)),
  check ((status = 'accepted') = (refund_id is not null)),
  -- A person of both sides does not decide on what they asked for.
  constraint refund_requests_of_another check (
    status not in ('accepted', 'refused') or person_in(decided_by) <> person_in(asked_by))
);
-- One waits for each payment.
create unique index refund_requests_waiting on refund_requests (merchant_id, livemode, payment_id) where status = 'asked';
create index refund_requests_of_payment on refund_requests (merchant_id, livemode, payment_id, asked_at);
create index refund_requests_by_id on refund_requests (id);
create index refund_requests_to_decide on refund_requests (asked_at) where status = 'asked';
create trigger refund_requests_not_deleted before delete on refund_requests
  for each row execute function refuse_change();

create function check_refund_request() returns trigger
  language plpgsql as $$
begin
  if old.status <> 'asked' then
    raise exception 'a request that was decided is fixed' using errcode = 'check_violation';
  end if;
  if (old.payment_id, old.amount, old.reason, old.note, old.asked_by, old.asked_at)
     is distinct from (new.payment_id, new.amount, new.reason, new.note, new.asked_by, new.asked_at) then
    raise exception 'a request is decided as it was made' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger refund_requests_decided_once before update on refund_requests
  for each row execute function check_refund_request();
