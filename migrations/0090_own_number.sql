-- older code: stops
-- Of src/checkout and src/beneficiaries: a merchant of one person gets its money. An owner proves a number of their own by a payment of 100 francs from
-- it, and chooses it alone as the first destination of settlements.

create table number_proofs (
  merchant_id bigint not null,
  livemode boolean not null,
  -- The session of the payment that proves the number.
  session_id text not null,
  person text not null check (length(person) between 1 and 200),
  msisdn text not null,
  operator text not null,
  holder text not null check (length(holder) between 1 and 200),
  -- Whether the operator knows the number under this name. Null: nobody could ask.
  name_match text check (name_match in ('match', 'close', 'unknown')),
  made_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, session_id)
);
create index number_proofs_of_person on number_proofs (merchant_id, livemode, person, made_at);
create trigger number_proofs_kept before update or delete on number_proofs
  for each row execute function refuse_change();

-- The payment in the place of a second person. Once for each merchant and mode: only the first destination is chosen so.
alter table destination_proposals
  add column proof_session_id text,
  drop constraint destination_proposals_two_people,
  add constraint destination_proposals_two_people check (
    break_glass or proof_session_id is not null or status not in ('confirmed', 'refused')
    or person_in(decided_by) <> person_in(proposed_by)),
  add constraint destination_proposals_proven check (
    proof_session_id is null
    or coalesce(status = 'confirmed' and not break_glass and person_in(decided_by) = person_in(proposed_by), false));
create unique index destination_proposals_own on destination_proposals (merchant_id, livemode) where proof_session_id is not null;

drop trigger destination_proposals_independent on destination_proposals;
create trigger destination_proposals_independent before insert or update of decided_by on destination_proposals
  for each row when (new.decided_by is not null and not new.break_glass and new.status <> 'withdrawn' and new.proof_session_id is null)
  execute function check_independence('decided_by', 'proposed_by');

create or replace function check_destination_decision() returns trigger
  language plpgsql as $$
begin
  if old.stopped_by is null and new.stopped_by is not null
     and to_jsonb(new) - '{stopped_by,stopped_at}'::text[] = to_jsonb(old) - '{stopped_by,stopped_at}'::text[] then
    return new;
  end if;
  if old.status <> 'proposed' then
    raise exception 'a proposal that was decided is fixed' using errcode = 'check_violation';
  end if;
  if (old.merchant_id, old.livemode, old.id, old.beneficiary_id, old.proposed_by, old.proposed_at, old.break_glass, old.proof_session_id)
     is distinct from
     (new.merchant_id, new.livemode, new.id, new.beneficiary_id, new.proposed_by, new.proposed_at, new.break_glass, new.proof_session_id) then
    raise exception 'a proposal is decided as it was made' using errcode = 'check_violation';
  end if;
  return new;
end $$;
