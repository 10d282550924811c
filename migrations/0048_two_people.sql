-- One person is one and one transfer is one, however they are written; two people lift a stop; a deposit is booked once.

-- Functions of an index name the functions that they call when they are created: an index is built without a search path.
create or replace function comparable_person(written text) returns text
  language sql immutable strict parallel safe
  return normalize(comparable_reference(written), NFKC);

-- The form in which two people are compared, as `personIn` in src/words/may-decide.ts writes them.
create function person_in(written text) returns text
  language sql immutable strict parallel safe
  return lower(btrim(regexp_replace(comparable_person(written), '\s+', ' ', 'g')));

-- The form in which two references of a bank are compared: spaces and letter case count no more than what nobody sees.
create function bank_reference_in(written text) returns text
  language sql immutable strict parallel safe
  return upper(regexp_replace(comparable_person(written), '\s', '', 'g'));

-- Two people, whatever our code believes. Rows that are there are not read: they hold for every row written from now on.
alter table payout_requests add constraint payout_requests_two_people
  check (person_in(decided_by) <> person_in(made_by)) not valid;
alter table payout_batches add constraint payout_batches_two_people
  check (person_in(decided_by) <> person_in(made_by)) not valid;
alter table refunds add constraint refunds_two_people
  check (person_in(closed_by) <> person_in(requested_by)) not valid;
alter table adjustments add constraint adjustments_two_people
  check (person_in(decided_by) <> person_in(proposed_by)) not valid;
alter table anomaly_proposals add constraint anomaly_proposals_two_people
  check (person_in(decided_by) <> person_in(proposed_by)) not valid;
alter table settlements add constraint settlements_two_people_compared check (
  person_in(validated_by) <> person_in(made_by) and person_in(paid_by) <> person_in(made_by)
  and person_in(rejected_by) <> person_in(made_by) and person_in(paid_by) <> person_in(validated_by)) not valid;
alter table settlements add constraint settlements_decided_by_people_compared check (
  person_in(validated_by) not like 'key:%' and person_in(paid_by) not like 'key:%'
  and person_in(rejected_by) not like 'key:%') not valid;

-- One transfer pays one settlement and proves one refund by hand. Where rows that are there share one already, the first
-- of them stands for it, and the others are left out by their ids: nothing can change them any more.
create function pg_temp.index_references(of regclass, reference text, name text) returns void
  language plpgsql as $$
declare
  others text;
begin
  execute format('select string_agg(quote_literal(id), '', '' order by id)
    from (select id, row_number() over (partition by merchant_id, livemode, bank_reference_in(%1$I) order by id) as nth
            from %2$s where %1$I is not null) as written
   where nth > 1', reference, of) into others;
  execute format('create unique index %3$I on %2$s (merchant_id, livemode, bank_reference_in(%1$I)) where %1$I is not null%4$s',
    reference, of, name, ' and id not in (' || others || ')');
end $$;
select pg_temp.index_references('settlements', 'bank_reference', 'settlements_bank_reference_compared');
select pg_temp.index_references('refunds', 'hand_reference', 'refunds_hand_reference_compared');
drop function pg_temp.index_references(regclass, text, text);

-- A stop stays when it is lifted, with the people who stopped, who asked to resume, and who agreed. In force are those
-- that are not lifted, one for each scope and value.
alter table payout_stops
  add column resume_asked_by text,
  add column resume_asked_at timestamptz,
  add column lifted_by text,
  add column lifted_at timestamptz,
  add constraint payout_stops_two_people check (person_in(lifted_by) <> person_in(resume_asked_by)),
  add constraint payout_stops_lifted_by_people check (
    person_in(resume_asked_by) not like 'key:%' and person_in(lifted_by) not like 'key:%'),
  add constraint payout_stops_complete check (
    (resume_asked_by is null) = (resume_asked_at is null)
    and (lifted_by is null) = (lifted_at is null)
    and (lifted_by is null or resume_asked_by is not null)),
  drop constraint payout_stops_pkey;
alter table payout_stops add primary key (scope, value, stopped_at);
create unique index payout_stops_in_force on payout_stops (scope, value) where lifted_at is null;

-- What was stopped is fixed; one who asked stays until another agrees or the stop is renewed; a lifted stop is past.
create function check_payout_stop() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if num_nonnulls(new.resume_asked_by, new.lifted_by) > 0 then
      raise exception 'a stop begins in force' using errcode = 'check_violation';
    end if;
  elsif old.lifted_at is not null
     or (old.scope, old.value, old.stopped_by, old.stopped_at) is distinct from (new.scope, new.value, new.stopped_by, new.stopped_at)
     or (old.resume_asked_by is distinct from new.resume_asked_by
         and (new.lifted_by is not null or (old.resume_asked_by is not null and new.resume_asked_by is not null))) then
    raise exception 'a stop is lifted once, by another person than the one who asked before' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger payout_stops_checked before insert or update on payout_stops
  for each row execute function check_payout_stop();
create trigger payout_stops_kept before delete on payout_stops
  for each row execute function refuse_change();
create trigger payout_stops_not_truncated before truncate on payout_stops
  for each statement execute function refuse_change();

-- Deposits and transfers that were given a name: the bank's reference or a key. The same name again is the same one.
create table transfer_fillings (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  operation text not null check (operation in ('deposit', 'moved_to_transfer')),
  reference text not null check (length(reference) between 1 and 140),
  amount bigint not null check (amount between 1 and 1000000000000),
  created_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, id)
);
create unique index transfer_fillings_reference
  on transfer_fillings (merchant_id, livemode, operation, bank_reference_in(reference));
create trigger transfer_fillings_append_only before update or delete on transfer_fillings
  for each row execute function refuse_change();
create trigger transfer_fillings_not_truncated before truncate on transfer_fillings
  for each statement execute function refuse_change();
