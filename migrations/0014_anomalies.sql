-- What does not fit, and how two people close it.

-- The same fact is kept once, however often it is reported; another one about the same subject is another line. What stands
-- here already has no words for its fact, and keeps its line.
alter table anomalies add column fact text not null default '';
alter table anomalies drop constraint anomalies_pkey;
alter table anomalies add constraint anomalies_pkey primary key (merchant_id, livemode, subject_id, kind, fact);
-- `unknown_reference` is about nobody's money yet: its merchant is 0, its subject the operator and the reference.
alter table anomalies drop constraint anomalies_kind_check;
alter table anomalies add constraint anomalies_kind_check check (kind in (
  'amount_differs', 'currency_differs', 'proof_after_refusal', 'refusal_after_proof', 'unknown_status',
  'unknown_reference', 'second_success', 'in_doubt')) not valid;
alter table anomalies add column operator text;
create index anomalies_by_id on anomalies (id);
create index anomalies_open on anomalies (opened_at) where closed_at is null;

-- An answer can also be a person's: two people have established what became of an instruction.
alter table operator_answers drop constraint operator_answers_source_check;
alter table operator_answers add constraint operator_answers_source_check
  check (source in ('send', 'inquiry', 'person')) not valid;

-- Corrections of what is owed to a merchant: proposed by one person, decided by another.
create table adjustments (
  merchant_id bigint not null references merchants,
  livemode boolean not null,
  id text not null,
  direction text not null check (direction in ('credit', 'debit')),
  amount bigint not null check (amount between 1 and 1000000000000),
  -- The account on the other side: an operator's, the fees, the bank.
  counterpart text not null check (counterpart in ('fees', 'bank') or counterpart ~ '^operator:[a-z_]{1,40}$'),
  reason text not null check (length(reason) between 1 and 500),
  -- What it closes, if anything.
  anomaly_id text,
  status text not null default 'proposed' check (status in ('proposed', 'approved', 'refused')),
  proposed_by text not null,
  decided_by text check (decided_by <> proposed_by),
  proposed_at timestamptz not null default clock_now(),
  decided_at timestamptz,
  primary key (merchant_id, livemode, id),
  check ((status = 'proposed') = (decided_at is null)),
  check ((decided_by is null) = (decided_at is null))
);
create index adjustments_by_id on adjustments (id);

-- How one person would close an anomaly; another one decides.
create table anomaly_proposals (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  anomaly_id text not null,
  resolution text not null check (resolution in (
    'as_proven', 'as_refused', 'credit_available', 'debit_available', 'returned_by_hand', 'nothing')),
  amount bigint check (amount between 1 and 1000000000000),
  -- Whose books it is written in, where the anomaly is nobody's; null: its own merchant's.
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
  check ((decided_by is null) = (decided_at is null))
);
-- One at a time, and one that was approved for ever.
create unique index anomaly_proposals_standing on anomaly_proposals (merchant_id, livemode, anomaly_id)
  where status in ('proposed', 'approved');

-- What was decided, and what was proposed, is never written over.
create function check_decision() returns trigger
  language plpgsql as $$
begin
  if old.status <> 'proposed' then
    raise exception '% was decided already', old.id using errcode = 'check_violation';
  end if;
  if (old.amount, old.reason, old.proposed_by) is distinct from (new.amount, new.reason, new.proposed_by) then
    raise exception 'what was proposed is fixed' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger adjustments_decided_once before update on adjustments
  for each row execute function check_decision();
create trigger anomaly_proposals_decided_once before update on anomaly_proposals
  for each row execute function check_decision();
create trigger adjustments_not_deleted before delete on adjustments
  for each row execute function refuse_change();
create trigger anomaly_proposals_not_deleted before delete on anomaly_proposals
  for each row execute function refuse_change();
