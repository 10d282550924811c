-- Money going back to payers.

-- Francs of `amount` that were given back. Existing rows have none, so the check need not read them: it holds for every
-- row that is written from now on.
alter table payments add column amount_refunded bigint not null default 0;
alter table payments add constraint payments_refunded_within
  check (amount_refunded between 0 and amount) not valid;

-- What a connector needs to name the collection that a refund gives back: its reference, the operator's own, and what the
-- connector asked to keep.
alter table instructions add column refund_of jsonb;

create table refunds (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  payment_id text not null,
  -- Of the payment's `amount`, in francs.
  amount bigint not null check (amount between 1 and 1000000000000),
  -- What the payer gets: `amount`, and its part of a fee that the payer bore.
  amount_returned bigint not null check (amount_returned >= amount),
  -- The commission that is reversed, and what is no longer owed to the merchant.
  fee_amount bigint not null check (fee_amount >= 0),
  net_amount bigint not null check (net_amount >= 0),
  currency text not null check (currency = 'XOF'),
  status text not null check (status in ('requested', 'processing', 'manual', 'succeeded', 'failed')),
  operator text,
  -- Given back by a person, because the operator cannot or its wallet is gone.
  by_hand boolean not null,
  reason text check (length(reason) between 1 and 500),
  -- What makes a repeated command the same refund, and the amount it asked for (null: all that remained).
  request_key text not null check (length(request_key) between 1 and 255),
  asked_amount bigint,
  -- Who asked, and who closed one by hand; never the same.
  requested_by text not null,
  closed_by text check (closed_by <> requested_by),
  -- What proves a payment by hand: entered once.
  hand_reference text check (length(hand_reference) between 1 and 255),
  closing_reason text check (length(closing_reason) between 1 and 500),
  failure_code text,
  moves integer not null default 0,
  created_at timestamptz not null default clock_now(),
  concluded_at timestamptz,
  primary key (merchant_id, livemode, id),
  foreign key (merchant_id, livemode, payment_id) references payments,
  constraint refunds_key unique (merchant_id, livemode, request_key),
  constraint refunds_hand_reference unique (merchant_id, livemode, hand_reference),
  constraint refunds_add_up check (net_amount + fee_amount = amount_returned),
  constraint refunds_closed_by_hand check (
    (closed_by is not null) = (by_hand and status in ('succeeded', 'failed'))
    and (hand_reference is not null) = (by_hand and status = 'succeeded')),
  check (by_hand or status <> 'manual'),
  check ((status in ('succeeded', 'failed')) = (concluded_at is not null))
);
create index refunds_of_payment on refunds (merchant_id, livemode, payment_id);
create index refunds_by_id on refunds (id);
create index refunds_waiting_for_a_hand on refunds (created_at) where status = 'manual';

-- The moves a refund may make: the same rows as src/refunds/states.ts.
create table refund_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into refund_transitions (from_status, to_status) values
  ('requested', 'processing'),
  ('processing', 'succeeded'),
  ('processing', 'failed'),
  ('manual', 'succeeded'),
  ('manual', 'failed');

create function check_refund_move() returns trigger
  language plpgsql as $$
begin
  if not exists (select from refund_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a refund does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger refunds_move before update of status on refunds
  for each row when (old.status is distinct from new.status) execute function check_refund_move();

create function check_refund_facts() returns trigger
  language plpgsql as $$
begin
  raise exception 'what a refund gives back is fixed when it is asked for' using errcode = 'check_violation';
end $$;
create trigger refunds_fixed before update on refunds
  for each row when (
    (old.payment_id, old.amount, old.amount_returned, old.fee_amount, old.net_amount, old.operator, old.by_hand, old.requested_by)
    is distinct from
    (new.payment_id, new.amount, new.amount_returned, new.fee_amount, new.net_amount, new.operator, new.by_hand, new.requested_by))
  execute function check_refund_facts();
create trigger refunds_not_deleted before delete on refunds
  for each row execute function refuse_change();

create table refund_moves (
  merchant_id bigint not null,
  livemode boolean not null,
  refund_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  cause text not null,
  moved_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, refund_id, number),
  foreign key (merchant_id, livemode, refund_id) references refunds
);
create trigger refund_moves_append_only before update or delete on refund_moves
  for each row execute function refuse_change();
