-- Fills the entries that were written before 0011_statements.sql, and holds all others to it from now on.

-- Along an account the entries that are not filled are the last ones, so that each call continues where the one before
-- ended. The time of an entry becomes that of the one before when it is earlier: a transaction's time is its beginning,
-- and one that began first may have had the lock last. When the transaction began stands in ledger_transactions.
create function fill_ledger_entries() returns void
  language plpgsql as $$
begin
  -- Planned anew at each call: the first reads whole tables, the second follows keys to a few entries.
  execute '
    with filled as (
      select a.merchant_id, a.livemode, a.account,
             coalesce(e.sequence, 0) as sequence,
             coalesce(e.credited_after, 0) as credited_after,
             e.created_at
        from accounts a
        left join lateral (
               select sequence, credited_after, created_at
                 from ledger_entries
                where (merchant_id, livemode, account) = (a.merchant_id, a.livemode, a.account)
                  and credited_after is not null
                order by sequence desc
                limit 1) e on true
       where a.sequence > 0 and a.sequence > coalesce(e.sequence, 0)),
    known as (
      select e.merchant_id, e.livemode, e.account, e.sequence,
             f.credited_after + sum(greatest(e.amount, 0)) over along as credited_after,
             greatest(f.created_at, max(e.created_at) over along) as created_at
        from filled f
        join ledger_entries e
          on (e.merchant_id, e.livemode, e.account) = (f.merchant_id, f.livemode, f.account)
         and e.sequence > f.sequence
      window along as (partition by e.merchant_id, e.livemode, e.account order by e.sequence))
    update ledger_entries e
       set credited_after = k.credited_after, created_at = k.created_at
      from known k
     where (e.merchant_id, e.livemode, e.account, e.sequence) = (k.merchant_id, k.livemode, k.account, k.sequence)';
end $$;

-- First all that is there, while entries are written. Then nobody writes for a moment, and what came meanwhile is filled.
-- Whoever writes locks accounts before anything else: who waits for this lock holds nothing that we need.
set local enable_seqscan = on;
set local enable_hashjoin = on;
set local enable_mergejoin = on;
select fill_ledger_entries();
set local enable_seqscan = off;
set local enable_hashjoin = off;
set local enable_mergejoin = off;
lock table accounts in exclusive mode;
select fill_ledger_entries();
update accounts a
   set credited = e.credited_after, booked_at = e.created_at
  from ledger_entries e
 where a.sequence > 0
   and (e.merchant_id, e.livemode, e.account, e.sequence) = (a.merchant_id, a.livemode, a.account, a.sequence);

-- A process of the version before moves a balance and knows nothing of the rest. (One of this version whose clock stands
-- still comes by as well, and finds what it wrote.)
create function follow_last_entry() returns trigger
  language plpgsql as $$
begin
  select credited_after, created_at into new.credited, new.booked_at
    from ledger_entries
   where (merchant_id, livemode, account, sequence) = (new.merchant_id, new.livemode, new.account, new.sequence);
  return new;
end $$;
create trigger accounts_follow_last_entry before update on accounts
  for each row when (new.sequence > old.sequence and new.booked_at is not distinct from old.booked_at)
  execute function follow_last_entry();

create or replace function check_account_balance() returns trigger
  language plpgsql as $$
begin
  if exists (
    select from new_accounts a
    left join ledger_entries e using (merchant_id, livemode, account, sequence)
     where (e.balance_after, e.credited_after, e.created_at) is distinct from (a.balance, a.credited, a.booked_at))
  then
    raise exception 'a balance may only follow its entries' using errcode = 'check_violation';
  end if;
  return null;
end $$;

create or replace function check_ledger_entries() returns trigger
  language plpgsql as $$
declare
  wrong text;
begin
  select n.subject_id into wrong
    from (select merchant_id, livemode, subject_id, operation, count(*) as legs, sum(amount) as total
            from new_entries group by 1, 2, 3, 4) n
    left join ledger_transactions t using (merchant_id, livemode, subject_id, operation)
   where n.total <> 0 or n.legs is distinct from t.legs
   limit 1;
  if wrong is not null then
    raise exception 'the entries of % are not balanced or not complete', wrong using errcode = 'check_violation';
  end if;
  select n.subject_id into wrong
    from new_entries n
    left join ledger_entries p
      on (p.merchant_id, p.livemode, p.account, p.sequence) = (n.merchant_id, n.livemode, n.account, n.sequence - 1)
   where n.balance_after <> coalesce(p.balance_after, 0) + n.amount
      or n.credited_after is distinct from coalesce(p.credited_after, 0) + greatest(n.amount, 0)
      or n.created_at < p.created_at
      or (p.sequence is null and n.sequence <> 1)
   limit 1;
  if wrong is not null then
    raise exception 'the entries of % do not continue their account', wrong using errcode = 'check_violation';
  end if;
  return null;
end $$;

create or replace trigger ledger_entries_append_only before update or delete on ledger_entries
  for each row execute function refuse_change();
drop function refuse_entry_change();
drop function fill_ledger_entries();
