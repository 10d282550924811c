-- What people did to the service: who, when, through which door, what, and how it stood before and after. Written in the
-- transaction of the act itself, and never changed. It is small (an act is a person's), so it is one table and not days.
create table audit_log (
  -- 0: the act concerns the service as a whole, such as a stop of all payouts.
  merchant_id bigint not null,
  -- Null: the act concerns both modes.
  livemode boolean,
  id uuid not null default gen_random_uuid(),
  at timestamptz not null default clock_now(),
  -- A person, or `system` for the service itself.
  actor text not null check (length(actor) between 1 and 200),
  -- `command_line`, or `system`.
  door text not null check (length(door) between 1 and 40),
  act text not null check (act ~ '^[a-z_]+(\.[a-z_]+)+$'),
  subject text,
  -- Never a secret, a whole telephone number or a whole account.
  before jsonb,
  after jsonb,
  primary key (merchant_id, at, id)
);
create index audit_log_by_time on audit_log (at, id);
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_not_truncated before truncate on audit_log
  for each statement execute function refuse_change();
