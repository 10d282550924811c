-- The outside world. An instruction is the one order we give an operator for one payment, payout or refund.

create table instructions (
  merchant_id bigint not null,
  livemode boolean not null,
  -- The payment, payout or refund it carries out: one instruction each, for ever.
  subject_id text not null,
  direction text not null check (direction in ('collect', 'payout', 'refund')),
  operator text,
  amount bigint not null check (amount > 0),
  currency text not null check (currency = 'XOF'),
  msisdn text,
  simulate text check (simulate is null or (simulate = 'succeed' and not livemode)),
  state text not null default 'prepared'
    check (state in ('prepared', 'sending', 'sent', 'unknown', 'confirmed', 'refused')),
  -- UUID v4 made by us before anything is sent; the operator's own handle against a second execution.
  reference uuid not null,
  operator_reference text,
  -- What the connector must keep to ask again (Orange's token, say). Opaque to everyone else.
  operator_state jsonb,
  next_action jsonb,
  failure_code text,
  -- Answers received, and sends begun (more than one only after a proof that the one before never left us).
  asked integer not null default 0,
  attempts smallint not null default 0,
  next_check_at timestamptz,
  created_at timestamptz not null default clock_now(),
  sent_at timestamptz,
  concluded_at timestamptz,
  primary key (merchant_id, livemode, subject_id)
);
-- What a lost job forgot is found here by the sweep.
create index instructions_due on instructions (next_check_at) where next_check_at is not null;

-- The send journal: intent before wire. A second row for a subject is refused by the database, unless the first is
-- proven never to have left this machine.
create table sends (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  attempt smallint not null check (attempt > 0),
  operator text not null,
  reference uuid not null,
  sent_at timestamptz not null default clock_now(),
  not_sent_at timestamptz,
  primary key (merchant_id, livemode, subject_id, attempt),
  foreign key (merchant_id, livemode, subject_id) references instructions
);
create unique index sends_once on sends (merchant_id, livemode, subject_id) where not_sent_at is null;

-- Everything an operator ever said about an instruction, as evidence. Secrets and numbers are masked before.
create table operator_answers (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  number integer not null,
  source text not null check (source in ('send', 'inquiry')),
  outcome text not null,
  evidence jsonb not null,
  answered_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, subject_id, number)
);

-- Lookup: the reference an operator quotes finds our instruction.
create table operator_references (
  operator text not null,
  reference text not null,
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  primary key (operator, reference)
);

-- What operators call to tell us, stored once as received, before anything is decided from it.
create table operator_callbacks (
  operator text not null,
  digest bytea not null,
  reference text,
  evidence jsonb not null,
  received_at timestamptz not null default clock_now(),
  times_received integer not null default 1,
  outcome text not null default 'waiting' check (outcome in ('waiting', 'asked', 'unmatched')),
  primary key (operator, digest)
);

-- What does not fit, kept for a human.
create table anomalies (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  kind text not null check (kind in (
    'amount_differs', 'currency_differs', 'proof_after_refusal', 'refusal_after_proof', 'unknown_status')),
  id text not null,
  evidence jsonb not null,
  opened_at timestamptz not null default clock_now(),
  closed_at timestamptz,
  primary key (merchant_id, livemode, subject_id, kind)
);

-- The simulator's own memory, written outside our transactions as an operator's would be: what it took, once per
-- time it took it. Two rows for one reference would be money moved twice.
create table simulator_orders (
  merchant_id bigint not null,
  livemode boolean not null check (not livemode),
  reference uuid not null,
  taken_at timestamptz not null default clock_now(),
  direction text not null,
  amount bigint not null,
  msisdn_end text not null
);
create index simulator_orders_reference on simulator_orders (merchant_id, livemode, reference);
