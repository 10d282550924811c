-- older code: runs

-- Of src/reconciliation: the lines of a bank's file in the place of the second person of a deposit, each of one deposit. They belong to no merchant: the
-- proposal has it.
create table deposit_lines (
  livemode boolean not null,
  line_id text not null,
  line_month date not null,
  account text not null,
  file_id text not null references statement_files,
  reference text not null,
  -- Francs that arrived.
  amount bigint not null check (amount between 1 and 1000000000000),
  -- The second person, who decided the proposal in the database.
  imported_by text not null,
  proposal_id text not null,
  deposit_id text not null,
  used_at timestamptz not null default clock_now(),
  constraint deposit_lines_once primary key (livemode, line_id),
  constraint deposit_lines_of_proposal unique (proposal_id)
);
create index deposit_lines_of_file on deposit_lines (file_id);
create trigger deposit_lines_append_only before update or delete on deposit_lines
  for each row execute function refuse_change();

-- The line is as the deposit says, whatever our code believes. It is locked, so that nobody decides about it meanwhile.
create function check_deposit_line() returns trigger
  language plpgsql as $$
begin
  if not exists (
    select
      from statement_lines l
      join statement_files f on f.id = l.file_id
     where l.id = new.line_id and l.month = new.line_month and l.livemode = new.livemode and l.account = new.account
       and l.direction = 'in' and l.class = 'operation' and l.effect = new.amount and l.state <> 'withdrawn' and not l.is_changed
       and l.matched_by is distinct from 'two_people' and bank_reference_in(l.reference) = bank_reference_in(new.reference)
       and f.id = new.file_id and f.source = 'file' and f.status = 'counted' and f.imported_by = new.imported_by
       for share of l) then
    raise exception 'no line of a counted file is that of %', new.proposal_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger deposit_lines_shown before insert on deposit_lines
  for each row execute function check_deposit_line();

-- A line that confirmed a deposit stays, and its money is booked no second time.
create function keep_deposit_line() returns trigger
  language plpgsql as $$
begin
  if exists (select from deposit_lines d where d.livemode = old.livemode and d.line_id = old.id) then
    raise exception 'the line % confirmed a deposit: it violates check constraint "statement_lines_deposit"', old.id
      using errcode = 'check_violation', constraint = 'statement_lines_deposit';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger statement_lines_deposit_kept before update of state, matched_by on statement_lines
  for each row when (
    new.state = 'withdrawn' and old.state <> 'withdrawn'
    or new.matched_by = 'two_people' and old.matched_by is distinct from 'two_people')
  execute function keep_deposit_line();
create trigger statement_lines_deposit_not_deleted before delete on statement_lines
  for each row when (old.state <> 'withdrawn') execute function keep_deposit_line();
