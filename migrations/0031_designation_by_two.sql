-- older code: stops

-- The destination of settlements is changed by two people: one proposes it, another confirms it.

create table destination_proposals (
  merchant_id bigint not null,
  livemode boolean not null,
  id uuid not null default gen_random_uuid(),
  -- The entry that settlements are to go to.
  beneficiary_id uuid not null,
  status text not null default 'proposed' check (status in ('proposed', 'confirmed', 'refused', 'withdrawn')),
  proposed_by text not null check (length(proposed_by) between 1 and 200),
  proposed_at timestamptz not null default clock_now(),
  -- The person who confirmed or refused it; of a withdrawn one its proposer.
  decided_by text check (length(decided_by) between 1 and 200),
  decided_at timestamptz,
  -- The one of the two who is an owner of the merchant, of a confirmed one.
  owner text,
  -- Told by the person who refused it.
  reason text check (length(reason) between 1 and 500),
  -- A command on the host designated at once, without a second person.
  break_glass boolean not null default false,
  -- The person who stopped the change while it cooled: settlements go nowhere since.
  stopped_by text check (length(stopped_by) between 1 and 200),
  stopped_at timestamptz,
  primary key (merchant_id, livemode, id),
  foreign key (merchant_id, livemode, beneficiary_id) references beneficiaries,
  constraint destination_proposals_decided check (
    (status = 'proposed') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  -- Two people, whatever our code believes, neither of them a key, and one of them an owner.
  constraint destination_proposals_two_people check (
    break_glass or status not in ('confirmed', 'refused') or person_in(decided_by) <> person_in(proposed_by)),
  constraint destination_proposals_people check (
    person_in(proposed_by) not like 'key:%' and person_in(decided_by) not like 'key:%'),
  constraint destination_proposals_owner check (
    status <> 'confirmed' or break_glass or coalesce(owner in (proposed_by, decided_by), false)),
  constraint destination_proposals_withdrawn check (
    status <> 'withdrawn' or person_in(decided_by) = person_in(proposed_by)),
  constraint destination_proposals_reason check ((status = 'refused') = (reason is not null)),
  constraint destination_proposals_stopped check (
    (stopped_by is null) = (stopped_at is null) and (stopped_by is null or status = 'confirmed')),
  constraint destination_proposals_break_glass check (not break_glass or status = 'confirmed')
);
-- One waits at a time.
create unique index destination_proposals_waiting on destination_proposals (merchant_id, livemode) where status = 'proposed';
create index destination_proposals_order on destination_proposals (merchant_id, livemode, proposed_at, id);

-- A decision is never written over, nor is what was proposed. A change that was confirmed is stopped once.
create function check_destination_decision() returns trigger
  language plpgsql as $$
begin
  if old.stopped_by is null and new.stopped_by is not null
     and to_jsonb(new) - '{stopped_by,stopped_at}'::text[] = to_jsonb(old) - '{stopped_by,stopped_at}'::text[] then
    return new;
  end if;
  if old.status <> 'proposed' then
    raise exception 'a proposal that was decided is fixed' using errcode = 'check_violation';
  end if;
  if (old.merchant_id, old.livemode, old.id, old.beneficiary_id, old.proposed_by, old.proposed_at, old.break_glass)
     is distinct from
     (new.merchant_id, new.livemode, new.id, new.beneficiary_id, new.proposed_by, new.proposed_at, new.break_glass) then
    raise exception 'a proposal is decided as it was made' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger destination_proposals_decided_once before update on destination_proposals
  for each row execute function check_destination_decision();
create trigger destination_proposals_not_deleted before delete on destination_proposals
  for each row execute function refuse_change();
