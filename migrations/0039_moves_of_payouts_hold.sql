-- The foreign keys that were put back hold for the rows that were there as well. Reading them holds up no write, and takes the time it takes.
set local lock_timeout = '5s';
set local statement_timeout = 0;
alter table payout_moves validate constraint payout_moves_merchant_id_livemode_payout_id_fkey;
alter table payout_batch_lines validate constraint payout_batch_lines_merchant_id_livemode_payout_id_fkey;
alter table payout_requests validate constraint payout_requests_merchant_id_livemode_payout_id_fkey;
