-- older code: stops
-- Of src/acts: the first person of a proposal takes it back. Older code does not know the state of such a proposal.

alter table act_proposals
  drop constraint act_proposals_status_check,
  drop constraint act_proposals_two_people,
  add constraint act_proposals_status_check check (status in ('proposed', 'approved', 'refused', 'withdrawn')),
  -- Two people decide, whatever our code believes, and only the first one withdraws.
  add constraint act_proposals_two_people
    check (status = 'withdrawn' or person_in(decided_by) <> person_in(proposed_by)),
  add constraint act_proposals_withdrawn_by_first
    check (status <> 'withdrawn' or person_in(decided_by) = person_in(proposed_by));

drop trigger act_proposals_independent on act_proposals;
create trigger act_proposals_independent before insert or update of decided_by on act_proposals
  for each row when (new.decided_by is not null and new.status <> 'withdrawn')
  execute function check_independence('decided_by', 'proposed_by');
