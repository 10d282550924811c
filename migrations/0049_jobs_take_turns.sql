-- Merchants take turns within a line: twelve thousand payouts of one to an operator keep nobody else's from it. Jobs of several
-- merchants together have no owner, and are one more among those that take turns.
alter table jobs add column owner text not null default '';
-- How many operations it carries: an owner has so many of them in hand at most.
alter table jobs add column weight integer not null default 1;
create index jobs_in_turns on jobs (lane, line, owner, run_at) where locked_by is null;
drop index jobs_of_line;

-- Of a group that waits, the merchant when all of it is one merchant's.
alter table waiting_collections add column owner text not null default '';
