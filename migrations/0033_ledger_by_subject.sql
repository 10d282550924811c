-- Only vacuums wait for the first lock, and behind it: one that is at work makes room after a second. In the order in which those lock
-- who write.
set local lock_timeout = '5s';
lock table ledger_transactions, ledger_entries in share update exclusive mode;
set local lock_timeout = '500ms';
lock table ledger_transactions, ledger_entries in access exclusive mode;

alter table ledger_transactions
  drop constraint ledger_transactions_pkey,
  add constraint ledger_transactions_pkey primary key using index ledger_transactions_by_subject;
alter table ledger_entries
  drop constraint ledger_entries_merchant_id_livemode_subject_id_operation_le_key,
  add constraint ledger_entries_leg_key unique using index ledger_entries_by_subject;
