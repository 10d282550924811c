-- The rows that were there hold as well: reading them holds up no write, and takes the time it takes.
set local lock_timeout = '5s';
set local statement_timeout = 0;
alter table payout_batch_lines validate constraint payout_batch_lines_sent_to_an_entry;
