-- older code: stops

-- Of src/cases: the staff member who has taken a case of the desk.

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

-- The desk reads all that waits for a second person, of all merchants.
create index adjustments_waiting on adjustments (proposed_at) where status = 'proposed';
create index anomaly_proposals_waiting on anomaly_proposals (proposed_at) where status = 'proposed';

-- The lists of the desk: of all merchants in one state, in the order of their time.
create index settlements_of_status on settlements (livemode, status, created_at, id);
