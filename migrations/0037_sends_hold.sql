-- The foreign keys that were put back hold for the rows that were there as well. Reading them holds up no write, and takes the time it takes.
set local lock_timeout = '5s';
set local statement_timeout = 0;
alter table sends validate constraint sends_merchant_id_livemode_subject_id_fkey;
alter table code_submissions validate constraint code_submissions_merchant_id_livemode_subject_id_fkey;
