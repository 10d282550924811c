-- older code: stops
-- Of src/refunds: a merchant asks for a refund, and the company decides. Nothing is set aside meanwhile. Older code would make a refund and leave its
-- request open.

create table refund_requests (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  payment_id text not null,
  -- Francs of the payment's amount. Null: all that is left when it is refunded.
  amount bigint check (amount between 1 and 1000000000000),
  reason text not null check (reason in ('returned', 'twice', 'wrong_amount', 'cancelled', 'other')),
  note text check (length(note) between 1 and 200),
  status text not null default 'asked' check (status in ('asked', 'accepted', 'refused', 'withdrawn')),
  asked_by text not null check (length(asked_by) between 1 and 200),
  asked_at timestamptz not null,
  decided_by text check (length(decided_by) between 1 and 200),
  decided_at timestamptz,
  -- Why it was refused: the merchant reads it.
  answer text check (length(answer) between 1 and 500),
  refund_id text,
  primary key (merchant_id, livemode, id),
  check ((status = 'asked') = (decided_at is null) and (decided_by is null) = (decided_at is null)),
  check ((status = 'refused') = (answer is not null)),
  check ((status = 'accepted') = (refund_id is not null)),
  -- A person of both sides does not decide on what they asked for.
  constraint refund_requests_of_another check (
    status not in ('accepted', 'refused') or person_in(decided_by) <> person_in(asked_by))
);
-- One waits for each payment.
create unique index refund_requests_waiting on refund_requests (merchant_id, livemode, payment_id) where status = 'asked';
create index refund_requests_of_payment on refund_requests (merchant_id, livemode, payment_id, asked_at);
create index refund_requests_by_id on refund_requests (id);
create index refund_requests_to_decide on refund_requests (asked_at) where status = 'asked';
create trigger refund_requests_not_deleted before delete on refund_requests
  for each row execute function refuse_change();

create function check_refund_request() returns trigger
  language plpgsql as $$
begin
  if old.status <> 'asked' then
    raise exception 'a request that was decided is fixed' using errcode = 'check_violation';
  end if;
  if (old.payment_id, old.amount, old.reason, old.note, old.asked_by, old.asked_at)
     is distinct from (new.payment_id, new.amount, new.reason, new.note, new.asked_by, new.asked_at) then
    raise exception 'a request is decided as it was made' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger refund_requests_decided_once before update on refund_requests
  for each row execute function check_refund_request();
