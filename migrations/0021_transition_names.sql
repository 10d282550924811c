-- older code: stops

-- A transition is a transition in every table, type and report: the words "moved" of its time and its author go.
alter table payment_transitions_log rename column moved_at to transitioned_at;
alter table payout_transitions_log rename column moved_at to transitioned_at;
alter table refund_transitions_log rename column moved_at to transitioned_at;
alter table checkout_session_transitions_log rename column moved_at to transitioned_at;
alter table settlement_transitions_log rename column moved_at to transitioned_at;
alter table settlement_transitions_log rename column moved_by to transitioned_by;

-- Made anew, because Citus goes on telling its machines the former name of a view's column that is renamed.
drop view shown_payments;
create view shown_payments as
select p.merchant_id, p.livemode, p.id, p.status, p.operator, right(p.msisdn, 2) as msisdn_end, p.amount, p.amount_collected,
       p.merchant_reference, p.failure_code, p.created_at, p.succeeded_at, p.failed_at,
       (select max(m.transitioned_at)
          from payment_transitions_log m
         where m.merchant_id = p.merchant_id and m.livemode = p.livemode and m.payment_id = p.id) as transitioned_at
  from payments p;
comment on view shown_payments is
  'A payment as pages and statements show it: of the payer''s number only the end, and when the payment moved last.';
