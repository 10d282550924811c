-- Rows that nobody needs back are written by COPY, which takes values and no expressions: what was said by the statement is said
-- by the columns.

-- A sweep looks at an instruction whose job it has not heard of.
alter table instructions alter column next_check_at set default clock_now() + interval '60 seconds';
-- An event is delivered at once.
alter table deliveries alter column next_attempt_at set default clock_now();
alter table payout_uses alter column used_at set default clock_now();

-- The number that stands for a key among advisory locks, for which nothing is written into a text first.
create or replace function key_lock(merchant_id bigint, livemode boolean, key text) returns bigint
  language sql stable parallel safe
  return hashtextextended(key, merchant_id * 2 + livemode::integer);

create function refuse_key_in_use() returns boolean
  language plpgsql as $$
begin
  raise exception 'an idempotency key is in use' using errcode = 'BD001';
end $$;

-- Claims a key until the transaction ends, and fails with BD001 when another one holds it. It never waits. An expression,
-- so that it becomes part of the statement that calls it.
create or replace function claim_new_key(merchant_id bigint, livemode boolean, key text) returns boolean
  language sql
  return case
    when pg_try_advisory_xact_lock(key_lock(merchant_id, livemode, key)) then true
    else refuse_key_in_use()
  end;
