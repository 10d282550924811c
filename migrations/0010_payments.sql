-- older code: stops

-- Money coming in.
create table payments (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  amount bigint not null check (amount between 1 and 1000000000000),
  amount_collected bigint not null,
  fee_amount bigint not null check (fee_amount >= 0),
  net_amount bigint not null check (net_amount >= 0),
  -- Francs of `amount` that were given back.
  amount_refunded bigint not null default 0,
  currency text not null check (currency = 'XOF'),
  status text not null default 'created',
  operator text,
  merchant_reference text,
  -- The form in which the reference is unique (comparable_reference), where it differs from the reference as it was written; null: it is
  -- the same, as nearly always.
  reference_key text,
  msisdn text,
  description text,
  metadata json,
  -- The session that it is an attempt of; null for one that the merchant's server asked for.
  checkout_session_id text,
  failure_code text,
  -- Number of transitions so far; the number of the next is one more.
  transition_count integer not null default 0,
  created_at timestamptz not null default clock_now(),
  succeeded_at timestamptz,
  failed_at timestamptz,
  primary key (id, merchant_id, livemode),
  constraint payments_add_up check (net_amount + fee_amount = amount_collected),
  constraint payments_refunded_within check (amount_refunded between 0 and amount)
) with (fillfactor = 70, autovacuum_analyze_scale_factor = 1.5);
-- Of those with a reference alone, so that it is taken only where a reference is looked for: a plan that was made while the table was empty
-- would also look for identifiers along it, at each of the merchant's payments.
create unique index payments_reference_key
  on payments (merchant_id, livemode, (coalesce(reference_key, merchant_reference)))
  where coalesce(reference_key, merchant_reference) is not null;

-- The moves a payment may make: the same rows as src/payments/states.ts, held by the database as well.
create table payment_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into payment_transitions (from_status, to_status) values
  ('created', 'pending'),
  ('created', 'expired'),
  ('created', 'failed'),
  ('pending', 'succeeded'),
  ('pending', 'failed'),
  ('pending', 'expired'),
  ('expired', 'succeeded'),
  ('succeeded', 'refunded'),
  ('succeeded', 'partially_refunded'),
  ('partially_refunded', 'partially_refunded'),
  ('partially_refunded', 'refunded');

create function check_payment_move() returns trigger
  language plpgsql as $$
begin
  if not exists (select from payment_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a payment does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- Nearly every payment makes the same two moves. They are known to be allowed without asking the table of transitions for each
-- row, which cost more than the rest of the update; every other move is still looked up.
create trigger payments_move before update of status on payments
  for each row when (
    old.status is distinct from new.status
    and (old.status, new.status) not in (('created', 'pending'), ('pending', 'succeeded')))
  execute function check_payment_move();

create function check_payment_facts() returns trigger
  language plpgsql as $$
begin
  raise exception 'the amounts of a payment are fixed at creation' using errcode = 'check_violation';
end $$;
create trigger payments_fixed before update on payments
  for each row when (
    (old.amount, old.amount_collected, old.fee_amount, old.net_amount, old.currency)
    is distinct from (new.amount, new.amount_collected, new.fee_amount, new.net_amount, new.currency))
  execute function check_payment_facts();

create table payment_transitions_log (
  merchant_id bigint not null,
  livemode boolean not null,
  payment_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  -- The cause, in the word of the table of states.
  cause text not null,
  transitioned_at timestamptz not null default clock_now(),
  primary key (payment_id, merchant_id, livemode, number),
  foreign key (merchant_id, livemode, payment_id) references payments (merchant_id, livemode, id)
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);
create trigger payment_transitions_log_append_only before update or delete on payment_transitions_log
  for each row execute function refuse_change();
