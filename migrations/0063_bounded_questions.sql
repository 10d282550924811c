-- older code: stops
-- Of src/people: a question for a fresh factor has at most 8 kB. Longer ones of earlier versions are deleted a day after they were asked, so
-- that only new rows are checked.

alter table step_ups
  add constraint step_ups_content_length check (octet_length(content) <= 8192) not valid;
