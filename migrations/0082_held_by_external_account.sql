-- older code: stops
-- The ledger holds money by external account (`held:<code>`), as statements do, in place of by operator (`operator:<code>`, `bank`). No entry is
-- rewritten: one transaction of each merchant and mode, `held_moved`, brings every old account to zero and each franc to the wallet of the connector
-- that moved it.

-- The time of this file grows with the entries. Every reader of the ledger waits meanwhile, so it takes its locks first, and fails at once and is tried
-- again where it cannot.
set local statement_timeout = 0;
lock table accounts, refunds, adjustments in access exclusive mode;

-- Wallets of connectors that older code has set meanwhile.
select open_wallet(livemode, name, 'system') from connectors order by name;

alter table accounts drop constraint accounts_account_check;
alter table accounts add constraint accounts_account_check check (
  account in ('available', 'transfer', 'payouts_in_flight', 'settlements_in_flight', 'fees', 'operator_charges')
  or account ~ '^held:[a-z][a-z0-9_-]{0,39}$'
  or account = 'bank' or account ~ '^operator:[a-z_]{1,40}$');

-- The wallet of what no order explains, such as an adjustment against an operator: that of the connector of this very name, else of the one to which
-- its collections go now, else its payouts, else any connector of the mode.
create function pg_temp.usual_account(of_merchant bigint, of_livemode boolean, of_operator text) returns text
  language sql stable as $$
  with usual as (
    select coalesce(
      (select name from connectors where livemode = of_livemode and name = of_operator),
      (select connectors[1] from routes
        where livemode = of_livemode and operator = of_operator and merchant_id in (0, of_merchant)
        order by direction <> 'collect', direction <> 'payout', merchant_id desc limit 1),
      case when not of_livemode then 'simulator' end,
      (select name from connectors where livemode = of_livemode order by created_at, name limit 1)) as connector
  )
  select 'held:' || coalesce(
    (select e.code from usual u join external_accounts e
        on (e.livemode, e.connector) = (of_livemode, u.connector) and e.directions = '{}'), 'bank')
$$;

create temporary table held_legs on commit drop as
with entries as (
  -- The order of an entry: its own, that of the payment which a refund by hand returns, or that of the anomaly which an adjustment or a return by hand closes.
  select e.merchant_id, e.livemode, substr(e.account, 10) as operator, e.amount,
         -- Without a connector, an order of test mode ended by a scenario of the simulator.
         coalesce(i.connector, case when i.subject_id is not null and not e.livemode then 'simulator' end) as connector
    from ledger_entries e
    left join refunds r
      on (r.merchant_id, r.livemode, r.id) = (e.merchant_id, e.livemode, e.subject_id)
    left join adjustments d
      on (d.merchant_id, d.livemode, d.id) = (e.merchant_id, e.livemode, e.subject_id)
    left join anomalies a
      on (a.merchant_id, a.livemode, a.id) = (e.merchant_id, e.livemode, coalesce(d.anomaly_id, e.subject_id))
    left join instructions i
      on (i.subject_id, i.merchant_id, i.livemode) = (coalesce(r.payment_id, a.subject_id, e.subject_id), e.merchant_id, e.livemode)
   where e.account like 'operator:%'
),
sums as (
  select merchant_id, livemode, operator, connector, sum(amount)::bigint as amount
    from entries
   group by 1, 2, 3, 4
),
moved as (
  select s.merchant_id, s.livemode, coalesce('held:' || w.code, pg_temp.usual_account(s.merchant_id, s.livemode, s.operator)) as account, s.amount
    from sums s
    left join external_accounts w
      on (w.livemode, w.connector) = (s.livemode, s.connector) and w.directions = '{}'
   union all
  select merchant_id, livemode, 'held:bank', balance from accounts where account = 'bank'
   union all
  select merchant_id, livemode, account, -balance from accounts where account = 'bank' or account like 'operator:%'
)
select merchant_id, livemode, account, sum(amount)::bigint as amount,
       row_number() over (partition by merchant_id, livemode order by account)::smallint as leg
  from moved
 group by merchant_id, livemode, account
having sum(amount) <> 0;

insert into accounts (merchant_id, livemode, account)
select merchant_id, livemode, account from held_legs order by merchant_id, livemode, account
on conflict do nothing;
-- Every merchant has the account of the bank from the beginning.
insert into accounts (merchant_id, livemode, account)
select merchant_id, livemode, 'held:bank' from accounts where account = 'bank' order by merchant_id, livemode
on conflict do nothing;

insert into ledger_transactions (merchant_id, livemode, subject_id, operation, legs)
select merchant_id, livemode, 'held_moved', 'held_moved', count(*)
  from held_legs
 group by merchant_id, livemode;

insert into ledger_entries (merchant_id, livemode, account, sequence, subject_id, operation, leg, amount, balance_after, credited_after, created_at)
select l.merchant_id, l.livemode, l.account, a.sequence + 1, 'held_moved', 'held_moved', l.leg, l.amount, a.balance + l.amount,
       a.credited + greatest(l.amount, 0), greatest(clock_now(), a.booked_at)
  from held_legs l
  join accounts a using (merchant_id, livemode, account);

update accounts a
   set balance = e.balance_after, credited = e.credited_after, sequence = e.sequence, booked_at = e.created_at
  from ledger_entries e
 where e.subject_id = 'held_moved' and e.operation = 'held_moved'
   and (e.merchant_id, e.livemode, e.account) = (a.merchant_id, a.livemode, a.account);

-- Nothing is ever booked there again. The rows stay for the entries before.
alter table accounts add constraint accounts_of_operators_are_closed check (
  balance = 0 or not (account = 'bank' or account like 'operator:%'));

-- Of src/refunds: the external account that a refund's money left, and to which it returns if the refund fails.
alter table refunds add column wallet text;
update refunds r
   set wallet = coalesce(
     (select w.code
        from instructions i
        join external_accounts w on (w.livemode, w.connector) = (i.livemode, i.connector) and w.directions = '{}'
       where (i.subject_id, i.merchant_id, i.livemode) = (r.payment_id, r.merchant_id, r.livemode)),
     substr(pg_temp.usual_account(r.merchant_id, r.livemode, coalesce(r.operator, 'simulator')), 6))
 where status in ('requested', 'processing', 'manual');
alter table refunds add constraint refunds_wallet check (wallet is not null or status in ('succeeded', 'failed'));

-- Of src/adjustments: those that wait are booked against the account that follows theirs.
alter table adjustments drop constraint adjustments_counterpart_check;
alter table adjustments add constraint adjustments_counterpart_check check (
  counterpart in ('fees', 'bank') or counterpart ~ '^operator:[a-z_]{1,40}$' or counterpart ~ '^held:[a-z][a-z0-9_-]{0,39}$');
alter table adjustments disable trigger adjustments_decided_once;
update adjustments
   set counterpart = case counterpart when 'bank' then 'held:bank'
                     else pg_temp.usual_account(merchant_id, livemode, substr(counterpart, 10)) end
 where status = 'proposed' and counterpart <> 'fees';
alter table adjustments enable trigger adjustments_decided_once;

create view operators_of_orders as
select merchant_id, livemode, subject_id, coalesce(operator, 'simulator') as operator
  from instructions;
comment on view operators_of_orders is 'The operator of each order: the margin of a day is told by operator.';

create view operators_of_refunds as
select merchant_id, livemode, id, coalesce(operator, 'simulator') as operator
  from refunds;
comment on view operators_of_refunds is 'The operator of each refund: one by hand has no order, and the margin of a day is told by operator.';
