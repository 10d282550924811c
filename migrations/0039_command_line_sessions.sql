-- older code: stops

-- A person signs the command line in as they sign a browser in: the same table, and a token that opens nothing at the other door.

alter table person_sessions
  add column door text not null default 'console' check (door in ('console', 'command_line'));
