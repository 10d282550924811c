-- A transition is a transition in every table, type and report: the words "moved" of its time and its author go.
alter table payment_transitions_log rename column moved_at to transitioned_at;
alter table payout_transitions_log rename column moved_at to transitioned_at;
alter table refund_transitions_log rename column moved_at to transitioned_at;
alter table checkout_session_transitions_log rename column moved_at to transitioned_at;
alter table settlement_transitions_log rename column moved_at to transitioned_at;
alter table settlement_transitions_log rename column moved_by to transitioned_by;
alter view shown_payments rename column moved_at to transitioned_at;
