-- Money coming in.

create table payments (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  amount bigint not null check (amount between 1 and 1000000000000),
  amount_collected bigint not null,
  fee_amount bigint not null check (fee_amount >= 0),
  net_amount bigint not null check (net_amount >= 0),
  currency text not null check (currency = 'XOF'),
  status text not null default 'created',
  operator text,
  merchant_reference text,
  msisdn text,
  description text,
  metadata json,
  failure_code text,
  -- Number of moves so far; the next move's number.
  moves integer not null default 0,
  created_at timestamptz not null default clock_now(),
  succeeded_at timestamptz,
  failed_at timestamptz,
  primary key (merchant_id, livemode, id),
  constraint payments_reference_key unique (merchant_id, livemode, merchant_reference),
  constraint payments_add_up check (net_amount + fee_amount = amount_collected)
);

-- The moves a payment may make: the same rows as src/payments/states.ts, held by the database as well.
create table payment_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into payment_transitions (from_status, to_status) values
  ('created', 'pending'),
  ('created', 'expired'),
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
create trigger payments_move before update of status on payments
  for each row when (old.status is distinct from new.status) execute function check_payment_move();

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

create table payment_moves (
  merchant_id bigint not null,
  livemode boolean not null,
  payment_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  -- What happened, in the word of the table of states.
  cause text not null,
  moved_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, payment_id, number),
  foreign key (merchant_id, livemode, payment_id) references payments
);
create trigger payment_moves_append_only before update or delete on payment_moves
  for each row execute function refuse_change();
