-- older code: runs

-- Interruptions, as rules that wake a person saw them, and incidents that a person opened. Of the former one is open at a time, and the rules that
-- fire meanwhile belong to it.
create table incidents (
  id text not null primary key,
  -- When the condition of the first rule began, and when it fired: the clock of the report begins there.
  began_at timestamptz not null,
  detected_at timestamptz not null,
  ended_at timestamptz,
  rules text[] not null,
  -- Of an incident that a person opened.
  opened_by text,
  title text,
  -- A breach of security, which is always a major incident.
  security boolean not null default false,
  -- The hours of the report's clock of which people were told.
  told_hours integer[] not null default '{}'
);
create unique index incidents_one_open on incidents ((ended_at is null)) where ended_at is null and opened_by is null;
create index incidents_by_time on incidents (detected_at);
