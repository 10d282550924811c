-- An instruction may leave again when its operator was asked, has said often and long enough that it does not hold the reference, and
-- promises never to carry one reference out twice (docs/decisions/0091). Until now the index `sends_once` refused every second row of
-- what may have left. A trigger takes its place, because the reason for a second row stands in other rows.

-- Only vacuums wait for the first lock, and behind it: one that is at work makes room after a second. In the order in which those lock
-- who write.
set local lock_timeout = '5s';
lock table instructions, sends, operator_answers, simulator_orders in share update exclusive mode;
set local lock_timeout = '500ms';
lock table instructions, sends, operator_answers, simulator_orders in access exclusive mode;

alter table instructions
  -- Sends begun although the one before may have left.
  add column sent_again smallint not null default 0,
  -- What may have left is never taken for new: it would be given up, refused or sent without asking.
  add constraint instructions_not_prepared_again check (state <> 'prepared' or sent_again = 0) not valid;

alter table sends
  -- SHA-256 of the order as its connector sees it. Null: written before this column.
  add column payload_hash bytea,
  -- The terms on which this send may be repeated, as its operator promised them when it left: how often it must answer "not found", and
  -- for how many seconds after the send. Null: it promises nothing, and what may have left is never sent again.
  add column again_times smallint,
  add column again_after_seconds integer,
  add constraint sends_terms check (
    (again_times is null) = (again_after_seconds is null)
    and (again_times is null or (again_times > 0 and again_after_seconds >= 0 and payload_hash is not null))) not valid;

create function check_send() returns trigger
  language plpgsql as $$
declare
  -- The send that this one follows.
  last record;
  said integer;
  said_until timestamptz;
begin
  select s.reference, s.operator, s.sent_at, s.payload_hash, s.again_times, s.again_after_seconds into last
    from sends s
   where (s.merchant_id, s.livemode, s.subject_id) = (new.merchant_id, new.livemode, new.subject_id)
     and s.attempt = new.attempt - 1;
  if not found then
    raise exception 'send % follows no other', new.attempt using errcode = 'check_violation', constraint = 'sends_follow';
  end if;
  if (new.reference, new.operator) is distinct from (last.reference, last.operator) then
    raise exception 'an instruction keeps its reference and its operator'
      using errcode = 'check_violation', constraint = 'sends_follow';
  end if;
  if not exists (
    select from sends s
     where (s.merchant_id, s.livemode, s.subject_id) = (new.merchant_id, new.livemode, new.subject_id)
       and s.not_sent_at is null)
  then
    return new;
  end if;

  -- One of them may have left. From here on everything must speak for this one.
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
  if new.attempt > 5 then
    raise exception 'it may have left, and was sent five times' using errcode = 'check_violation', constraint = 'sends_once';
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
drop index sends_once;

-- The journal and the answers are the evidence on which money may leave. Of a send only that it never left is added, once.
create function check_send_facts() returns trigger
  language plpgsql as $$
begin
  raise exception 'the journal of sends is append-only: only that a send never left is added, once' using errcode = 'restrict_violation';
end $$;
create trigger sends_fixed before update on sends
  for each row when (
    old.not_sent_at is not null
    or (old.merchant_id, old.livemode, old.subject_id, old.attempt, old.operator, old.reference, old.sent_at, old.payload_hash,
        old.again_times, old.again_after_seconds)
       is distinct from
       (new.merchant_id, new.livemode, new.subject_id, new.attempt, new.operator, new.reference, new.sent_at, new.payload_hash,
        new.again_times, new.again_after_seconds))
  execute function check_send_facts();
create trigger sends_not_deleted before delete on sends
  for each row execute function refuse_change();
create trigger operator_answers_append_only before update or delete on operator_answers
  for each row execute function refuse_change();

alter table simulator_orders
  -- How often the simulator was given this order. It carries it out once.
  add column times_received integer not null default 1,
  add constraint simulator_orders_pkey primary key using index simulator_orders_by_reference;
drop index simulator_orders_reference;
