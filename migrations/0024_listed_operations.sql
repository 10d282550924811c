-- older code: stops

-- Lists and search of what grows with every payment and payout. The tables that money writes have no index on their merchant; this one has,
-- and the worker fills it behind them. Nothing is decided by it.

create table listed_operations (
  merchant_id bigint not null,
  livemode boolean not null,
  kind text not null check (kind in ('payment', 'payout')),
  id text not null,
  -- Number of moves that the operation had made when it was listed last: a later one takes the place of an earlier one, never the reverse.
  version integer not null,
  status text not null,
  amount bigint not null,
  operator text,
  -- The last four digits of the payer's or the beneficiary's number. The whole number stands in the operation alone.
  last4 text,
  -- The merchant's reference of a payout as it is compared. That of a payment has an index of its own (payments_reference_key).
  compared_reference text,
  -- Of one that failed.
  failure_code text
) with (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.5);
-- The included columns are looked at without the row, when two filters are given and few match both.
create index listed_operations_by_status on listed_operations (merchant_id, livemode, kind, status, id) include (operator, amount);
create index listed_operations_by_operator on listed_operations (merchant_id, livemode, kind, operator, id) include (amount);
create index listed_operations_by_amount on listed_operations (merchant_id, livemode, kind, amount, id);
create index listed_operations_by_last4 on listed_operations (merchant_id, livemode, kind, last4, id) where last4 is not null;
create index listed_operations_by_reference
  on listed_operations (merchant_id, livemode, kind, compared_reference, id) where compared_reference is not null;
create index listed_operations_by_failure
  on listed_operations (merchant_id, livemode, kind, failure_code, id) include (operator, amount) where failure_code is not null;
-- Last, because of indexes that seem to cost the same PostgreSQL takes the youngest: in a table that is still empty, that is all of them.
alter table listed_operations add primary key (merchant_id, livemode, kind, id) include (amount);

-- How far the worker has come in each source.
create table listing_progress (
  source text primary key,
  -- Everything with a smaller identifier stands in listed_operations.
  before_id text not null
);
insert into listing_progress (source, before_id) values
  ('new payments', ''),
  ('new payouts', ''),
  ('new events', ''),
  ('payments again', ''),
  ('payouts again', '');

-- The operations as lists show them, each view of the owner of its table. All have the same columns, so that one statement reads any of them,
-- and `version`, the number of moves, where they are listed. `parent_id` is the batch of a payout and the payment of a refund.

create view payment_listing as
select merchant_id, livemode, id, transition_count as version, status, amount, fee_amount, operator, msisdn, right(msisdn, 4) as last4,
       null::text as name, merchant_reference as reference, coalesce(reference_key, merchant_reference) as compared_reference, description,
       failure_code, null::text as parent_id, created_at, coalesce(succeeded_at, failed_at) as concluded_at
  from payments;
comment on view payment_listing is 'Payments as lists, search and exports show them.';

create view payout_listing as
select merchant_id, livemode, id, transition_count as version, status, amount, fee_amount, operator, msisdn, right(msisdn, 4) as last4,
       coalesce(name, label) as name, reference, comparable_reference(reference) as compared_reference, null::text as description,
       failure_code, batch_id as parent_id, created_at, null::timestamptz as concluded_at
  from payouts;
comment on view payout_listing is 'Payouts as lists, search and exports show them.';

create view batch_listing as
select merchant_id, livemode, id, status, total_amount as amount, null::bigint as fee_amount, null::text as operator, null::text as msisdn,
       null::text as last4, null::text as name, reference, comparable_reference(reference) as compared_reference,
       null::text as description, null::text as failure_code, null::text as parent_id, created_at, finished_at as concluded_at
  from payout_batches;
comment on view batch_listing is 'Batches as lists, search and exports show them.';

create view settlement_listing as
select merchant_id, livemode, id, status, amount, null::bigint as fee_amount, operator, null::text as msisdn, last4, name,
       bank_reference as reference, comparable_reference(bank_reference) as compared_reference, rejection_reason as description,
       null::text as failure_code, null::text as parent_id, created_at, coalesce(paid_at, rejected_at) as concluded_at
  from settlements;
comment on view settlement_listing is 'Settlements as lists, search and exports show them.';

create view refund_listing as
select merchant_id, livemode, id, status, amount, fee_amount, operator, null::text as msisdn, null::text as last4, null::text as name,
       null::text as reference, null::text as compared_reference, reason as description, failure_code, payment_id as parent_id, created_at,
       concluded_at
  from refunds;
comment on view refund_listing is 'Refunds as lists, search and exports show them.';

create view quoted_references as
select merchant_id, livemode, reference, subject_id
  from operator_references;
comment on view quoted_references is 'The references that operators quote to merchants and payers: search finds an operation by them.';

create view event_subjects as
select merchant_id, livemode, id, type, subject_id
  from events;
comment on view event_subjects is
  'What each event is about, without its body: the worker learns from it of every move of a payment or payout that is listed already.';
