-- older code: stops

-- People, their roles and factors, and their sessions. A person acts under their e-mail address everywhere: in the audit log and in each
-- column that says who asked, decided or made something.

create table persons (
  person_id text primary key,
  -- As normalizePerson writes it.
  email text not null unique check (length(email) between 3 and 200),
  name text not null check (length(name) between 1 and 100),
  language text not null default 'fr' check (language in ('fr', 'en')),
  -- invited: no factor yet; active; disabled: every session ended, no new one.
  status text not null check (status in ('invited', 'active', 'disabled')),
  created_at timestamptz not null default clock_now(),
  activated_at timestamptz,
  disabled_at timestamptz
);

-- The moves of src/people/states.ts: all of them but one.
create function check_person_move() returns trigger
  language plpgsql as $$
begin
  raise exception 'a disabled person acts again only after an invitation' using errcode = 'check_violation';
end $$;
create trigger persons_move before update of status on persons
  for each row when (old.status = 'disabled' and new.status = 'active') execute function check_person_move();

-- A role of a person at a merchant, in both modes, or in the staff. Its rights are data in src/people/rights.ts.
create table person_roles (
  person_id text not null references persons,
  -- 0: the staff of the service.
  merchant_id bigint not null,
  role text not null,
  granted_by text not null,
  granted_at timestamptz not null default clock_now(),
  -- A role that moves money or lets somebody near it counts only once a second person has confirmed it.
  needs_confirmation boolean not null,
  confirmed_by text,
  confirmed_at timestamptz,
  -- Granted by a command on the host or by the service itself: it counts at once, and the audit log shows the door.
  break_glass boolean not null default false,
  -- Granted to an invited person without a link of its own: another's was on its way. That link does not show the role, and once it is
  -- used the role waits for a confirmation, whatever it was before.
  beside_link boolean not null default false,
  -- Offered to a person with an account, by people whose team they are not in: it counts once the person has accepted it.
  to_accept boolean not null default false,
  in_effect boolean not null generated always as ((not needs_confirmation or confirmed_at is not null) and not to_accept) stored,
  primary key (person_id, merchant_id, role),
  check ((confirmed_by is null) = (confirmed_at is null)),
  constraint person_roles_two_people check (person_in(confirmed_by) <> person_in(granted_by)),
  -- The same roles as rolesToConfirm in src/people/rights.ts.
  constraint person_roles_confirmed check (
    needs_confirmation or break_glass
    or role not in ('owner', 'maker', 'approver', 'operations', 'finance', 'compliance', 'administrator'))
);
create index person_roles_by_merchant on person_roles (merchant_id);

create function check_person_role() returns trigger
  language plpgsql as $$
declare
  holder text := (select person_in(email) from persons where person_id = new.person_id);
begin
  if holder in (person_in(new.granted_by), coalesce(person_in(new.confirmed_by), '')) then
    raise exception 'nobody gives themselves a role or confirms their own' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger person_roles_of_others before insert or update on person_roles
  for each row execute function check_person_role();

-- A link for one use, to set the first factors of a person, or new ones after a reset.
create table invitations (
  invitation_id text primary key,
  person_id text not null references persons,
  -- SHA-256 of the token in the link, which is shown once.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  invited_by text not null,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  -- A newer link, or a person disabled: this one opens nothing any more.
  revoked_at timestamptz
);
create index invitations_by_person on invitations (person_id);
-- Of the links of a person the newest alone may open something.
create unique index invitations_open on invitations (person_id) where used_at is null and revoked_at is null;

create table person_passwords (
  person_id text primary key references persons,
  -- Argon2id, in the PHC string format.
  hash text not null,
  changed_at timestamptz not null default clock_now(),
  -- Wrong passwords since the last sign-in: the audit log has a line at the first, the tenth and so on, not one for each guess.
  refused integer not null default 0
);

create table person_totp (
  person_id text primary key references persons,
  -- Sealed under a key derived from SECRET_KEY.
  secret bytea not null,
  -- When its first code came.
  confirmed_at timestamptz not null default clock_now(),
  -- The step of 30 seconds whose code was taken last: none is taken twice, and none before it.
  last_step bigint
);

