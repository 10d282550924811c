-- older code: stops

-- Of src/operators: a change of a contract's settings that waits some minutes for the fresh factor of the person who typed it. The question
-- for that factor carries its id alone, so that no secret is written into a page.

create table connector_drafts (
  draft_id text primary key,
  -- The session in which it was typed, and the only one that may carry it out.
  session_id text not null,
  connector text not null,
  -- Sealed under SECRET_KEY, bound to the draft and its session.
  draft_sealed bytea not null,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null
);
