-- older code: runs
-- Of src/webhooks/feed: the order in which events are read so that none is lost. An identifier begins with the time of its event and says nothing of
-- its commit, so a reader in the order of identifiers passes events that are committed late.

-- A new epoch begins when the server or the database is another than before: started again, restored, copied or failed over. Transaction numbers
-- may then be used a second time, so they only count within their epoch. Epoch 0 holds what is older than this table.
create table feed_epochs (
  -- Seconds since 2026, so that a restored copy never repeats the epoch of a transaction that it has lost.
  epoch integer primary key check (epoch > 0),
  -- The database, the system, its timeline and the start of its server.
  server text not null,
  begun_at timestamptz not null default clock_now()
);

-- The epoch of this session. One that joined none, such as a person's, takes the newest.
create function feed_epoch() returns integer
  language plpgsql stable as $$
declare
  joined text := current_setting('bandama.feed_epoch', true);
begin
  if joined <> '' then
    return joined;
  end if;
  return (select coalesce(max(epoch), 0) from feed_epochs);
end $$;

-- Each session of the service calls it before its first write. No session outlives its server, so one that has joined stays right. It locks no
-- table of events: a backup that reads them for an hour delays no session.
create function join_feed_epoch() returns void
  language plpgsql as $$
declare
  newest integer;
  there text;
  here text;
  system_identifier text := '';
begin
  -- A session that began on a standby must not go on when the standby becomes the primary.
  if pg_is_in_recovery() then
    raise exception 'This server does not accept writes.' using errcode = 'read_only_sql_transaction';
  end if;
  -- Some hosts do not let their customers call it.
  if has_function_privilege('pg_control_system()', 'execute') then
    select c.system_identifier into system_identifier from pg_control_system() c;
  end if;
  select concat_ws(' ', oid, system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8),
                   extract(epoch from pg_postmaster_start_time()))
    into here
    from pg_database
   where datname = current_database();
  select epoch, server into newest, there from feed_epochs order by epoch desc limit 1;
  if there is distinct from here then
    perform pg_advisory_xact_lock(hashtext('bandama feed epoch'));
    select epoch, server into newest, there from feed_epochs order by epoch desc limit 1;
  end if;
  if there is distinct from here then
    insert into feed_epochs (epoch, server)
    values (greatest(1, extract(epoch from clock_now() - timestamptz '2026-01-01T00:00:00Z')::integer, newest + 1), here)
    returning epoch into newest;
  end if;
  perform set_config('bandama.feed_epoch', newest::text, false);
end $$;

-- Neither default rewrites the table: all earlier events get one number and epoch 0, and follow each other by their identifiers.
alter table events
  add column tx xid8 not null default pg_current_xact_id(),
  add column epoch integer not null default feed_epoch();

-- The last event in the order of the feed that was deleted because of its age (EVENT_DAYS). A reader who has not read as far has lost something.
create table feed_floors (
  merchant_id bigint not null,
  livemode boolean not null,
  epoch integer not null,
  tx xid8 not null,
  id text not null,
  created_at timestamptz not null,
  primary key (merchant_id, livemode)
);
