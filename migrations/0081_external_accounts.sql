-- older code: runs
-- Of src/external-accounts: the accounts that others keep for the service, each with statements of its own, and the calendar of business days.
-- Older code makes no wallet for a new connector; a later file makes the missing ones.

create table external_accounts (
  livemode boolean not null,
  -- Names the account for ever, in commands and in the ledger (`held:<code>`).
  code text not null check (code ~ '^[a-z][a-z0-9_-]{0,39}$'),
  kind text not null check (kind in ('wallet', 'bank', 'safeguarding')),
  -- Of a wallet: the connector whose orders move its money.
  connector text,
  -- Of a wallet, the orders that it takes. Empty: those that no other wallet of its connector names.
  directions text[] not null default '{}'
    check (directions <@ array['collect', 'payout', 'refund'] and cardinality(directions) <= 3),
  -- An order that began earlier stays with the connector's other wallet, so that one order is never booked in two.
  orders_from timestamptz not null,
  -- The holder's number of the account, sealed under SECRET_KEY, and its last four characters. Null: not told.
  number_sealed bytea,
  number_end text check (length(number_end) between 1 and 4),
  -- How its statement files are read. Null: each import says it.
  profile text check (profile ~ '^[a-z][a-z0-9_]{0,39}$'),
  -- Whether a statement is expected for every day or for every business day, and after how many such days a movement is late.
  due text not null check (due in ('daily', 'business')),
  late_days smallint not null check (late_days between 0 and 30),
  opened_on date not null default (clock_now() at time zone 'UTC')::date,
  created_by text not null,
  created_at timestamptz not null default clock_now(),
  primary key (livemode, code),
  constraint external_accounts_wallet check (
    case kind when 'wallet' then connector is not null else connector is null and directions = '{}' end),
  constraint external_accounts_number check ((number_sealed is null) = (number_end is null))
);
-- A connector has one wallet for what no other takes.
create unique index external_accounts_rest on external_accounts (livemode, connector) where directions = '{}';
-- And one for each direction, also when two people create wallets at once.
create unique index external_accounts_collect on external_accounts (livemode, connector) where 'collect' = any(directions);
create unique index external_accounts_payout on external_accounts (livemode, connector) where 'payout' = any(directions);
create unique index external_accounts_refund on external_accounts (livemode, connector) where 'refund' = any(directions);
create trigger external_accounts_fixed before update or delete on external_accounts
  for each row execute function refuse_change();
create trigger external_accounts_not_truncated before truncate on external_accounts
  for each statement execute function refuse_change();

insert into external_accounts (livemode, code, kind, connector, orders_from, due, late_days, created_by)
values (false, 'bank', 'bank', null, '1970-01-01Z', 'business', 3, 'system'),
       (true, 'bank', 'bank', null, '1970-01-01Z', 'business', 3, 'system'),
       (false, 'simulator', 'wallet', 'simulator', '1970-01-01Z', 'daily', 1, 'system');

-- Opens the wallet of a connector, under its name or, if another account has that, under the next free one.
create function open_wallet(of_livemode boolean, of_connector text, by text) returns void
  language sql as $$
  insert into external_accounts (livemode, code, kind, connector, orders_from, due, late_days, created_by)
  select of_livemode, free.code, 'wallet', of_connector, timestamptz '1970-01-01Z', 'daily', 1, by
    from (select named.code
            from generate_series(0, 99) as tried(at)
           cross join lateral (select case at when 0 then of_connector else left(of_connector, 30) || '-wallet' || at end) as named(code)
           where not exists (select from external_accounts e where e.livemode = of_livemode and e.code = named.code)
           order by at
           limit 1) free
   where not exists (
         select from external_accounts e
          where e.livemode = of_livemode and e.connector = of_connector and e.directions = '{}')
$$;

select open_wallet(livemode, name, 'system') from connectors order by name;

-- The days that differ from the calendar which the code computes: holidays that follow the moon, and days that a decree declares.
create table calendar_days (
  day date primary key,
  business boolean not null,
  name text check (length(name) between 1 and 80),
  changed_by text not null,
  changed_at timestamptz not null default clock_now(),
  constraint calendar_days_named check (business = (name is null))
);