-- Secrets shown for a telephone, a new one each time: nobody who has seen a page knows the secret that another one shows. The one whose
-- code comes is put in force, and the others go.
create table offered_telephones (
  person_id text not null references persons,
  -- Sealed as well.
  secret bytea not null,
  offered_at timestamptz not null default clock_now(),
  primary key (person_id, secret)
);

create table person_passkeys (
  credential_id text primary key,
  person_id text not null references persons,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null default '{}',
  name text not null check (length(name) between 1 and 100),
  created_at timestamptz not null default clock_now(),
  last_used_at timestamptz
);
create index person_passkeys_by_person on person_passkeys (person_id);

create table recovery_codes (
  person_id text not null references persons,
  -- SHA-256 of a code: enough for its 120 random bits.
  code_hash bytea not null check (octet_length(code_hash) = 32),
  used_at timestamptz,
  primary key (person_id, code_hash)
);

create table person_sessions (
  session_id text primary key,
  -- SHA-256 of the token in the cookie.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  person_id text not null references persons,
  -- How the person signed in.
  factor text not null check (factor in ('passkey', 'totp', 'recovery_code', 'invitation')),
  address inet not null,
  user_agent text not null check (length(user_agent) <= 300),
  created_at timestamptz not null default clock_now(),
  -- Of the last request, to the minute.
  seen_at timestamptz not null default clock_now(),
  -- Null: open, until it has been idle or open for too long.
  ended_at timestamptz,
  -- signed_out, ended_elsewhere, idle, too_old, person_disabled, rights_changed, factors_changed
  end_reason text,
  check ((ended_at is null) = (end_reason is null))
);
create index person_sessions_by_person on person_sessions (person_id, created_at);

-- A question that a browser has to answer within minutes: the second page of a sign-in, or the challenge of a passkey.
create table sign_in_attempts (
  -- SHA-256 of the token that the form carries.
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  -- second_factor: after a right password; passkey: signing in with one; registration: of a new passkey; command_line: a command that waits
  -- until its person agrees in a browser.
  purpose text not null check (purpose in ('second_factor', 'passkey', 'registration', 'command_line')),
  -- Null: a passkey will tell who it is, or nobody has agreed yet.
  person_id text references persons,
  -- The bytes that the passkey is to sign.
  challenge bytea check (octet_length(challenge) = 32),
  -- SHA-256 of the short code that a command line shows.
  code_hash bytea unique check (octet_length(code_hash) = 32),
  -- The command with its options, and its user and machine.
  asked json,
  -- The fresh factor by which the person agreed to that.
  step_up_id text,
  -- Wrong answers so far.
  wrong smallint not null default 0,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The person refused in a browser what the command line asked. That ends it, so that it is used as well.
  refused boolean not null default false,
  check (not refused or (purpose = 'command_line' and step_up_id is null and used_at is not null)),
  check ((challenge is null) = (purpose in ('second_factor', 'command_line'))),
  check ((code_hash is null) = (purpose <> 'command_line') and (asked is null) = (code_hash is null)),
  check (person_id is not null or purpose = 'passkey' or (purpose = 'command_line' and step_up_id is null))
);
create index sign_in_attempts_by_person on sign_in_attempts (person_id);

-- A fresh factor for one act: the content that was shown, and the proof that this person agreed to it.
create table step_ups (
  step_up_id text primary key,
  session_id text not null references person_sessions,
  person_id text not null references persons,
  -- The operation of the screen, and what it is done to.
  operation text not null,
  subject text,
  -- The content as it was shown, in one canonical text, and its SHA-256 with the nonce, which a passkey signs.
  content text not null,
  content_hash bytea not null check (octet_length(content_hash) = 32),
  nonce bytea not null,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  -- Null: not confirmed. Each counts for one act.
  factor text check (factor in ('passkey', 'totp')),
  -- The assertion of a passkey, to be checked again by anybody; of a code its step.
  proof jsonb,
  confirmed_at timestamptz,
  used_at timestamptz,
  wrong smallint not null default 0,
  check ((factor is null) = (confirmed_at is null))
);
create index step_ups_by_session on step_ups (session_id);
