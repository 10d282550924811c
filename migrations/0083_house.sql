-- older code: stops
-- The house is merchant 0: accounts of the ledger, without a row in merchants, keys or people. Lines of statements that belong to no merchant are
-- booked there, so that no transaction touches two merchants.

-- Merchant 0 has no row there. `bandama audit` finds an account of a merchant who does not exist.
alter table accounts drop constraint accounts_merchant_id_fkey;
alter table accounts drop constraint accounts_account_check;
alter table accounts add constraint accounts_account_check check (
  account ~ '^held:[a-z][a-z0-9_-]{0,39}$'
  or case when merchant_id = 0
     then account in ('unassigned', 'disputed', 'in_transit', 'own_funds', 'bank_charges', 'losses')
     else account in ('available', 'transfer', 'payouts_in_flight', 'settlements_in_flight', 'fees', 'operator_charges', 'bank')
          or account ~ '^operator:[a-z_]{1,40}$' end);
alter table accounts add constraint accounts_of_the_house check (
  case account when 'unassigned' then balance >= 0 when 'disputed' then balance <= 0 else true end);

-- Of src/reconciliation: the statement's balance from which the comparison of an external account begins.
create table account_openings (
  livemode boolean not null,
  account text not null,
  -- The comparison begins with the day after.
  day date not null,
  -- The statement's closing balance of that day, and its difference to the books then, which is booked to own_funds. In francs.
  balance bigint not null,
  unexplained bigint not null,
  proposal_id text not null unique,
  opened_at timestamptz not null default clock_now(),
  primary key (livemode, account)
);
create trigger account_openings_append_only before update or delete on account_openings
  for each row execute function refuse_change();
create trigger account_openings_not_truncated before truncate on account_openings
  for each statement execute function refuse_change();
