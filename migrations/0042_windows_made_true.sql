-- A clock of the database that ran ahead and came back left sums of the 24 hours with uses that nothing took off again: their caps stayed
-- full. Each sum that is not that of its uses is counted anew, under the lock that decides on it.
do $$
declare
  wrong record;
begin
  for wrong in
    select w.merchant_id, w.livemode
      from payout_windows w
     where w.used <> (
       select coalesce(sum(u.amount), 0)
         from payout_uses u
        where u.merchant_id = w.merchant_id and u.livemode = w.livemode and u.used_at > w.swept_until)
     order by w.merchant_id, w.livemode
  loop
    perform from accounts
      where merchant_id = wrong.merchant_id and livemode = wrong.livemode and account = 'transfer'
        for no key update;
    update payout_windows w
       set used = (
         select coalesce(sum(u.amount), 0)
           from payout_uses u
          where u.merchant_id = wrong.merchant_id and u.livemode = wrong.livemode and u.used_at > w.swept_until)
     where w.merchant_id = wrong.merchant_id and w.livemode = wrong.livemode;
  end loop;
end $$;
