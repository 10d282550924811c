-- Only vacuums wait for the first lock, and behind it: one that is at work makes room after a second. In the order in which those lock
-- who write.
set local lock_timeout = '5s';
lock table payments, payment_moves, refunds in share update exclusive mode;
set local lock_timeout = '500ms';
lock table payments, payment_moves, refunds in access exclusive mode;

-- The foreign keys are checked for the rows that are there already by a later migration, beside the traffic: all new ones are from here on.
alter table payment_moves drop constraint payment_moves_merchant_id_livemode_payment_id_fkey;
alter table refunds drop constraint refunds_merchant_id_livemode_payment_id_fkey;

alter table payments
  drop constraint payments_pkey,
  add constraint payments_pkey primary key using index payments_by_id;
alter table payment_moves
  drop constraint payment_moves_pkey,
  add constraint payment_moves_pkey primary key using index payment_moves_by_payment;

alter table payment_moves
  add foreign key (merchant_id, livemode, payment_id) references payments (merchant_id, livemode, id) not valid;
alter table refunds
  add foreign key (merchant_id, livemode, payment_id) references payments (merchant_id, livemode, id) not valid;
