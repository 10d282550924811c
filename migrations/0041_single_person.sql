-- older code: stops

-- Of src/payouts: a merchant of one person decides alone, a day later, when two staff members allow it.

-- Leaves for a merchant to decide alone. In force: confirmed and not ended. One at a time.
create table single_person_terms (
  -- In both modes, as roles are.
  merchant_id bigint not null references merchants,
  -- Its only person when it was proposed. Nobody else decides by it, whoever comes after.
  person text not null,
  proposed_at timestamptz not null default clock_now(),
  proposed_by text not null,
  reason text not null check (length(reason) between 1 and 500),
  confirmed_by text,
  confirmed_at timestamptz,
  -- By a staff member, or by the service once that person is not the only one, or came back with new factors.
  ended_by text,
  ended_at timestamptz,
  primary key (merchant_id, proposed_at),
  check ((confirmed_by is null) = (confirmed_at is null)),
  check ((ended_by is null) = (ended_at is null)),
  constraint single_person_terms_two_people check (person_in(confirmed_by) <> person_in(proposed_by))
);
create unique index single_person_terms_open on single_person_terms (merchant_id) where ended_at is null;
create trigger single_person_terms_not_deleted before delete on single_person_terms
  for each row execute function refuse_change();

-- The only person of a merchant has agreed to this, with a fresh factor. It takes effect a day later unless somebody stops it.
create table solo_approvals (
  merchant_id bigint not null,
  livemode boolean not null,
  -- A payout request, a batch, or an API key that sends money.
  subject_id text not null,
  approved_at timestamptz not null default clock_now(),
  approved_by text not null,
  step_up_id text not null,
  from_address inet,
  takes_effect_at timestamptz not null,
  -- When the service tried last to carry it out: the one tried longest ago comes first.
  tried_at timestamptz,
  -- Why it was not carried out, and since when it is refused for this.
  refusal text check (refusal in ('insufficient_funds', 'merchant_inactive', 'beneficiary_archived')),
  refused_at timestamptz,
  ended_at timestamptz,
  ended_by text,
  -- decided: another person approved it. cancelled: the batch was. revoked: the key was. refused: for a reason that stays.
  -- not_alone: a second person has the right. right_lost: this one has it no more, or came back with new factors.
  outcome text check (outcome in ('carried_out', 'stopped', 'decided', 'rejected', 'expired', 'cancelled', 'revoked', 'refused',
                                  'leave_ended', 'not_alone', 'right_lost')),
  primary key (merchant_id, livemode, subject_id, approved_at),
  check ((ended_at is null) = (ended_by is null) and (ended_at is null) = (outcome is null)),
  check ((refusal is null) = (refused_at is null)),
  constraint solo_approvals_a_day check (takes_effect_at >= approved_at + interval '24 hours')
);
create unique index solo_approvals_open on solo_approvals (merchant_id, livemode, subject_id) where ended_at is null;

-- An approval stays as it was given. It ends once.
create function check_solo_approval() returns trigger
  language plpgsql as $$
begin
  if old.ended_at is not null
     or (old.merchant_id, old.livemode, old.subject_id, old.approved_at, old.approved_by, old.step_up_id, old.takes_effect_at)
        is distinct from
        (new.merchant_id, new.livemode, new.subject_id, new.approved_at, new.approved_by, new.step_up_id, new.takes_effect_at) then
    raise exception 'an approval by one person is kept as it was' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger solo_approvals_kept before update on solo_approvals
  for each row execute function check_solo_approval();
create trigger solo_approvals_not_deleted before delete on solo_approvals
  for each row execute function refuse_change();

-- Whether this person's own approval of this has waited for its day, where the staff allow it. Triggers call it with the columns of a row; on a
-- Citus machine they may call no function in SQL that reads a distributed table.
create function decides_alone(merchant bigint, mode boolean, subject text, decider text) returns boolean
  language plpgsql stable as $$
begin
  return exists (
    select
      from solo_approvals s
      join single_person_terms t on t.merchant_id = s.merchant_id
     where s.merchant_id = merchant and s.livemode = mode and s.subject_id = subject and s.ended_at is null
       and person_in(s.approved_by) = person_in(decider) and person_in(t.person) = person_in(decider)
       and s.takes_effect_at <= clock_now()
       and t.confirmed_at is not null and t.ended_at is null);
end $$;

-- Two people, and of a merchant of one person a day. A decision is judged when it is written, and not again when the row moves on.
-- The messages end as those of a constraint do: a machine of Citus passes on the message, and the name only in it.
create or replace function check_makers_side() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.decided_by, new.made_by) is not distinct from (old.decided_by, old.made_by) then
    return new;
  end if;
  if exists (
    select from api_keys k
     where k.merchant_id = new.merchant_id and k.livemode = new.livemode and 'key:' || k.key_id = new.made_by
       and person_in(k.created_by) = person_in(new.decided_by))
     and not decides_alone(new.merchant_id, new.livemode, new.id, new.decided_by) then
    raise exception 'the person who made a key does not decide on what it asks for: it violates check constraint "%"', tg_name
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end $$;

-- A batch has its maker in the row when a person made it in the console; an API key made the others.
alter table payout_batches
  drop constraint payout_batches_check,
  drop constraint payout_batches_two_people;
create function check_batch_decision() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.decided_by, new.made_by) is not distinct from (old.decided_by, old.made_by) then
    return new;
  end if;
  if person_in(new.decided_by) = person_in(new.made_by)
     and not decides_alone(new.merchant_id, new.livemode, new.id, new.decided_by) then
    raise exception 'the maker of a batch does not decide on it: it violates check constraint "%"', tg_name
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end $$;
create trigger payout_batches_two_people before insert or update of decided_by, made_by on payout_batches
  for each row when (new.decided_by is not null) execute function check_batch_decision();

alter table api_keys
  drop constraint api_keys_two_people_check,
  add constraint api_keys_maker_check check (not needs_confirmation or created_by is not null);
create function check_key_confirmation() returns trigger
  language plpgsql as $$
begin
  if person_in(new.confirmed_by) = person_in(new.created_by)
     and not decides_alone(new.merchant_id, new.livemode, new.key_id, new.confirmed_by) then
    raise exception 'the person who made a key does not confirm it: it violates check constraint "%"', tg_name
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end $$;
create trigger api_keys_two_people before insert or update of confirmed_by, created_by on api_keys
  for each row when (new.needs_confirmation and new.confirmed_by is not null) execute function check_key_confirmation();
