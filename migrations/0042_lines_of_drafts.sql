-- A draft no longer brings its destinations to the book: an inline line has no entry until the batch is executed. So that the execution
-- sees whether the number was archived meanwhile, the line keeps how many entries of that number were archived when the draft was made;
-- null for a line from the book, and for those of drafts that an earlier version made, whose numbers were in the book.
alter table payout_batch_lines
  alter column beneficiary_id drop not null,
  add column archived_before integer check (archived_before >= 0),
  add constraint payout_batch_lines_sent_to_an_entry
    check (beneficiary_id is not null or (is_inline and payout_id is null)) not valid;
