-- older code: stops

-- The line of an act says from where it came, and by which proof the person agreed to it. The person behind a key is the maker of what it asks.

alter table audit_log
  -- The client's address; null: a command on the host itself, or the service.
  add column from_address inet,
  -- The fresh factor by which the person agreed to this very act; null: none was asked for.
  add column step_up_id text;

-- Two people: the one who made an API key is of the side of what it asks for. Keys of before people were noted have no such person.
create function check_makers_side() returns trigger
  language plpgsql as $$
begin
  if exists (
    select from api_keys k
     where k.merchant_id = new.merchant_id and k.livemode = new.livemode and 'key:' || k.key_id = new.made_by
       and person_in(k.created_by) = person_in(new.decided_by)) then
    raise exception 'the person who made a key does not decide on what it asks for'
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end $$;
create trigger payout_requests_makers_side before insert or update of decided_by on payout_requests
  for each row when (new.decided_by is not null) execute function check_makers_side();
create trigger payout_batches_makers_side before insert or update of decided_by on payout_batches
  for each row when (new.decided_by is not null) execute function check_makers_side();

-- The chain over the lines of the audit log, a merchant's each. The worker adds each line once, in the order in which it comes upon them: a line
-- whose transaction ended late is chained late. Nobody who acts waits for it.
create table audit_chain (
  merchant_id bigint not null,
  sequence bigint not null check (sequence > 0),
  line_at timestamptz not null,
  line_id uuid not null,
  -- SHA-256 of the hash before and the line.
  hash bytea not null check (octet_length(hash) = 32),
  chained_at timestamptz not null default clock_now(),
  primary key (merchant_id, sequence),
  unique (merchant_id, line_id)
);
create trigger audit_chain_append_only before update or delete on audit_chain
  for each row execute function refuse_change();
create trigger audit_chain_not_truncated before truncate on audit_chain
  for each statement execute function refuse_change();

-- One text for a line, whatever the time zone of the session.
create function audit_line_hash(
  previous bytea, merchant_id bigint, livemode boolean, id uuid, at timestamptz, actor text, door text, from_address inet, step_up_id text,
  act text, subject text, before jsonb, after jsonb) returns bytea
  language sql stable parallel safe
  return sha256(previous || convert_to(jsonb_build_array(merchant_id, livemode, id, extract(epoch from at), actor, door,
    host(from_address), step_up_id, act, subject, before, after)::text, 'UTF8'));
