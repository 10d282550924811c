-- older code: stops

-- Of src/payouts: requests for higher caps, which another staff member confirms. A lower cap applies at once and has no row.

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
