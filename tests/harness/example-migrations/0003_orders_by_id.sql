-- Only vacuums wait for the first lock, and behind it: one that is at work makes room after a second. Both locks are taken in the order
-- in which writers take theirs.
set local lock_timeout = '5s';
lock table orders, order_moves in share update exclusive mode;
set local lock_timeout = '500ms';
lock table orders, order_moves in access exclusive mode;

-- The next file checks the foreign key for the rows that are there, beside the traffic. For all new rows it holds from here on.
alter table order_moves drop constraint order_moves_merchant_id_order_id_fkey;
alter table orders
  drop constraint orders_pkey,
  add constraint orders_pkey primary key using index orders_by_id;
alter table order_moves
  drop constraint order_moves_pkey,
  add constraint order_moves_pkey primary key using index order_moves_by_order,
  add foreign key (merchant_id, order_id) references orders (merchant_id, id) not valid;
