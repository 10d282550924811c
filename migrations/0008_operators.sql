-- older code: stops

-- The outside world. An instruction is the one order we give an operator for one payment, payout or refund.
create table instructions (
  merchant_id bigint not null,
  livemode boolean not null,
  -- The payment, payout or refund it carries out: one instruction each, for ever.
  subject_id text not null,
  direction text not null check (direction in ('collect', 'payout', 'refund')),
  operator text,
  -- The name of the connector that carries it, chosen once. Null: its sending has not begun, or it is simulated.
  connector text,
  amount bigint not null check (amount > 0),
  currency text not null check (currency = 'XOF'),
  msisdn text,
  simulate text check (simulate is null or (simulate = 'succeed' and not livemode)),
  state text not null default 'prepared'
    check (state in ('prepared', 'sending', 'sent', 'unknown', 'confirmed', 'refused')),
  -- UUID v4 made by us before anything is sent; the operator's own handle against a second execution.
  reference uuid not null,
  operator_reference text,
  -- A connector keeps here what it needs to ask again (Orange's token, say). Opaque to everyone else.
  operator_state jsonb,
  next_action jsonb,
  -- A connector names the collection that a refund gives back by this: its reference, the operator's own, and what the connector asked to
  -- keep.
  refund_of jsonb,
  failure_code text,
  -- Answers received, and sends begun (more than one only after a proof that the one before never left us).
  asked integer not null default 0,
  attempts smallint not null default 0,
  -- Sends begun although the one before may have left.
  sent_again smallint not null default 0,
  -- A sweep looks at an instruction whose job it has not heard of.
  next_check_at timestamptz default clock_now() + interval '60 seconds',
  created_at timestamptz not null default clock_now(),
  sent_at timestamptz,
  concluded_at timestamptz,
  -- When the operator first refused the accepted order without a reason, while it has not said so again.
  vague_since timestamptz,
  -- When the service looks again at a refused order that the operator had accepted. Null: never.
  look_again_at timestamptz,
  primary key (subject_id, merchant_id, livemode),
  -- An order that may have left is never taken for new: it would be given up, refused or sent without asking.
  constraint instructions_not_prepared_again check (state <> 'prepared' or sent_again = 0)
) with (autovacuum_analyze_scale_factor = 1.5);
-- The sweep finds here what a lost job forgot.
create index instructions_due on instructions (next_check_at) where next_check_at is not null;
-- The refused orders to look at again: an operator's FAILED may be followed by money (docs/decisions/0154-look-again-after-a-refusal.md). It holds no order that is open or has succeeded.
create index instructions_look_again on instructions (look_again_at) where look_again_at is not null;

-- A collection has no instruction until its sending begins. Collections accepted together for one operator wait as one row, from
-- which their instructions are made in the transaction that takes it away.
create table collection_outbox (
  id uuid primary key,
  -- Of the jobs that send it.
  partition_key text not null,
  -- The merchant when all of it is one merchant's.
  owner text not null default '',
  -- [{merchant_id, livemode, subject_id, simulate}], and nothing of a payer.
  collections json not null,
  created_at timestamptz not null default clock_now(),
  -- The sweep finds by this what a lost job forgot.
  next_check_at timestamptz not null default clock_now() + interval '60 seconds'
);
create index collection_outbox_due on collection_outbox (next_check_at);

-- The send journal: intent before wire. A second row for a subject is refused by the database, unless all before it are proven never to
-- have left this machine, or its operator was asked, has said often and long enough that it does not hold the reference, and promises never
-- to carry one reference out twice (check_send). A trigger and no index says so, because the reason for a second row stands in other rows.
create table sends (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  attempt smallint not null check (attempt > 0),
  -- The name of the connector that carries it.
  connector text not null,
  reference uuid not null,
  sent_at timestamptz not null default clock_now(),
  not_sent_at timestamptz,
  -- SHA-256 of the order as its connector sees it, and of the generation of the settings under which it left.
  payload_hash bytea,
  -- The terms on which this send may be repeated, as its operator promised them when it left: how often it must answer "not found", and
  -- for how many seconds after the send. Null: it promises nothing, and what may have left is never sent again.
  again_times smallint,
  again_after_seconds integer,
  primary key (subject_id, merchant_id, livemode, attempt),
  foreign key (merchant_id, livemode, subject_id) references instructions (merchant_id, livemode, subject_id),
  constraint sends_terms check (
    (again_times is null) = (again_after_seconds is null)
    and (again_times is null or (again_times > 0 and again_after_seconds >= 0 and payload_hash is not null)))
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);

-- An order of which every send is proven not to have left may be given to another connector. It keeps its reference for ever; what may have
-- left keeps its connector as well.
create function check_send() returns trigger
  language plpgsql as $$
declare
  -- The send that this one follows.
  last record;
  said integer;
  said_until timestamptz;
begin
  select s.reference, s.connector, s.sent_at, s.payload_hash, s.again_times, s.again_after_seconds into last
    from sends s
   where (s.merchant_id, s.livemode, s.subject_id) = (new.merchant_id, new.livemode, new.subject_id)
     and s.attempt = new.attempt - 1;
  if not found then
    raise exception 'send % follows no other', new.attempt using errcode = 'check_violation', constraint = 'sends_follow';
  end if;
  if new.reference is distinct from last.reference then
    raise exception 'an instruction keeps its reference' using errcode = 'check_violation', constraint = 'sends_follow';
  end if;
  if not exists (
    select from sends s
     where (s.merchant_id, s.livemode, s.subject_id) = (new.merchant_id, new.livemode, new.subject_id)
       and s.not_sent_at is null)
  then
    return new;
  end if;

  -- One of them may have left. From here on everything must speak for this one.
  if new.connector <> last.connector then
    raise exception 'it may have left, and keeps its connector' using errcode = 'check_violation', constraint = 'sends_follow';
  end if;
  if last.again_times is null then
    raise exception 'it may have left, and its operator does not promise to carry a reference out once only'
      using errcode = 'check_violation', constraint = 'sends_once';
  end if;
  if (new.payload_hash, new.again_times, new.again_after_seconds)
     is distinct from (last.payload_hash, last.again_times, last.again_after_seconds)
  then
    raise exception 'it may have left, and would leave again as another order or on other terms'
      using errcode = 'check_violation', constraint = 'sends_once';
  end if;
  -- Those before the first that may have left do not count: an order waits for its operator for as long as it must.
  if new.attempt - (
       select min(s.attempt)
         from sends s
        where (s.merchant_id, s.livemode, s.subject_id) = (new.merchant_id, new.livemode, new.subject_id)
          and s.not_sent_at is null) >= 14
  then
    raise exception 'it may have left, and was sent fourteen times' using errcode = 'check_violation', constraint = 'sends_once';
  end if;
  if exists (
    select from operator_answers a
     where (a.merchant_id, a.livemode, a.subject_id) = (new.merchant_id, new.livemode, new.subject_id)
       and (a.outcome in ('accepted', 'duplicate', 'pending', 'settled')
            or a.source = 'person'
            or (a.outcome = 'refused' and a.source = 'inquiry')))
  then
    raise exception 'its operator has shown that it holds the reference'
      using errcode = 'check_violation', constraint = 'sends_once';
  end if;
  select count(*), max(a.answered_at) into said, said_until
    from operator_answers a
   where (a.merchant_id, a.livemode, a.subject_id) = (new.merchant_id, new.livemode, new.subject_id)
     and a.source = 'inquiry'
     and a.outcome = 'not_found'
     and a.answered_at > last.sent_at;
  if said < last.again_times or said_until < last.sent_at + make_interval(secs => last.again_after_seconds) then
    raise exception 'it may have left: "not found" was answered % of % times, and must be after % seconds',
      said, last.again_times, last.again_after_seconds
      using errcode = 'check_violation', constraint = 'sends_once';
  end if;
  return new;
end $$;

-- A first send needs nothing of this, and is nearly every one.
create trigger sends_follow before insert on sends
  for each row when (new.attempt > 1) execute function check_send();

-- The journal and the answers are the evidence on which money may leave. Of a send only that it never left is added, once.
create function check_send_facts() returns trigger
  language plpgsql as $$
begin
  raise exception 'the journal of sends is append-only: only that a send never left is added, once' using errcode = 'restrict_violation';
end $$;
create trigger sends_fixed before update on sends
  for each row when (
    old.not_sent_at is not null
    or (old.merchant_id, old.livemode, old.subject_id, old.attempt, old.connector, old.reference, old.sent_at, old.payload_hash,
        old.again_times, old.again_after_seconds)
       is distinct from
       (new.merchant_id, new.livemode, new.subject_id, new.attempt, new.connector, new.reference, new.sent_at, new.payload_hash,
        new.again_times, new.again_after_seconds))
  execute function check_send_facts();
create trigger sends_not_deleted before delete on sends
  for each row execute function refuse_change();

-- Everything an operator ever said about an instruction, as evidence. Secrets and numbers are masked before.
create table operator_answers (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  number integer not null,
  -- A person's: two people have established what became of it.
  source text not null check (source in ('send', 'inquiry', 'person')),
  outcome text not null,
  evidence jsonb not null,
  answered_at timestamptz not null default clock_now(),
  primary key (subject_id, merchant_id, livemode, number)
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);
-- The operations that were in doubt, newest first, of which each has few rows here: its send's answer was lost, or it was asked about for a
-- minute. How such end is read from them.
create index operator_answers_doubtful on operator_answers (answered_at)
  where (source = 'send' and outcome = 'unknown') or number = 8;
create trigger operator_answers_append_only before update or delete on operator_answers
  for each row execute function refuse_change();

-- Lookup: the reference an operator quotes finds our instruction.
create table operator_references (
  connector text not null,
  reference text not null,
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  -- The reference leads: it begins with its time, so the index is appended to, and a payer who comes back brings nothing else.
  primary key (reference, connector)
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);

-- Operators' callbacks, stored once as received, before anything is decided from it.
create table operator_callbacks (
  connector text not null,
  digest bytea not null,
  reference text,
  evidence jsonb not null,
  received_at timestamptz not null default clock_now(),
  times_received integer not null default 1,
  outcome text not null default 'waiting' check (outcome in ('waiting', 'asked', 'unmatched')),
  primary key (connector, digest)
) with (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);

-- A code that a payer typed is given to the operator once: the intent is written before the call. The code itself is not
-- kept.
create table code_submissions (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  submitted_at timestamptz not null default clock_now(),
  -- Nobody typed one in time, and none is given any more.
  lapsed boolean not null default false,
  primary key (subject_id, merchant_id, livemode),
  foreign key (merchant_id, livemode, subject_id) references instructions (merchant_id, livemode, subject_id)
);

-- The simulator's own memory, written outside our transactions as an operator's would be: what it took. It promises to carry out a
-- reference once.
create table simulator_orders (
  merchant_id bigint not null,
  livemode boolean not null check (not livemode),
  reference uuid not null,
  taken_at timestamptz not null default clock_now(),
  direction text not null,
  amount bigint not null,
  msisdn_end text not null,
  -- The payer's answer to the simulator: on the page that stands for an operator's app, or with a code.
  payer_says text check (payer_says in ('yes', 'no', 'wrong_code')),
  -- How often the simulator was given this order.
  times_received integer not null default 1,
  primary key (reference, merchant_id, livemode)
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);

-- The key from which the references of orders at operators are derived. It never changes and is in every later backup,
-- so that a request that comes again after the database was put back makes the same order. It is not sealed: no migration has SECRET_KEY,
-- and a lost SECRET_KEY must not make other references of it (docs/decisions/0058-one-request-is-one-order.md).
create table order_reference_key (
  only_row boolean primary key default true check (only_row),
  key bytea not null check (octet_length(key) = 32),
  created_at timestamptz not null default clock_now()
);
create trigger order_reference_key_fixed before update or delete on order_reference_key
  for each row execute function refuse_change();

-- Each of the three has 122 random bits from the server's secure source; the hash makes 32 even bytes of them.
insert into order_reference_key (key)
select sha256(decode(replace(concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), '-', ''), 'hex'));
