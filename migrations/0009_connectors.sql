-- older code: stops

-- Contracts with operators, and the way that operations take through them. Small tables of the whole service, which every process
-- reads whole. Nothing of them is asked on the way of a payment.
create table connectors (
  -- Names the contract in routes, in the journal and in the address of its callbacks: it never names another one.
  name text primary key check (name ~ '^[a-z][a-z0-9_-]{0,39}$'),
  type text not null,
  livemode boolean not null,
  -- Counts the settings that it has had.
  generation integer not null default 1 check (generation > 0),
  -- An operator that signs nothing is told an address that ends in this token. Sealed as the settings are.
  callback_token_sealed bytea not null,
  created_by text not null,
  created_at timestamptz not null default clock_now(),
  changed_by text not null,
  changed_at timestamptz not null default clock_now(),
  -- No route leads to a removed one. It stays, with its settings, for what it has collected or sent.
  removed_by text,
  removed_at timestamptz,
  -- The tariff of charges and the bounds of the float, as the settings name them. Nothing of them is secret.
  terms jsonb not null default '{}',
  -- When a worker last took it up to ask for the balance.
  balance_asked_at timestamptz,
  -- Whether the last check of the settings in force named a problem.
  check_fails boolean not null default false,
  constraint connectors_removal check ((removed_by is null) = (removed_at is null))
);
create trigger connectors_kept before delete on connectors
  for each row execute function refuse_change();

-- Sealed under SECRET_KEY, each bound to its row. Replaced ones verify callbacks for another day.
create table connector_settings (
  connector text not null,
  generation integer not null,
  settings_sealed bytea not null,
  replaced_at timestamptz,
  primary key (connector, generation)
);

-- Of an operator and a direction, the connectors in the order in which they are taken, and bounds narrower than the operator's own.
create table routes (
  -- 0: everybody who has no route of their own.
  merchant_id bigint not null check (merchant_id >= 0),
  livemode boolean not null,
  operator text not null,
  direction text not null check (direction in ('collect', 'payout', 'refund')),
  connectors text[] not null check (cardinality(connectors) between 1 and 8),
  -- In francs. Null: as the operator has it.
  amount_min bigint check (amount_min > 0),
  amount_max bigint check (amount_max > 0),
  changed_by text not null,
  changed_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, operator, direction),
  constraint routes_bounds check (amount_min <= amount_max)
);

-- How operations went with each operator, in rows of five minutes. Counted from the instructions again and again until all of them have
-- ended; nothing is decided by it, and no payment waits for it.
create table operator_weather (
  livemode boolean not null,
  operator text not null,
  direction text not null check (direction in ('collect', 'payout', 'refund')),
  -- Of the operations accepted in the five minutes from here on.
  starts_at timestamptz not null,
  succeeded integer not null,
  -- Ended without money moving: by the operator's failure, and by anybody else's.
  failed integer not null,
  failed_otherwise integer not null,
  -- Of those without an end: how many there are, and how many of them nobody knows the fate of.
  open integer not null,
  in_doubt integer not null,
  -- Of those that succeeded: how many were confirmed within each bound of src/operators/weather/weather.ts and not within the one before.
  confirmed_within integer[] not null,
  counted_at timestamptz not null,
  primary key (livemode, operator, direction, starts_at)
);

-- The operators that serve numbers, where ended orders have shown another one than the prefix. A hint for people who choose: no order
-- is accepted or routed by it, and all of it may be deleted at any time.
create table number_operators (
  livemode boolean not null,
  -- HMAC-SHA256 of the number under a key made of SECRET_KEY. In test mode the merchant is hashed with it. The number itself is not here.
  number_hash bytea not null check (octet_length(number_hash) = 32),
  -- Money moved through it last, and it has not said since that the number is not its own.
  operator text,
  -- Those that have said since then that the number is not theirs.
  refused_by text[] not null,
  learned_at timestamptz not null default clock_now(),
  primary key (livemode, number_hash),
  constraint number_operators_facts check (operator is not null or cardinality(refused_by) > 0)
);

-- How often a merchant had the name of a number's holder checked lately, so that a name is not found by trying. The number is a keyed hash of it.
create table recipient_checks (
  merchant_id bigint not null references merchants,
  livemode boolean not null,
  number_hash bytea not null check (length(number_hash) = 32),
  began_at timestamptz not null,
  checks integer not null check (checks > 0),
  primary key (merchant_id, livemode, number_hash)
);

-- Of every order that a connector carried out, what it changed in the money that its operator holds: written once, in the
-- transaction that confirms the instruction. A charge that was learned later is a row of its own, of the difference.
create table connector_movements (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  -- 1: the order itself; 2: the correction of its charge.
  number smallint not null check (number in (1, 2)),
  connector text not null,
  operator text,
  direction text not null check (direction in ('collect', 'payout', 'refund')),
  -- In francs. Nothing, of a correction.
  amount bigint not null check (amount >= 0),
  charge bigint not null,
  -- By the operator; otherwise it is the tariff's.
  charge_stated boolean not null,
  -- When it first may have left, and when its end was established: the operator moved the money in between. Both are those of the order
  -- also in its correction.
  sent_at timestamptz not null,
  moved_at timestamptz not null,
  primary key (subject_id, merchant_id, livemode, number),
  constraint connector_movements_first check (
    case number when 1 then amount > 0 and charge >= 0 else amount = 0 and charge_stated end)
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);
create index connector_movements_in_time on connector_movements (connector, moved_at);
create trigger connector_movements_append_only before update or delete on connector_movements
  for each row execute function refuse_change();
create trigger connector_movements_not_truncated before truncate on connector_movements
  for each statement execute function refuse_change();

-- The balances that operators told, each beside what was expected of it then. Amounts in francs.
create table connector_balances (
  connector text not null,
  -- Before the question, and after its answer.
  asked_at timestamptz not null,
  answered_at timestamptz not null,
  amount bigint not null,
  -- Between these, by the last accepted balance and the movements since. Null: none was accepted.
  expected_from bigint,
  expected_to bigint,
  -- The distance to that range, 0 within it.
  difference bigint,
  -- Payouts and refunds that were sent and have not ended, and those that wait to be sent.
  in_flight bigint not null,
  held bigint not null,
  -- Paid out in the last 24 hours, less what came in.
  outflow_of_a_day bigint not null,
  warnings text[] not null,
  -- The person for whom it is the truth from which the following ones are reckoned.
  accepted_by text,
  accepted_at timestamptz,
  primary key (connector, asked_at),
  constraint connector_balances_acceptance check ((accepted_by is null) = (accepted_at is null)),
  constraint connector_balances_range check ((expected_from is null) = (difference is null) and expected_from <= expected_to)
);
create index connector_balances_accepted on connector_balances (connector, asked_at) where accepted_at is not null;

-- Circuits that admit nothing now, so that processes that send nothing know of them. A row for each connector and process that met its
-- operator, written when that changes and not with a send.
create table connector_circuits (
  connector text not null,
  -- A new one for each start of a process.
  process uuid not null,
  -- From here on the row says nothing, whether its process lives or not.
  refuses_until timestamptz not null,
  primary key (connector, process)
);

-- A change of a contract's settings that waits some minutes for the fresh factor of the person who typed it. The question
-- for that factor carries its id alone, so that no secret is written into a page.
create table connector_drafts (
  draft_id text primary key,
  -- The session in which it was typed, and the only one that may carry it out.
  session_id text not null,
  connector text not null,
  -- Sealed under SECRET_KEY, bound to the draft and its session.
  draft_sealed bytea not null,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null
);
