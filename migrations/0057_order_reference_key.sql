-- older code: runs
-- Of src/operators: the key from which the references of orders at operators are derived. It never changes and is in every later backup,
-- so that a request that comes again after the database was put back makes the same order. It is not sealed: no migration has SECRET_KEY,
-- and a lost SECRET_KEY must not make other references of it (docs/decisions/0058-one-request-is-one-order.md).

create table order_reference_key (
  only_row boolean primary key default true check (only_row),
  key bytea not null check (octet_length(key) = 32),
  created_at timestamptz not null default clock_now()
);
-- Each of the three has 122 random bits from the server's secure source; the hash makes 32 even bytes of them.
insert into order_reference_key (key)
select sha256(decode(replace(concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), '-', ''), 'hex'));
create trigger order_reference_key_fixed before update or delete on order_reference_key
  for each row execute function refuse_change();

-- The HMAC of the Idempotency-Key, from which the references of its payouts are derived. Null: an earlier version made the row.
alter table payout_requests add column order_key bytea;
alter table payout_batches add column order_key bytea;
