-- older code: stops
-- An account is whom it says, and the second person is another person.

-- An address of mail proves nobody: the first to open a link has set the factors. The account keeps whose link that was.
alter table persons
  -- The place of that link: a merchant, or 0 for the staff. Null: no factors yet, or set before this was kept at several places.
  add column opened_by bigint check (opened_by >= 0),
  -- Shown to its person, and to a second person who compares it with them. New with each link that was used.
  add column account_code text check (account_code ~ '^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$'),
  -- When a code sent to the address was typed in, for the factors of today.
  add column mail_proven_at timestamptz;

-- A person with an accepted role in the staff came by the staff, and a person of one merchant alone by that merchant.
update persons p
   set opened_by = h.place
  from (select person_id, case when bool_or(merchant_id = 0) then 0
                               when count(distinct merchant_id) = 1 then min(merchant_id) end as place
          from person_roles
         where not to_accept
         group by person_id) h
 where p.person_id = h.person_id and p.status = 'active';

update persons
   set account_code = regexp_replace(translate(upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 8)), '0123456789AEF', 'GHJKLMNPQRSTV'), '^(.{4})', '\1-')
 where status = 'active';

-- Roles that are offered to an account that another place opened wait for a second person, who compares the code, once they are accepted.
update person_roles r
   set beside_link = true
  from persons p
 where p.person_id = r.person_id and r.to_accept and p.status = 'active' and p.opened_by is distinct from r.merchant_id;

alter table invitations
  add column place bigint check (place >= 0),
  -- An offer to an address that signs in already, or that another place has invited: it sets no factors. Its inviter cannot tell it from
  -- another link.
  add column is_offer boolean not null default false,
  -- The name that the inviter wrote. The page of an offer shows it, and not the name of the account.
  add column name text check (length(name) between 1 and 100),
  -- How often a code was sent to the address, when last, and how many wrong ones came since.
  add column codes_sent smallint not null default 0,
  add column code_sent_at timestamptz,
  add column codes_wrong smallint not null default 0,
  add constraint invitations_of_a_place check (not is_offer or place is not null);
drop index invitations_open;
create unique index invitations_open on invitations (person_id) where used_at is null and revoked_at is null and not is_offer;
create unique index invitations_offered on invitations (person_id, place) where used_at is null and revoked_at is null and is_offer;

-- The people who gave a person a role or made a link for them, resets included, each with the last time. A command on the host that nobody
-- signed in for is not noted: its name is unproven.
create table person_ties (
  -- Both as person_in writes them.
  person text not null check (length(person) between 1 and 200),
  maker text not null check (length(maker) between 1 and 200),
  tied_at timestamptz not null default clock_now(),
  primary key (person, maker)
);

insert into person_ties (person, maker, tied_at)
select person, maker, max(at)
  from (select person_in(p.email) as person, person_in(r.granted_by) as maker, r.granted_at as at
          from person_roles r
          join persons p on p.person_id = r.person_id
         where not r.break_glass
        union all
        select person_in(p.email), person_in(i.invited_by), i.created_at
          from invitations i
          join persons p on p.person_id = i.person_id) made
 where length(person) > 0 and length(maker) > 0 and at > clock_now() - interval '90 days'
 group by person, maker;

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

create trigger adjustments_independent before insert or update of decided_by on adjustments
  for each row when (new.decided_by is not null) execute function check_independence('decided_by', 'proposed_by');
create trigger anomaly_proposals_independent before insert or update of decided_by on anomaly_proposals
  for each row when (new.decided_by is not null) execute function check_independence('decided_by', 'proposed_by');
create trigger cap_proposals_independent before insert or update of decided_by on cap_proposals
  for each row when (new.decided_by is not null and new.status <> 'superseded')
  execute function check_independence('decided_by', 'proposed_by');
create trigger destination_proposals_independent before insert or update of decided_by on destination_proposals
  for each row when (new.decided_by is not null and not new.break_glass and new.status <> 'withdrawn')
  execute function check_independence('decided_by', 'proposed_by');
create trigger payout_stops_independent before insert or update of lifted_by on payout_stops
  for each row when (new.lifted_by is not null) execute function check_independence('lifted_by', 'resume_asked_by');
create trigger refunds_independent before insert or update of closed_by on refunds
  for each row when (new.closed_by is not null) execute function check_independence('closed_by', 'requested_by');
create trigger settlements_validated_independent before insert or update of validated_by on settlements
  for each row when (new.validated_by is not null) execute function check_independence('validated_by', 'made_by');
create trigger settlements_paid_independent before insert or update of paid_by on settlements
  for each row when (new.paid_by is not null) execute function check_independence('paid_by', 'made_by', 'validated_by');
