-- Indexes for the keys of what is written for every payment and payout: they begin with the identifier that we make, which begins with
-- its time, and the merchant follows. New rows then meet at the end of an index, on a page that is at hand, and not each on a page of its
-- merchant's. The next migrations put them in the place of the keys that begin with the merchant.
--
-- The entries of an account and the kinds of events stay together under their merchant, because merchants read them in a row.

create unique index concurrently if not exists payments_by_id on payments (id, merchant_id, livemode);
create unique index concurrently if not exists payment_moves_by_payment
  on payment_moves (payment_id, merchant_id, livemode, number);

create unique index concurrently if not exists instructions_by_subject on instructions (subject_id, merchant_id, livemode);
create unique index concurrently if not exists code_submissions_by_subject
  on code_submissions (subject_id, merchant_id, livemode);
create unique index concurrently if not exists sends_by_subject on sends (subject_id, merchant_id, livemode, attempt);
create unique index concurrently if not exists sends_once_by_subject
  on sends (subject_id, merchant_id, livemode) where not_sent_at is null;
create unique index concurrently if not exists operator_answers_by_subject
  on operator_answers (subject_id, merchant_id, livemode, number);
create index concurrently if not exists simulator_orders_by_reference
  on simulator_orders (reference, merchant_id, livemode);

create unique index concurrently if not exists ledger_transactions_by_subject
  on ledger_transactions (subject_id, merchant_id, livemode, operation);
create unique index concurrently if not exists ledger_entries_by_subject
  on ledger_entries (subject_id, merchant_id, livemode, operation, leg);

create unique index concurrently if not exists events_by_id on events (id, merchant_id, livemode);
create index concurrently if not exists events_by_subject on events (subject_id, merchant_id, livemode, id);
create unique index concurrently if not exists deliveries_by_id on deliveries (id, merchant_id, livemode);
create unique index concurrently if not exists deliveries_by_event
  on deliveries (event_id, merchant_id, livemode, endpoint_id);

create unique index concurrently if not exists payouts_by_id on payouts (id, merchant_id, livemode);
create unique index concurrently if not exists payout_moves_by_payout
  on payout_moves (payout_id, merchant_id, livemode, number);
create unique index concurrently if not exists payout_uses_by_subject on payout_uses (subject_id, merchant_id, livemode);
