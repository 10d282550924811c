-- The foreign key holds for the rows that were there as well. Reading them holds up no write, and takes the time it takes.
set local lock_timeout = '5s';
set local statement_timeout = 0;
alter table order_moves validate constraint order_moves_merchant_id_order_id_fkey;
