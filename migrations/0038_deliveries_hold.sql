-- The foreign keys that were put back hold for the rows that were there as well. Reading them holds up no write, and takes the time it takes.
set local lock_timeout = '5s';
set local statement_timeout = 0;
alter table deliveries validate constraint deliveries_merchant_id_livemode_event_id_fkey;
