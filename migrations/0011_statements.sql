-- What lets a statement of any period be read from its two ends: how much an account was credited with so far stands in
-- each entry, and the time of entries never goes back along an account. docs/decisions/0035 says why.
--
-- Two files. This one takes its locks for a moment only. The next one fills what is there, with traffic going on.

-- Francs credited to the account by this entry and all before it. What it was debited with is this less the balance.
alter table ledger_entries add column credited_after bigint;
-- The same of the last entry, and its time, so that the next one continues them without a look at it.
alter table accounts
  add column credited bigint not null default 0,
  add column booked_at timestamptz;
create or replace trigger accounts_start_at_zero before insert on accounts
  for each row when (new.balance <> 0 or new.sequence <> 0 or new.credited <> 0 or new.booked_at is not null)
  execute function check_new_account();

-- A process of the version before writes entries without the new column until it is replaced. Of an entry after one that
-- is not filled yet, nothing can be said yet either.
create function continue_ledger_entry() returns trigger
  language plpgsql as $$
declare
  previous record;
begin
  select credited_after, created_at into previous
    from ledger_entries
   where (merchant_id, livemode, account, sequence) = (new.merchant_id, new.livemode, new.account, new.sequence - 1);
  new.credited_after :=
    case new.sequence when 1 then 0 else previous.credited_after end + greatest(new.amount, 0);
  new.created_at := greatest(new.created_at, previous.created_at);
  return new;
end $$;
create trigger ledger_entries_continued before insert on ledger_entries
  for each row when (new.credited_after is null) execute function continue_ledger_entry();

-- The one change of an entry that there will ever be: what was not known yet is filled in, once. The next file ends it.
create function refuse_entry_change() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.credited_after is null and new.credited_after is not null
    and (new.merchant_id, new.livemode, new.account, new.sequence, new.subject_id, new.operation, new.leg, new.amount,
         new.balance_after)
      = (old.merchant_id, old.livemode, old.account, old.sequence, old.subject_id, old.operation, old.leg, old.amount,
         old.balance_after)
    and new.created_at >= old.created_at
  then
    return new;
  end if;
  raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;
create or replace trigger ledger_entries_append_only before update or delete on ledger_entries
  for each row execute function refuse_entry_change();
