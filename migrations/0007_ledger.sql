-- older code: stops

-- Double entry. A positive amount is a credit, a negative one a debit; a balance is credits less debits. The service's
-- debts (available, transfer, in flight) are therefore positive, and the money that others hold for it (`held:` and the code of an external account)
-- is negative; the sum over all accounts is zero.
--
-- Only src/ledger/post.ts writes here. The triggers hold what it promises with our code out of the way.
create table accounts (
  merchant_id bigint not null,
  livemode boolean not null,
  account text not null,
  balance bigint not null default 0,
  -- Number of the last entry.
  sequence bigint not null default 0 check (sequence >= 0),
  -- Francs credited so far, and the time of the last entry, so that the next one continues them without a look at it.
  credited bigint not null default 0,
  booked_at timestamptz,
  primary key (merchant_id, livemode, account),
  constraint accounts_never_below_zero check (
    balance >= 0 or account not in ('available', 'transfer', 'payouts_in_flight', 'settlements_in_flight')),
  -- Accounts by operator came before those by external account. Nothing is booked there.
  constraint accounts_of_operators_are_closed check (
    balance = 0 or not (account = 'bank' or account like 'operator:%')),
  -- The house is merchant 0, which has no row in merchants, keys or people. Lines of statements that belong to no merchant are booked there, so
  -- that no transaction touches two merchants. `bandama audit` finds an account of a merchant who does not exist.
  constraint accounts_account_check check (
    account ~ '^held:[a-z][a-z0-9_-]{0,39}$'
    or case when merchant_id = 0
       then account in ('unassigned', 'disputed', 'in_transit', 'own_funds', 'bank_charges', 'losses')
       else account in ('available', 'transfer', 'payouts_in_flight', 'settlements_in_flight', 'fees', 'operator_charges', 'bank')
            or account ~ '^operator:[a-z_]{1,40}$' end),
  constraint accounts_of_the_house check (
    case account when 'unassigned' then balance >= 0 when 'disputed' then balance <= 0 else true end)
);

create table ledger_transactions (
  merchant_id bigint not null,
  livemode boolean not null,
  -- The operation, and the payment, payout… it was done to: the same thing cannot be booked twice.
  subject_id text not null,
  operation text not null,
  legs smallint not null check (legs >= 2),
  created_at timestamptz not null default clock_now(),
  primary key (subject_id, merchant_id, livemode, operation)
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);
create trigger ledger_transactions_append_only before update or delete on ledger_transactions
  for each row execute function refuse_change();
create trigger ledger_transactions_not_truncated before truncate on ledger_transactions
  for each statement execute function refuse_change();

create table ledger_entries (
  merchant_id bigint not null,
  livemode boolean not null,
  account text not null,
  sequence bigint not null check (sequence > 0),
  subject_id text not null,
  operation text not null,
  leg smallint not null check (leg > 0),
  amount bigint not null check (amount <> 0),
  balance_after bigint not null,
  -- Francs credited to the account by this entry and all before it. Its debits are this less the balance, so that a
  -- statement of any period is read from its two ends.
  credited_after bigint,
  -- Never goes back along an account.
  created_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, account, sequence),
  constraint ledger_entries_leg_key unique (subject_id, merchant_id, livemode, operation, leg)
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);
create trigger ledger_entries_append_only before update or delete on ledger_entries
  for each row execute function refuse_change();
create trigger ledger_entries_not_truncated before truncate on ledger_entries
  for each statement execute function refuse_change();

-- All legs of a transaction come in one statement, sum to zero, and continue their accounts without a gap. A leg that
-- comes later breaks the count, or the unique number of a leg. That every entry belongs to an account and to a transaction is checked here
-- too, once for a statement: row by row, by foreign keys, it was a tenth of what a payout cost the database. Neither an account nor a
-- transaction can be taken away under its entries: triggers refuse it.
create function check_ledger_entries() returns trigger
  language plpgsql as $$
declare
  wrong text;
begin
  -- A transaction that does not exist has no legs.
  select n.subject_id into wrong
    from (select merchant_id, livemode, subject_id, operation, count(*) as legs, sum(amount) as total
            from new_entries group by 1, 2, 3, 4) n
    left join ledger_transactions t using (merchant_id, livemode, subject_id, operation)
   where n.total <> 0 or n.legs is distinct from t.legs
   limit 1;
  if wrong is not null then
    raise exception 'the entries of % are not balanced or not complete', wrong using errcode = 'check_violation';
  end if;
  select n.subject_id into wrong
    from new_entries n
    left join accounts a using (merchant_id, livemode, account)
    left join ledger_entries p
      on (p.merchant_id, p.livemode, p.account, p.sequence) = (n.merchant_id, n.livemode, n.account, n.sequence - 1)
   where a.account is null
      or n.balance_after <> coalesce(p.balance_after, 0) + n.amount
      or n.credited_after is distinct from coalesce(p.credited_after, 0) + greatest(n.amount, 0)
      or n.created_at < p.created_at
      or (p.sequence is null and n.sequence <> 1)
   limit 1;
  if wrong is not null then
    raise exception 'the entries of % do not continue an account', wrong using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger ledger_entries_balanced after insert on ledger_entries
  referencing new table as new_entries
  for each statement execute function check_ledger_entries();

-- A balance moves only to where an entry has already brought it.
create function check_account_balance() returns trigger
  language plpgsql as $$
begin
  if exists (
    select from new_accounts a
    left join ledger_entries e using (merchant_id, livemode, account, sequence)
     where (e.balance_after, e.credited_after, e.created_at) is distinct from (a.balance, a.credited, a.booked_at))
  then
    raise exception 'a balance may only follow its entries' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger accounts_follow_entries after update on accounts
  referencing new table as new_accounts
  for each statement execute function check_account_balance();

create function check_new_account() returns trigger
  language plpgsql as $$
begin
  raise exception 'an account starts at zero' using errcode = 'check_violation';
end $$;
create trigger accounts_start_at_zero before insert on accounts
  for each row when (new.balance <> 0 or new.sequence <> 0 or new.credited <> 0 or new.booked_at is not null)
  execute function check_new_account();
create trigger accounts_not_deleted before delete on accounts
  for each row execute function refuse_change();
create trigger accounts_not_truncated before truncate on accounts
  for each statement execute function refuse_change();

-- Deposits and transfers that were given a name: the bank's reference or a key. The same name again is the same one.
create table transfer_fillings (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  operation text not null check (operation in ('deposit', 'moved_to_transfer')),
  reference text not null check (length(reference) between 1 and 140),
  amount bigint not null check (amount between 1 and 1000000000000),
  created_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, id)
);
create unique index transfer_fillings_reference
  on transfer_fillings (merchant_id, livemode, operation, bank_reference_in(reference));
create trigger transfer_fillings_append_only before update or delete on transfer_fillings
  for each row execute function refuse_change();
create trigger transfer_fillings_not_truncated before truncate on transfer_fillings
  for each statement execute function refuse_change();
