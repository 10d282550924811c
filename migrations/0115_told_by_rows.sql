-- older code: runs

-- Of src/statement-files: what each row of a file told of its line. A withdrawn file takes it back.
alter table statement_rows
  add column occurred_at timestamptz,
  add column our_reference text,
  add column party text,
  add column text text;
-- Rows of several files made the line what it is; `statement_rows` has each of them, the first one too.
alter table statement_lines add column is_merged boolean not null default false;

-- Of src/acts: why the second person refused.
alter table act_proposals add column refusal_reason text
  check (refusal_reason is null or status = 'refused' and length(refusal_reason) between 1 and 500);
