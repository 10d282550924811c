-- older code: stops

-- The queue: what is to be done next.
create table jobs (
  id uuid primary key default gen_random_uuid(),
  queue text not null,
  -- Jobs of one partition hold up no job of another, however many wait: those that call one operator are a partition.
  partition_key text not null default '',
  -- Merchants take turns within a partition: twelve thousand payouts of one to an operator keep nobody else's from it. Jobs of several
  -- merchants together have no owner, and are one more among those that take turns.
  owner text not null default '',
  -- How many operations it carries: an owner has so many of them in hand at most.
  weight integer not null default 1,
  kind text not null,
  -- Of a waiting job, the only one of its kind with this key.
  key text,
  payload json not null,
  run_at timestamptz not null,
  -- Times it was taken. One that kills its worker each time comes to an end like any other that fails.
  attempts smallint not null default 0,
  last_error text,
  -- The worker that has it in hand, and until when unless it extends that: then it is free for another.
  locked_by text,
  locked_until timestamptz
);
-- Each is taken by the beginning of its own part of the index.
create index jobs_in_turns on jobs (queue, partition_key, owner, run_at) where locked_by is null;
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
     set locked_by = null, locked_until = null
   where id = any(ids);
$$;
