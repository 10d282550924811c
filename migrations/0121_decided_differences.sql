-- older code: runs

-- Two people decide a difference, once and for good. The comparison alone closes one as `late_line` or `anomaly`.
create function check_difference_decision() returns trigger
  language plpgsql as $$
begin
  if old.status = 'closed' and old.proposal_id is not null then
    raise exception '% was decided already', old.id using errcode = 'check_violation';
  end if;
  if new.status = 'proposed' and old.status not in ('open', 'waiting') and (old.status, old.proposal_id) is distinct from (new.status, new.proposal_id) then
    raise exception '% is not open', old.id using errcode = 'check_violation';
  end if;
  if new.status = 'closed' and new.resolution not in ('late_line', 'anomaly') and not exists (
       select
         from act_proposals p
        where p.id = new.proposal_id and p.id = old.proposal_id and p.merchant_id = 0 and p.livemode = new.livemode
          and p.act = 'reconcile.propose' and p.status = 'approved' and p.key = new.id
          and p.typed ->> 'resolution' = new.resolution) then
    raise exception '% was not decided by two people', old.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger differences_decided_by_two before update on differences
  for each row execute function check_difference_decision();

-- A line whose money two people booked stays what they saw, whatever later files and orders say. A file that shows it is not taken back.
create function keep_decided_line() returns trigger
  language plpgsql as $$
begin
  if new.state = 'withdrawn' then
    raise exception 'two people decided about the line %', old.id using errcode = 'check_violation';
  end if;
  new.state := old.state;
  new.matched_by := old.matched_by;
  new.subject_id := old.subject_id;
  new.charge := old.charge;
  new.kind := old.kind;
  new.gross := old.gross;
  new.fee := old.fee;
  new.tax := old.tax;
  new.effect := old.effect;
  return new;
end $$;
create trigger statement_lines_decided before update on statement_lines
  for each row when (old.matched_by = 'two_people')
  execute function keep_decided_line();
