-- older code: stops

-- Two people: who is no second person for another, and the merchant of one person that the staff lets decide alone.

-- The people who gave a person a role or made a link for them, resets included, each with the last time. A command on the host that nobody
-- signed in for is not noted: its name is unproven.
create table person_ties (
  -- Both as person_in writes them.
  person text not null check (length(person) between 1 and 200),
  maker text not null check (length(maker) between 1 and 200),
  tied_at timestamptz not null default clock_now(),
  primary key (person, maker)
);

-- Whether one person gave another a role or made their link within 90 days. Such a person is no second person for what the other began. In
-- plpgsql, because triggers on a machine of Citus call it.
create function stands_behind(began text, decider text) returns boolean
  language plpgsql stable as $$
begin
  return exists (
    select from person_ties t
     where t.person = person_in(began) and t.maker = person_in(decider) and t.tied_at > clock_now() - interval '90 days');
end $$;

-- Refuses a decision by somebody who stands behind a person who began it. The arguments are columns: of the decider, then of the others. The
-- person who made an API key is behind what it asked for. A decision is judged when it is written, and not again when the row moves on. The message
-- ends as that of a constraint does: a machine of Citus passes on the name only in it.
create function check_independence() returns trigger
  language plpgsql as $$
declare
  decided jsonb := to_jsonb(new);
  decider text := decided ->> tg_argv[0];
  began text;
  creator text;
begin
  if tg_op = 'UPDATE' and to_jsonb(old) ->> tg_argv[0] is not distinct from decider then
    return new;
  end if;
  for place in 1 .. tg_nargs - 1 loop
    began := decided ->> tg_argv[place];
    if began like 'key:%' then
      select k.created_by into creator
        from api_keys k
       where k.merchant_id = (decided ->> 'merchant_id')::bigint and k.livemode = (decided ->> 'livemode')::boolean
         and k.key_id = substr(began, 5);
      began := creator;
    end if;
    if stands_behind(began, decider) then
      raise exception 'the person who let another in does not decide on what that one began: it violates check constraint "%"', tg_name
        using errcode = 'check_violation', constraint = tg_name;
    end if;
  end loop;
  return new;
end $$;

-- A decision is never written over, nor is what was proposed.
create function check_decision() returns trigger
  language plpgsql as $$
begin
  if old.status <> 'proposed' then
    raise exception '% was decided already', old.id using errcode = 'check_violation';
  end if;
  if (old.amount, old.reason, old.proposed_by) is distinct from (new.amount, new.reason, new.proposed_by) then
    raise exception 'what was proposed is fixed' using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- Two people, and of a merchant of one person a day. The maker's side of a payout or a batch: its maker, the person who made their key, and the people
-- behind that person. A decision is judged when it is written, and not again when the row moves on. The message ends as that of a constraint does: a
-- machine of Citus passes on the message, and the name only in it.
create function check_makers_side() returns trigger
  language plpgsql as $$
declare
  maker text := new.made_by;
begin
  if tg_op = 'UPDATE' and (new.decided_by, new.made_by) is not distinct from (old.decided_by, old.made_by) then
    return new;
  end if;
  if maker like 'key:%' then
    select k.created_by into maker
      from api_keys k
     where k.merchant_id = new.merchant_id and k.livemode = new.livemode and k.key_id = substr(new.made_by, 5);
  end if;
  if ((new.made_by like 'key:%' and person_in(maker) = person_in(new.decided_by)) or stands_behind(maker, new.decided_by))
     and not decides_alone(new.merchant_id, new.livemode, new.id, new.decided_by) then
    raise exception 'the person who made a key does not decide on what it asks for: it violates check constraint "%"', tg_name
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end $$;

-- A merchant of one person decides alone, a day later, when two staff members allow it.

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
create trigger single_person_terms_independent before insert or update of confirmed_by on single_person_terms
  for each row when (new.confirmed_by is not null) execute function check_independence('confirmed_by', 'proposed_by');
