-- Views are how a folder of src/ lets others read its tables in a statement of theirs (tests/repository/owners.test.ts says whose each
-- is). Each is a plain select, which PostgreSQL and Citus merge into the statement that names it: it costs nothing and is planned with
-- the rest. It keeps merchant_id and livemode, by which a statement names its one machine.

create view merchant_standing as
select merchant_id, active
  from merchants;
comment on view merchant_standing is 'Whether a merchant may operate: for the keys, which are asked about it at every call.';

create view merchant_modes as
select m.merchant_id, modes.livemode
  from merchants m
 cross join (values (false), (true)) as modes (livemode);
comment on view merchant_modes is
  'Every merchant in each mode: to look up under each what only a key that begins with the merchant finds.';
