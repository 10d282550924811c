-- older code: stops

-- Of src/app/secret-key: a digest under SECRET_KEY, one row. Where there is a connector, a start with another key is refused before it
-- hands out addresses that the right key does not know, or fails to read the secrets of connectors and endpoints.

create table secret_key_check (
  only_row boolean primary key default true check (only_row),
  digest bytea not null check (length(digest) = 32),
  created_at timestamptz not null default clock_now()
);
