-- Claiming idempotency keys.

-- The number that stands for a key among advisory locks. Two keys that share one could at worst be told "in progress".
create function key_lock(merchant_id bigint, livemode boolean, key text) returns bigint
  language sql stable parallel safe
  return hashtextextended(format('%s %s %s', merchant_id, livemode, key), 0);

-- Claims keys until the transaction ends, and fails with BD001 when another one holds one of them. It never waits.
create function claim_new_keys(keys json) returns void
  language plpgsql as $$
begin
  if exists (
       select from json_to_recordset(keys) as k(merchant_id bigint, livemode boolean, key text)
        where not pg_try_advisory_xact_lock(key_lock(k.merchant_id, k.livemode, k.key))) then
    raise exception 'an idempotency key is in use' using errcode = 'BD001';
  end if;
end $$;