create trigger settlements_rejected_independent before insert or update of rejected_by on settlements
  for each row when (new.rejected_by is not null) execute function check_independence('rejected_by', 'made_by');
create trigger single_person_terms_independent before insert or update of confirmed_by on single_person_terms
  for each row when (new.confirmed_by is not null) execute function check_independence('confirmed_by', 'proposed_by');

-- The maker's side of a payout or a batch: its maker, the person behind their key, and the people behind that person.
create or replace function check_makers_side() returns trigger
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

-- A confirmed key stays as it was confirmed: one that may be used from more addresses waits again, for somebody else than
-- the person who widened it.
alter table api_keys
  add column widened_by text check (length(widened_by) between 1 and 200);

create or replace function check_key_confirmation() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.confirmed_by, new.created_by) is not distinct from (old.confirmed_by, old.created_by) then
    return new;
  end if;
  if (person_in(new.confirmed_by) in (person_in(new.created_by), coalesce(person_in(new.widened_by), ''))
      or stands_behind(new.created_by, new.confirmed_by) or stands_behind(new.widened_by, new.confirmed_by))
     and not decides_alone(new.merchant_id, new.livemode, new.key_id, new.confirmed_by) then
    raise exception 'the person who made a key does not confirm it: it violates check constraint "%"', tg_name
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end $$;

create function check_key_addresses() returns trigger
  language plpgsql as $$
begin
  raise exception 'a key that may be used from more addresses is confirmed anew' using errcode = 'check_violation', constraint = tg_name;
end $$;
-- Wider: from anywhere, where it was not before, or from a block that none of the earlier ones contains.
create function is_wider(before cidr[], after cidr[]) returns boolean
  language plpgsql immutable as $$
begin
  return cardinality(before) > 0
     and (cardinality(after) = 0
          or exists (select from unnest(after) wanted where not exists (select from unnest(before) had where wanted <<= had)));
end $$;
create trigger api_keys_as_confirmed before update of allowed_addresses on api_keys
  for each row when (new.needs_confirmation and new.confirmed_by is not null and new.confirmed_at is not distinct from old.confirmed_at
                     and is_wider(old.allowed_addresses::cidr[], new.allowed_addresses::cidr[]))
  execute function check_key_addresses();

-- The roles that wait are those of rolesToConfirm in src/people/rights.ts, now those with one half of any decision of two people. Roles of
-- before stay as they were given, so that a trigger judges a role when it is given.
alter table person_roles drop constraint person_roles_confirmed;
create or replace function check_person_role() returns trigger
  language plpgsql as $$
declare
  holder persons := (select p from persons p where p.person_id = new.person_id);
  given boolean := tg_op = 'INSERT' or (new.granted_by, new.granted_at, new.needs_confirmation, new.break_glass)
                                       is distinct from (old.granted_by, old.granted_at, old.needs_confirmation, old.break_glass);
  counts boolean := (not new.needs_confirmation or new.confirmed_at is not null) and not new.to_accept and not new.break_glass;
begin
  if person_in(holder.email) in (person_in(new.granted_by), coalesce(person_in(new.confirmed_by), '')) then
    raise exception 'nobody gives themselves a role or confirms their own' using errcode = 'check_violation';
  end if;
  if given and not new.needs_confirmation and not new.break_glass
     and new.role in ('owner', 'developer', 'maker', 'approver', 'accountant', 'operations', 'finance', 'compliance', 'administrator') then
    raise exception 'this role takes a second person: it violates check constraint "person_roles_confirmed"'
      using errcode = 'check_violation', constraint = 'person_roles_confirmed';
  end if;
  if person_in(new.confirmed_by) <> person_in(new.granted_by)
     and (tg_op = 'INSERT' or new.confirmed_by is distinct from old.confirmed_by)
     and (stands_behind(new.granted_by, new.confirmed_by) or stands_behind(holder.email, new.confirmed_by)) then
    raise exception 'the person who let another in does not confirm their roles: it violates check constraint "person_roles_independent"'
      using errcode = 'check_violation', constraint = 'person_roles_independent';
  end if;
  -- An account that another place opened. Roles of before this was kept stay as they were given.
  if counts and holder.status = 'active' and (given or new.to_accept is distinct from old.to_accept) and holder.opened_by is distinct from new.merchant_id
     and (not new.needs_confirmation or (new.merchant_id = 0 and holder.mail_proven_at is null)) then
    raise exception 'another place opened this account: it violates check constraint "person_roles_known_account"'
      using errcode = 'check_violation', constraint = 'person_roles_known_account';
  end if;
  return new;
end $$;
