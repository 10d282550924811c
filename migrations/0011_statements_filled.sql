-- Fills the entries that were written before 0011_statements.sql, and holds all others to it from now on.

-- Along an account the entries that are not filled are the last ones, so that each call continues where the one before
-- ended. The time of an entry becomes that of the one before when it is earlier: a transaction's time is its beginning,
-- and one that began first may have had the lock last. When the transaction began stands in ledger_transactions.
create function fill_ledger_entries() returns void
  language sql
  set enable_seqscan = on set enable_hashjoin = on set enable_mergejoin = on as $$
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
     where a.sequence > coalesce(e.sequence, 0)),
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
   where (e.merchant_id, e.livemode, e.account, e.sequence) = (k.merchant_id, k.livemode, k.account, k.sequence)
$$;

-- First all that is there, while entries are written. Then nobody writes for a moment, and what came meanwhile is filled.
select fill_ledger_entries();
lock table ledger_entries in share row exclusive mode;
select fill_ledger_entries();

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
