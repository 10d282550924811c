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
  disabled_at timestamptz,
  -- An address of mail proves nobody: the first to open a link sets the factors. The place of that link: a merchant, or 0 for the staff. Null: no
  -- factors yet, or nothing shows the place.
  opened_by bigint check (opened_by >= 0),
  -- Shown to its person, and to a second person who compares it with them. New with each link that was used.
  account_code text check (account_code ~ '^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$'),
  -- When a code sent to the address was typed in, for the factors of today.
  mail_proven_at timestamptz
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
  constraint person_roles_two_people check (person_in(confirmed_by) <> person_in(granted_by))
);
create index person_roles_by_merchant on person_roles (merchant_id);

-- The roles that wait are those of rolesToConfirm in src/people/rights.ts. A role is judged when it is given.
create function check_person_role() returns trigger
  language plpgsql as $$
declare
  holder persons := (select p from persons p where p.person_id = new.person_id);
  given boolean := tg_op = 'INSERT' or (new.granted_by, new.granted_at, new.needs_confirmation, new.break_glass)
                                       is distinct from (old.granted_by, old.granted_at, old.needs_confirmation, old.break_glass);
  counts boolean := (not new.needs_confirmation or new.confirmed_at is not null) and not new.to_accept and not new.break_glass;
begin
  if person_in(holder.email) in (person_in(new.granted_by), coalesce(person_in(new.confirmed_by), '')) then
    raise exception 'nobody gives themselves a role or confirms their own' using errcode = 'check_violation';
  end if;
  if given and not new.needs_confirmation and not new.break_glass
     and new.role in ('owner', 'developer', 'maker', 'approver', 'accountant', 'operations', 'finance', 'compliance', 'administrator') then
    raise exception 'this role takes a second person: it violates check constraint "person_roles_confirmed"'
      using errcode = 'check_violation', constraint = 'person_roles_confirmed';
  end if;
  if person_in(new.confirmed_by) <> person_in(new.granted_by)
     and (tg_op = 'INSERT' or new.confirmed_by is distinct from old.confirmed_by)
     and (stands_behind(new.granted_by, new.confirmed_by) or stands_behind(holder.email, new.confirmed_by)) then
    raise exception 'the person who let another in does not confirm their roles: it violates check constraint "person_roles_independent"'
      using errcode = 'check_violation', constraint = 'person_roles_independent';
  end if;
  -- An account that another place opened. Roles of before this was kept stay as they were given.
  if counts and holder.status = 'active' and (given or new.to_accept is distinct from old.to_accept) and holder.opened_by is distinct from new.merchant_id
     and (not new.needs_confirmation or (new.merchant_id = 0 and holder.mail_proven_at is null)) then
    raise exception 'another place opened this account: it violates check constraint "person_roles_known_account"'
      using errcode = 'check_violation', constraint = 'person_roles_known_account';
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
  revoked_at timestamptz,
  place bigint check (place >= 0),
  -- An offer to an address that signs in already, or that another place has invited: it sets no factors. Its inviter cannot tell it from
  -- another link.
  is_offer boolean not null default false,
  -- The name that the inviter wrote. The page of an offer shows it, and not the name of the account.
  name text check (length(name) between 1 and 100),
  -- How often a code was sent to the address, when last, and how many wrong ones came since.
  codes_sent smallint not null default 0,
  code_sent_at timestamptz,
  codes_wrong smallint not null default 0,
  wrong integer not null default 0 check (wrong >= 0),
  wrong_at timestamptz,
  constraint invitations_of_a_place check (not is_offer or place is not null)
);
create index invitations_by_person on invitations (person_id);
-- Of the links of a person the newest alone may open something.
create unique index invitations_open on invitations (person_id) where used_at is null and revoked_at is null and not is_offer;
create unique index invitations_offered on invitations (person_id, place) where used_at is null and revoked_at is null and is_offer;

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
  -- SHA-256 of the token that a browser keeps over its sign-outs; null: it kept none.
  browser_hash bytea check (octet_length(browser_hash) = 32),
  -- A person signs the command line in as they sign a browser in. The token of one door opens nothing at the other.
  door text not null default 'console' check (door in ('console', 'command_line')),
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
  check ((factor is null) = (confirmed_at is null)),
  constraint step_ups_content_length check (octet_length(content) <= 8192)
);
create index step_ups_by_session on step_ups (session_id);

-- A staff member reads a merchant's console for half an hour, with a reason that the merchant sees.
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

-- Passwords tried in one hour for one e-mail address from one place, until one of them is right.
create table wrong_passwords (
  -- SHA-256 of the address of mail as normalizePerson writes it: of somebody or of nobody, which no answer tells.
  email_hash bytea not null check (octet_length(email_hash) = 32),
  -- A browser, network or session that its person is known by; empty: all other places together.
  place text not null,
  -- When the hour began.
  hour timestamptz not null,
  wrong integer not null check (wrong >= 0),
  primary key (email_hash, place, hour)
);

-- Notices to people by mail. Nothing waits for a mail, and whatever it tells stands on a screen too.

-- The kinds of notices that a person has switched off; all others come.
create table muted_notices (
  person_id text not null references persons,
  kind text not null,
  primary key (person_id, kind)
);

-- A mail about one event to one person: once at most, however often its job runs.
create table notice_mails (
  -- Of the event.
  notice_id uuid not null,
  person_id text not null references persons,
  kind text not null,
  -- The notice as it is written: no secret, no number, no amount.
  notice jsonb not null,
  created_at timestamptz not null default clock_now(),
  -- The mail server is being told; null: not yet, or it surely has not taken the mail. One that stays so is not sent again.
  begun_at timestamptz,
  ended_at timestamptz,
  -- unclear: the connection broke when the server may have taken it. refused: the server will never take it. too_old: a day has passed.
  -- left: the person has no role at the merchant any more.
  outcome text check (outcome in ('sent', 'unclear', 'refused', 'too_old', 'left')),
  primary key (notice_id, person_id),
  check ((ended_at is null) = (outcome is null))
);
create index notice_mails_of_person on notice_mails (person_id, created_at);
