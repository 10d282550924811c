-- older code: runs

-- Of src/merchants: whether two people of the company have checked a merchant. Until then it has limits of its own in live mode.
alter table merchants add column is_checked boolean not null default true;
create or replace view merchant_modes as
select m.merchant_id, modes.livemode, m.is_checked or not modes.livemode as is_checked
  from merchants m
 cross join (values (false), (true)) as modes (livemode);
comment on view merchant_modes is
  'Every merchant in each mode, with whether it may operate there without the limits of an unchecked one: to look up under each what only a key that begins with the merchant finds.';

-- Of src/payments: the payments in live mode of merchants that nobody has checked, for the sum of a day. Those that failed do not count.
create table unchecked_payments (
  merchant_id bigint not null,
  livemode boolean not null check (livemode),
  day date not null,
  payment_id text not null,
  amount bigint not null check (amount > 0),
  primary key (merchant_id, livemode, day, payment_id)
);
