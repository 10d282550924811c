-- How many entries a merchant's book has, so that a list tells its total without counting a million rows. The triggers keep it
-- with processes of the version before as well. A book that is older than this table has no row until the next migration, and one
-- that changes before then may be below zero.

create table book_sizes (
  merchant_id bigint not null,
  livemode boolean not null,
  active bigint not null,
  archived bigint not null,
  primary key (merchant_id, livemode)
);

-- For each statement and in the order of merchants. Entries of a transaction are locked before any size is, and sizes in one order, so
-- two transactions that write to the same books never wait for each other.
create function count_new_entries() returns trigger
  language plpgsql as $$
declare
  book record;
begin
  for book in
    select merchant_id, livemode, count(*) filter (where active) as active, count(*) filter (where not active) as archived
      from new_entries
     group by merchant_id, livemode
     order by merchant_id, livemode
  loop
    insert into book_sizes as s (merchant_id, livemode, active, archived)
    values (book.merchant_id, book.livemode, book.active, book.archived)
    on conflict (merchant_id, livemode) do update
       set active = s.active + excluded.active, archived = s.archived + excluded.archived;
  end loop;
  return null;
end $$;

create function count_archived_entry() returns trigger
  language plpgsql as $$
declare
  archived integer := case when new.active then -1 else 1 end;
begin
  insert into book_sizes as s (merchant_id, livemode, active, archived)
  values (new.merchant_id, new.livemode, -archived, archived)
  on conflict (merchant_id, livemode) do update
     set active = s.active + excluded.active, archived = s.archived + excluded.archived;
  return null;
end $$;

create trigger beneficiaries_counted after insert on beneficiaries
  referencing new table as new_entries
  for each statement execute function count_new_entries();
create trigger beneficiaries_archiving_counted after update of active on beneficiaries
  for each row when (old.active is distinct from new.active)
  execute function count_archived_entry();
