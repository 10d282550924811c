-- The queue: what is to be done next. It was graphile-worker's; its tables go. What was in them is found by the sweeps.

create table jobs (
  id uuid primary key default gen_random_uuid(),
  lane text not null,
  kind text not null,
  -- Of a waiting job, the only one of its kind with this key.
  key text,
  payload json not null,
  run_at timestamptz not null,
  -- Times it was taken. One that kills its worker each time comes to an end like any other that fails.
  attempts smallint not null default 0,
  last_error text,
  -- The worker that has it in hand, and since when.
  locked_by text,
  locked_at timestamptz
);
create index jobs_due on jobs (lane, run_at) where locked_by is null;
create index jobs_locked on jobs (locked_by) where locked_by is not null;
create unique index jobs_key on jobs (kind, key) where locked_by is null and key is not null;

-- Frees jobs that are in hand. One whose key waits again, or that is here twice, is not needed a second time.
create function free_jobs(ids uuid[]) returns void
  language sql as $$
  delete from jobs j
   where j.id = any(ids)
     and j.locked_by is not null
     and (exists (select from jobs twin where twin.kind = j.kind and twin.key = j.key and twin.locked_by is null)
       or exists (select from jobs twin
                   where twin.id = any(ids) and twin.id > j.id and twin.kind = j.kind and twin.key = j.key));
  update jobs
     set locked_by = null, locked_at = null
   where id = any(ids);
$$;

drop schema if exists graphile_worker cascade;
