-- older code: stops

-- Acts that one person asked for in live mode and a second person confirms: a large deposit or refund, a new connector, a changed address of
-- one, a route to a new connector.
create table act_proposals (
  -- 0: the service as a whole.
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  act text not null check (act ~ '^[a-z_]+\.[a-z_]+$'),
  -- The payment or the connector. Null: the merchant itself.
  subject text,
  -- The name under which the act is done once, such as the bank's reference. Null: none.
  key text check (length(key) between 1 and 400),
  amount bigint check (amount between 1 and 1000000000000),
  -- The values that the first person typed, and the content that they read.
  typed jsonb not null,
  content jsonb not null,
  -- Settings with their secrets, sealed. Null: the act has none.
  sealed bytea,
  status text not null default 'proposed',
  proposed_by text not null,
  proposed_at timestamptz not null default clock_now(),
  decided_by text,
  decided_at timestamptz,
  -- The id of what the approval made.
  outcome text,
  primary key (merchant_id, livemode, id),
  check ((status = 'proposed') = (decided_at is null)),
  check ((decided_by is null) = (decided_at is null)),
  check (status = 'approved' or outcome is null),
  -- Secrets are kept while the proposal waits, and no longer.
  check (status = 'proposed' or sealed is null),
  constraint act_proposals_status_check check (status in ('proposed', 'approved', 'refused', 'withdrawn')),
  -- Two people decide, whatever our code believes, and only the first one withdraws.
  constraint act_proposals_two_people
    check (status = 'withdrawn' or person_in(decided_by) <> person_in(proposed_by)),
  constraint act_proposals_withdrawn_by_first
    check (status <> 'withdrawn' or person_in(decided_by) = person_in(proposed_by))
);
-- One waits for each key.
create unique index act_proposals_standing on act_proposals (merchant_id, livemode, act, key) where status = 'proposed';
-- The desk reads those of all merchants that wait.
create index act_proposals_waiting on act_proposals (proposed_at) where status = 'proposed';
create index act_proposals_by_id on act_proposals (id);

create function check_act_decision() returns trigger
  language plpgsql as $$
begin
  if old.status <> 'proposed' then
    raise exception '% was decided already', old.id using errcode = 'check_violation';
  end if;
  if (old.act, old.subject, old.key, old.amount, old.typed, old.content, old.proposed_by)
     is distinct from (new.act, new.subject, new.key, new.amount, new.typed, new.content, new.proposed_by) then
    raise exception 'what was proposed is fixed' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger act_proposals_decided_once before update on act_proposals
  for each row execute function check_act_decision();
create trigger act_proposals_not_deleted before delete on act_proposals
  for each row execute function refuse_change();
create trigger act_proposals_independent before insert or update of decided_by on act_proposals
  for each row when (new.decided_by is not null and new.status <> 'withdrawn')
  execute function check_independence('decided_by', 'proposed_by');
