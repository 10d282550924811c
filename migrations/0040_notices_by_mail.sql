-- older code: stops

-- Of src/people: what a person is told by mail. Nothing waits for a mail, and whatever it tells stands on a screen too.

-- The kinds of notices that a person has switched off; all others come.
create table muted_notices (
  person_id text not null references persons,
  kind text not null,
  primary key (person_id, kind)
);

-- A mail about one event to one person: once at most, however often its job runs.
create table notice_mails (
  -- Of the event.
  notice_id uuid not null,
  person_id text not null references persons,
  kind text not null,
  -- The notice as it is written: no secret, no number, no amount.
  notice jsonb not null,
  created_at timestamptz not null default clock_now(),
  -- The mail server is being told; null: not yet, or it surely has not taken the mail. One that stays so is not sent again.
  begun_at timestamptz,
  ended_at timestamptz,
  -- unclear: the connection broke when the server may have taken it. refused: the server will never take it. too_old: a day has passed.
  -- left: the person has no role at the merchant any more.
  outcome text check (outcome in ('sent', 'unclear', 'refused', 'too_old', 'left')),
  primary key (notice_id, person_id),
  check ((ended_at is null) = (outcome is null))
);
create index notice_mails_of_person on notice_mails (person_id, created_at);
