-- older code: stops

-- Whether a name is that of a number's holder. Only an operator's word is kept, never the name that it holds.

-- How often a merchant had a number checked lately, so that a name is not found by trying. The number is a keyed hash of it.
create table recipient_checks (
  merchant_id bigint not null references merchants,
  livemode boolean not null,
  number_hash bytea not null check (length(number_hash) = 32),
  began_at timestamptz not null,
  checks integer not null check (checks > 0),
  primary key (merchant_id, livemode, number_hash)
);

-- The lines of a batch may be checked before it is executed.
alter table payout_batch_lines
  -- Since when an operator is asked about this line; null: nobody is.
  add column name_check_asked_at timestamptz,
  -- The operator's word and its time, or those of nobody who could tell.
  add column name_check text check (name_check in ('match', 'close', 'no_match', 'unknown')),
  add column name_checked_at timestamptz,
  add constraint payout_batch_lines_name_check check ((name_check is null) = (name_checked_at is null));

-- A line that is sent elsewhere than it was loses its check.
create function forget_name_check() returns trigger
  language plpgsql as $$
begin
  new.name_check_asked_at := null;
  new.name_check := null;
  new.name_checked_at := null;
  return new;
end $$;
create trigger payout_batch_lines_amended before update of msisdn, operator, name on payout_batch_lines
  for each row when ((old.msisdn, old.operator, old.name) is distinct from (new.msisdn, new.operator, new.name))
  execute function forget_name_check();
