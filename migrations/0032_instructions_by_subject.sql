-- Only vacuums wait for the first lock, and behind it: one that is at work makes room after a second. In the order in which those lock
-- who write.
set local lock_timeout = '5s';
lock table instructions, sends, code_submissions, operator_answers, simulator_orders in share update exclusive mode;
set local lock_timeout = '500ms';
lock table instructions, sends, code_submissions, operator_answers, simulator_orders in access exclusive mode;

-- As for payments.
alter table sends drop constraint sends_merchant_id_livemode_subject_id_fkey;
alter table code_submissions drop constraint code_submissions_merchant_id_livemode_subject_id_fkey;

alter table instructions
  drop constraint instructions_pkey,
  add constraint instructions_pkey primary key using index instructions_by_subject;
alter table code_submissions
  drop constraint code_submissions_pkey,
  add constraint code_submissions_pkey primary key using index code_submissions_by_subject;
alter table sends
  drop constraint sends_pkey,
  add constraint sends_pkey primary key using index sends_by_subject;
drop index sends_once;
alter index sends_once_by_subject rename to sends_once;
alter table operator_answers
  drop constraint operator_answers_pkey,
  add constraint operator_answers_pkey primary key using index operator_answers_by_subject;
drop index simulator_orders_reference;
alter index simulator_orders_by_reference rename to simulator_orders_reference;

alter table sends
  add foreign key (merchant_id, livemode, subject_id) references instructions (merchant_id, livemode, subject_id) not valid;
alter table code_submissions
  add foreign key (merchant_id, livemode, subject_id) references instructions (merchant_id, livemode, subject_id) not valid;
