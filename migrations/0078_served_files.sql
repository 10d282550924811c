-- older code: runs

-- Of src/sdk: the packages for merchants' programs, as this service has ever given them out. Lock files name their addresses and hashes, so a row
-- never changes and never goes.
create table served_files (
  -- The end of its address: its name, with the version and a part of the hash of its content.
  name text primary key check (length(name) between 1 and 200),
  type text not null,
  bytes bytea not null check (octet_length(bytes) > 0),
  sha512 bytea not null check (octet_length(sha512) = 64)
);
