-- older code: stops

-- An order of which every send is proven not to have left may be given to another connector. It keeps its reference for ever; what may have
-- left keeps its connector as well.
create or replace function check_send() returns trigger
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
