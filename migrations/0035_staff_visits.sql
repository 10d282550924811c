-- older code: stops

-- Of src/people: a staff member reads a merchant's console for half an hour, with a reason that the merchant sees.

create table staff_visits (
  -- In both modes, as roles are.
  merchant_id bigint not null references merchants,
  visit_id text not null,
  -- As the audit log names them.
  person text not null check (length(person) between 1 and 200),
  reason text not null check (length(reason) between 1 and 200),
  begun_at timestamptz not null default clock_now(),
  ends_at timestamptz not null,
  -- Ended by its person before its time.
  ended_at timestamptz,
  primary key (merchant_id, visit_id),
  check (ends_at > begun_at and ends_at <= begun_at + interval '30 minutes')
);
create index staff_visits_of_person on staff_visits (merchant_id, person, ends_at);
create index staff_visits_in_time on staff_visits (merchant_id, begun_at);

-- Its end may come sooner. Nothing else of it changes.
create function check_visit() returns trigger
  language plpgsql as $$
begin
  if (old.person, old.reason, old.begun_at, old.ends_at) is distinct from (new.person, new.reason, new.begun_at, new.ends_at)
     or old.ended_at is not null then
    raise exception 'a visit is kept as it was' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger staff_visits_kept before update on staff_visits
  for each row execute function check_visit();
create trigger staff_visits_not_deleted before delete on staff_visits
  for each row execute function refuse_change();
