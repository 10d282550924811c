-- The line of an act says from where it came, and by which proof the person agreed to it.

alter table audit_log
  -- The client's address; null: a command on the host itself, or the service.
  add column from_address inet,
  -- The fresh factor by which the person agreed to this very act; null: none was asked for.
  add column step_up_id text;
