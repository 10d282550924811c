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
       (select max(m.moved_at)
          from payment_transitions_log m
         where m.merchant_id = p.merchant_id and m.livemode = p.livemode and m.payment_id = p.id) as moved_at
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
