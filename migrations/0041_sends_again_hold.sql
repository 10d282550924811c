-- The two rules hold for the rows that were there as well. Reading them holds up no write, and takes the time it takes.
set local lock_timeout = '5s';
set local statement_timeout = 0;
alter table instructions validate constraint instructions_not_prepared_again;
alter table sends validate constraint sends_terms;
