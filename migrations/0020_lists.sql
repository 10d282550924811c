-- older code: stops

-- Views are how a folder of src/ lets others read its tables in a statement of theirs (tests/repository/owners.test.ts says whose each
-- is). Each is a plain select, which PostgreSQL and Citus merge into the statement that names it: it costs nothing and is planned with
-- the rest. It keeps merchant_id and livemode, by which a statement names its one machine.

-- Of src/merchants.
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

-- Of src/ledger.
create view account_entries as
select merchant_id, livemode, account, sequence, subject_id, operation, amount, balance_after, created_at
  from ledger_entries;
comment on view account_entries is 'The entries of an account in their order: the movements of a statement.';

-- Of src/operators.
create view instruction_progress as
select merchant_id, livemode, subject_id, state, next_action, concluded_at
  from instructions;
comment on view instruction_progress is
  'How far the order to an operator is, and the next action of the payer: for a payment as it is shown.';

create view submitted_codes as
select merchant_id, livemode, subject_id, submitted_at
  from code_submissions;
comment on view submitted_codes is 'The codes that payers typed and we gave to their operator: for the page that waits for the answer.';

create view reported_anomalies as
select merchant_id, livemode, subject_id, kind, id, closed_at
  from anomalies;
comment on view reported_anomalies is
  'What was reported of a payment and does not fit: while it is open, the page promises nothing and a refund asks about it.';

-- Of src/payments.
create view shown_payments as
select p.merchant_id, p.livemode, p.id, p.status, p.operator, right(p.msisdn, 2) as msisdn_end, p.amount, p.amount_collected,
       p.merchant_reference, p.failure_code, p.created_at, p.succeeded_at, p.failed_at,
       (select max(m.transitioned_at)
          from payment_transitions_log m
         where m.merchant_id = p.merchant_id and m.livemode = p.livemode and m.payment_id = p.id) as transitioned_at
  from payments p;
comment on view shown_payments is
  'A payment as pages and statements show it: of the payer''s number only the end, and when the payment moved last.';

-- Of src/payouts and src/payout-batches.
create view stops_in_force as
select scope, value
  from payout_stops
 where lifted_at is null;
comment on view stops_in_force is 'What holds money back that is to go out: asked before each send.';

create view executable_batches as
select merchant_id, livemode, id
  from payout_batches
 where status in ('brouillon', 'en_attente_validation');
comment on view executable_batches is 'The batches that can still be executed, which makes their use of the 24 hours count again.';

-- Of src/refunds, src/adjustments and src/anomalies.
create view refunded_payments as
select merchant_id, livemode, id as refund_id, payment_id
  from refunds;
comment on view refunded_payments is 'The payment that a refund gives back: for the movements of a statement.';

create view refunds_to_conclude as
select merchant_id, livemode, id as refund_id, payment_id, status, created_at
  from refunds
 where status in ('requested', 'processing');
comment on view refunds_to_conclude is
  'Refunds that are with their operator or are to go there: some operators take those of one payment one after another.';

create view approved_adjustments as
select merchant_id, livemode, anomaly_id
  from adjustments
 where status = 'approved';
comment on view approved_adjustments is 'The adjustments that two people agreed on: a refund asks whether one corrected its payment.';

create view credited_anomalies as
select merchant_id, livemode, anomaly_id
  from anomaly_proposals
 where status = 'approved'
   and resolution = 'credit_available';
comment on view credited_anomalies is 'The anomalies whose money was given to the merchant: the payer''s page goes on saying so.';

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

-- Of src/merchants.
create view merchant_names as
select merchant_id, name
  from merchants;
comment on view merchant_names is 'The name of a merchant: for the pages that show a person the merchants where they have a role.';

-- Charts of what grows with every payment and payout. The worker adds to these figures in the transaction in which it lists an operation, so
-- that they are always the sums of listed_operations. Nothing is decided by them.
create table daily_figures (
  merchant_id bigint not null,
  livemode boolean not null,
  kind text not null check (kind in ('payment', 'payout')),
  -- Day of creation in UTC, which is Abidjan's time.
  day date not null,
  -- Empty: none was chosen.
  operator text not null,
  status text not null,
  -- Of those that failed; else empty.
  failure_code text not null,
  -- Of those that succeeded: seconds within which they were confirmed, rounded up to a step; else 0.
  within_seconds integer not null,
  count bigint not null,
  amount bigint not null,
  -- Of those that succeeded; else 0.
  fee_amount bigint not null,
  primary key (merchant_id, livemode, kind, day, operator, status, failure_code, within_seconds)
) with (fillfactor = 70, autovacuum_analyze_scale_factor = 0.5);

create view operators_of_orders as
select merchant_id, livemode, subject_id, coalesce(operator, 'simulator') as operator
  from instructions;
comment on view operators_of_orders is 'The operator of each order: the margin of a day is told by operator.';

create view operators_of_refunds as
select merchant_id, livemode, id, coalesce(operator, 'simulator') as operator
  from refunds;
comment on view operators_of_refunds is 'The operator of each refund: one by hand has no order, and the margin of a day is told by operator.';
