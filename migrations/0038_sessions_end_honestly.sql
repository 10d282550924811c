-- older code: stops

-- A browser is known again at its next sign-in, and wrong passwords are counted by the hour and the day.

-- SHA-256 of the token that a browser keeps over its sign-outs; null: it kept none.
alter table person_sessions
  add column browser_hash bytea check (octet_length(browser_hash) = 32);

-- Passwords tried in one hour for one e-mail address from one place, until one of them is right.
create table wrong_passwords (
  -- SHA-256 of the address of mail as normalizePerson writes it: of somebody or of nobody, which no answer tells.
  email_hash bytea not null check (octet_length(email_hash) = 32),
  -- A browser, network or session that its person is known by; empty: all other places together.
  place text not null,
  -- When the hour began.
  hour timestamptz not null,
  wrong integer not null check (wrong >= 0),
  primary key (email_hash, place, hour)
);
