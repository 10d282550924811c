-- older code: stops

-- A withdrawal at a fixed hour, and an approval by a merchant's only person, say that the check of the file is what they wait for.
alter table settlement_schedules
  drop constraint settlement_schedules_last_outcome_check,
  add constraint settlement_schedules_last_outcome_check
    check (last_outcome in ('asked', 'no_destination', 'unchecked', 'cooling', 'too_little', 'merchant_inactive'));
alter table solo_approvals
  drop constraint solo_approvals_refusal_check,
  add constraint solo_approvals_refusal_check
    check (refusal in ('insufficient_funds', 'merchant_inactive', 'beneficiary_archived', 'unchecked'));
