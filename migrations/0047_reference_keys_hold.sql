-- Only vacuums wait for the first lock, and behind it: one that is at work makes room after a second.
set local lock_timeout = '5s';
lock table payments in share update exclusive mode;
set local lock_timeout = '500ms';
alter table payments drop constraint payments_reference_key;
alter index payments_compared_reference_key rename to payments_reference_key;
