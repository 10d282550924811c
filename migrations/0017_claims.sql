-- Claiming idempotency keys.

-- The number that stands for a key among advisory locks. Two keys that share one could at worst be told "in progress".
create function key_lock(merchant_id bigint, livemode boolean, key text) returns bigint
  language sql stable parallel safe
  return hashtextextended(format('%s %s %s', merchant_id, livemode, key), 0);

-- Claims a key until the transaction ends, and fails with BD001 when another one holds it. It never waits.
create function claim_new_key(merchant_id bigint, livemode boolean, key text) returns boolean
  language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(key_lock(merchant_id, livemode, key)) then
    raise exception 'an idempotency key is in use' using errcode = 'BD001';
  end if;
  return true;
end $$;
