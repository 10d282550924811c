-- older code: stops

-- Events that merchants are told of, and their delivery.

-- The order in which events are read so that none is lost. An identifier begins with the time of its event and says nothing of
-- its commit, so a reader in the order of identifiers passes events that are committed late.

-- A new epoch begins when the server or the database is another than before: started again, restored, copied or failed over. Transaction numbers
-- may then be used a second time, so they only count within their epoch. Epoch 0 is that of a database in which the service has
-- never written.
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

create table endpoints (
  merchant_id bigint not null references merchants,
  livemode boolean not null,
  id text not null,
  url text not null check (length(url) <= 2048),
  -- Kinds of event wanted; empty: all.
  event_types text[] not null default '{}',
  -- AES-256-GCM under SECRET_KEY, which is not in the database.
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  -- Since when every attempt has failed; null while the last one succeeded.
  failing_since timestamptz,
  disabled_at timestamptz,
  created_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, id)
);
-- A test is asked for by the endpoint's id alone.
create index endpoints_by_id on endpoints (id);

create table events (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  type text not null,
  subject_id text not null,
  -- The exact bytes that are signed and sent, the same on every attempt.
  body text not null,
  created_at timestamptz not null default clock_now(),
  -- The transaction that wrote it, and the epoch within which its number counts.
  tx xid8 not null default pg_current_xact_id(),
  epoch integer not null default feed_epoch(),
  primary key (id, merchant_id, livemode)
) with (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);
-- Merchants read the newest events of some kinds, and those about one resource.
create index events_of_kind on events (merchant_id, livemode, type, id);
create index events_about on events (subject_id, merchant_id, livemode, id);
-- The events of a merchant in the order of the feed. With their types, so that a reader of some types passes the others without
-- reading their rows.
create index events_feed on events (merchant_id, livemode, epoch, tx, id) include (type);
-- An event stays as it was written, but not for ever: one older than a month may be dropped (EVENT_DAYS says when).
create trigger events_fixed before update on events for each row execute function refuse_change();
create trigger events_kept before delete on events for each row
  when (old.created_at > clock_now() - interval '30 days')
  execute function refuse_change();

create table deliveries (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  event_id text not null,
  endpoint_id text not null,
  -- held: the endpoint is disabled, and the event waits until it is enabled again.
  status text not null check (status in ('pending', 'delivered', 'failed', 'held')),
  attempts integer not null default 0,
  -- Attempts of the present schedule; a replay starts a new one.
  scheduled_attempts integer not null default 0,
  -- An event is delivered at once.
  next_attempt_at timestamptz default clock_now(),
  -- A process that takes the delivery raises the fence and has it to itself until the lease ends. In no index, so that
  -- taking one costs no index entry.
  fence integer not null default 0,
  lease_until timestamptz,
  created_at timestamptz not null default clock_now(),
  finished_at timestamptz,
  primary key (id, merchant_id, livemode),
  constraint deliveries_event_key unique (event_id, merchant_id, livemode, endpoint_id),
  foreign key (merchant_id, livemode, event_id) references events (merchant_id, livemode, id),
  foreign key (merchant_id, livemode, endpoint_id) references endpoints
) with (fillfactor = 60, autovacuum_analyze_scale_factor = 1.5);
-- Deliveries are taken endpoint by endpoint, the oldest first: a backlog of one is never read on behalf of another.
create index deliveries_due on deliveries (merchant_id, livemode, endpoint_id, next_attempt_at) where status = 'pending';
create index deliveries_held on deliveries (merchant_id, livemode, endpoint_id, event_id) where status = 'held';
-- Those that were given up are few: a person has them sent again. A list reads both kinds from the newest event on.
create index deliveries_failed on deliveries (merchant_id, livemode, endpoint_id, event_id) where status = 'failed';

-- One partition a day (make_log_days), dropped whole when it is old.
create table delivery_attempts (
  merchant_id bigint not null,
  livemode boolean not null,
  delivery_id text not null,
  number integer not null,
  attempted_at timestamptz not null default clock_now(),
  -- Null when no answer came; then `error` says why.
  status_code smallint,
  error text,
  duration_ms integer not null,
  -- The first 4 KB of the answer, as text.
  response_excerpt text,
  primary key (merchant_id, livemode, delivery_id, number, attempted_at)
) partition by range (attempted_at);

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
