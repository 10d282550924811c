-- Jobs of one line hold up no job of another, however many wait: those that call one operator are a line. Each is taken by the
-- beginning of its own part of the index.
alter table jobs add column line text not null default '';
create index jobs_of_line on jobs (lane, line, run_at) where locked_by is null;
drop index jobs_due;
