-- A collection has no instruction until its sending begins. What was accepted together for one operator waits as one row, from which
-- its instructions are made in the transaction that takes it away.

create table waiting_collections (
  id uuid primary key,
  -- Of the jobs that send it.
  line text not null,
  -- What waits: [{merchant_id, livemode, subject_id, simulate}], and nothing of a payer.
  collections json not null,
  created_at timestamptz not null default clock_now(),
  -- What a lost job forgot is found by this.
  look_at timestamptz not null default clock_now() + interval '60 seconds'
);
create index waiting_collections_due on waiting_collections (look_at);
