-- As for payments: the two moves that nearly every payout makes are not looked up.
create or replace trigger payouts_move before update of status on payouts
  for each row when (
    old.status is distinct from new.status
    and (old.status, new.status) not in (('created', 'processing'), ('processing', 'succeeded')))
  execute function check_payout_move();
