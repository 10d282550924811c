-- older code: stops
-- Of src/beneficiaries: the company confirms a destination of a merchant of one person. One of its people calls the number of the contract and notes the
-- call, another confirms.

alter table destination_proposals
  -- The company decides, because the merchant has no second person.
  add column by_company boolean not null default false,
  add column called_by text check (length(called_by) between 1 and 200),
  add column called_at timestamptz,
  -- The number that was called, and what was said: the evidence of the second person.
  add column called_number text check (length(called_number) between 1 and 40),
  add column call_report text check (length(call_report) between 1 and 500),
  add constraint destination_proposals_called check (
    (called_by is null) = (called_at is null) and (called_by is null) = (called_number is null)
    and (called_by is null) = (call_report is null) and (by_company or called_by is null)),
  -- Two people of the company, whatever our code believes.
  add constraint destination_proposals_company_two_people check (
    not by_company or status <> 'confirmed'
    or coalesce(person_in(called_by) <> person_in(decided_by) and person_in(called_by) <> person_in(proposed_by), false));
create trigger destination_proposals_caller_independent before insert or update of decided_by on destination_proposals
  for each row when (new.by_company and new.status = 'confirmed')
  execute function check_independence('decided_by', 'called_by');
create index destination_proposals_by_id on destination_proposals (id);
create index destination_proposals_of_company on destination_proposals (proposed_at) where by_company and status = 'proposed';

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
  if (old.merchant_id, old.livemode, old.id, old.beneficiary_id, old.proposed_by, old.proposed_at, old.break_glass, old.proof_session_id,
      old.by_company)
     is distinct from
     (new.merchant_id, new.livemode, new.id, new.beneficiary_id, new.proposed_by, new.proposed_at, new.break_glass, new.proof_session_id,
      new.by_company) then
    raise exception 'a proposal is decided as it was made' using errcode = 'check_violation';
  end if;
  if old.called_by is not null
     and (old.called_by, old.called_at, old.called_number, old.call_report)
         is distinct from (new.called_by, new.called_at, new.called_number, new.call_report) then
    raise exception 'a call is noted once' using errcode = 'check_violation';
  end if;
  return new;
end $$;
