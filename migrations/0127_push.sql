-- older code: runs
-- Of src/people/push: notices on the telephones of people, by the push services of their browsers.

-- The key by which push services know this installation (VAPID). One row, made once: with another key every device would have to subscribe again.
create table push_key (
  is_only boolean primary key default true check (is_only),
  public_key text not null,
  -- Sealed with a key derived from SECRET_KEY.
  private_sealed bytea not null,
  created_at timestamptz not null default clock_now()
);

create table push_devices (
  id uuid primary key,
  person_id text not null references persons,
  -- SHA-256 of its address at the push service, which belongs to one browser.
  address_hash bytea not null unique check (octet_length(address_hash) = 32),
  -- The address and the keys of its browser. Anybody who has them may send to it.
  sealed bytea not null,
  -- The browser in words.
  name text not null,
  created_at timestamptz not null default clock_now(),
  -- The session that added it. A device goes with the sessions of its browser.
  session_id text not null,
  -- The push service, as a partition of jobs.
  service text not null,
  -- The hour of the newest push, and the number of pushes of each kind in it.
  told_hour timestamptz,
  told_counts jsonb not null default '{}',
  -- Since when its push service has taken nothing.
  failed_since timestamptz
);
create index push_devices_of_person on push_devices (person_id);

alter table notice_settings
  -- The kinds that do not come to devices.
  add column pushes_muted text[] not null default '{}',
  -- Whether a push leaves out the amount of a payment.
  add column hides_amount boolean not null default false;
