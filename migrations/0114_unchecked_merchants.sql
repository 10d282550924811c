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

-- What an unchecked merchant may not do is said by its name, on the page of a withdrawal at a fixed hour and of an approval by a merchant's only person.
alter table settlement_schedules drop constraint settlement_schedules_last_outcome_check;
alter table settlement_schedules add constraint settlement_schedules_last_outcome_check
  check (last_outcome in ('asked', 'no_destination', 'unchecked', 'cooling', 'too_little', 'merchant_inactive'));
alter table solo_approvals drop constraint solo_approvals_refusal_check;
alter table solo_approvals add constraint solo_approvals_refusal_check
  check (refusal in ('insufficient_funds', 'merchant_inactive', 'beneficiary_archived', 'unchecked'));
