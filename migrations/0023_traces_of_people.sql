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
