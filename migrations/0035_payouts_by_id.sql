-- Only vacuums wait for the first lock, and behind it: one that is at work makes room after a second. In the order in which those lock
-- who write.
set local lock_timeout = '5s';
lock table payouts, payout_moves, payout_uses, payout_batch_lines, payout_requests in share update exclusive mode;
set local lock_timeout = '500ms';
lock table payouts, payout_moves, payout_uses, payout_batch_lines, payout_requests in access exclusive mode;

-- As for payments.
alter table payout_moves drop constraint payout_moves_merchant_id_livemode_payout_id_fkey;
alter table payout_requests drop constraint payout_requests_merchant_id_livemode_payout_id_fkey;
alter table payout_batch_lines drop constraint payout_batch_lines_merchant_id_livemode_payout_id_fkey;

alter table payouts
  drop constraint payouts_pkey,
  add constraint payouts_pkey primary key using index payouts_by_id;
alter table payout_moves
  drop constraint payout_moves_pkey,
  add constraint payout_moves_pkey primary key using index payout_moves_by_payout;
alter table payout_uses
  drop constraint payout_uses_pkey,
  add constraint payout_uses_pkey primary key using index payout_uses_by_subject;

alter table payout_moves
  add foreign key (merchant_id, livemode, payout_id) references payouts (merchant_id, livemode, id) not valid;
alter table payout_requests
  add foreign key (merchant_id, livemode, payout_id) references payouts (merchant_id, livemode, id) not valid;
alter table payout_batch_lines
  add foreign key (merchant_id, livemode, payout_id) references payouts (merchant_id, livemode, id) not valid;
