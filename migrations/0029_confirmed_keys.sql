-- older code: stops

-- Keys that a person makes in the console: their name, the people behind them, and a second person for those that send money.

alter table api_keys
  -- As its merchant calls it; null: made by a command.
  add column name text check (length(name) between 1 and 100),
  -- Null: made before people were noted.
  add column created_by text,
  -- Made in the console to send money: it works once a second person has confirmed it.
  add column needs_confirmation boolean not null default false,
  add column confirmed_by text,
  add column confirmed_at timestamptz,
  add column revoked_by text,
  -- Of the last call with it, to the minute.
  add column last_used_at timestamptz,
  add column last_used_address inet,
  add constraint api_keys_confirmation_check check ((confirmed_by is null) = (confirmed_at is null)),
  add constraint api_keys_two_people_check check (
    not needs_confirmation or (created_by is not null and (confirmed_by is null or person_in(confirmed_by) <> person_in(created_by))));
