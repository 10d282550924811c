-- older code: stops

-- The hosted page: sessions, links, and what payers do there.

-- A link that a merchant hands to many or to one. Each payer gets a session of their own from it.
create table payment_links (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  status text not null default 'open' check (status in ('open', 'paid', 'closed')),
  -- A fixed amount, or the bounds between which a payer chooses.
  amount bigint,
  min_amount bigint,
  max_amount bigint,
  currency text not null check (currency = 'XOF'),
  reusable boolean not null,
  description text,
  -- Null: it does not expire.
  expires_at timestamptz,
  -- Not reusable: the session of the payer whose turn it is, while an attempt of theirs is under way.
  taken_by text,
  created_at timestamptz not null default clock_now(),
  closed_at timestamptz,
  -- The merchant's own label, such as an order's number; not unique.
  reference text check (char_length(reference) between 1 and 40),
  -- The number, digits alone with the country's, to which a payer may send their receipt by WhatsApp.
  whatsapp text check (whatsapp ~ '^[1-9][0-9]{7,14}$'),
  -- The newest name in the link's short address. Earlier names lead to it for ever, through checkout_tokens.
  handle text check (handle ~ '^[a-z0-9-]{3,30}$'),
  primary key (merchant_id, livemode, id),
  constraint payment_links_amounts check (
    (amount between 1 and 1000000000000 and min_amount is null and max_amount is null)
    or (amount is null and min_amount between 1 and max_amount and max_amount <= 1000000000000))
);
create index payment_links_by_id on payment_links (id);
-- The permanent codes of a shop and its tills, which the page of a sale looks for each time, among links without number.
create index payment_links_permanent on payment_links (merchant_id, livemode, id)
 where reusable and amount is null and expires_at is null and status = 'open';

-- The moves a link may make: the same rows as src/checkout/link-states.ts.
create table payment_link_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into payment_link_transitions (from_status, to_status) values
  ('open', 'paid'),
  ('open', 'closed'),
  ('closed', 'paid');

create function check_payment_link_move() returns trigger
  language plpgsql as $$
begin
  if not exists (select from payment_link_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a link does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger payment_links_move before update of status on payment_links
  for each row when (old.status is distinct from new.status) execute function check_payment_link_move();

create table checkout_sessions (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  -- Null: made by the merchant's server.
  link_id text,
  status text not null default 'open',
  amount bigint not null check (amount between 1 and 1000000000000),
  -- The bounds within which its payer chose the amount; null when there was nothing to choose.
  min_amount bigint,
  max_amount bigint,
  currency text not null check (currency = 'XOF'),
  description text,
  return_url text check (return_url like 'https://%'),
  -- Attempts begun. The payment of the latest, or of the one that paid; and whether the latest is under way.
  attempts integer not null default 0,
  payment_id text,
  attempt_live boolean not null default false check (not attempt_live or (status = 'open' and payment_id is not null)),
  -- Number of transitions so far; the number of the next is one more.
  transition_count integer not null default 0,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  paid_at timestamptz,
  closed_at timestamptz,
  reference text,
  -- True: the amount came from the address of a link whose payers choose.
  amount_in_address boolean not null default false,
  primary key (merchant_id, livemode, id),
  foreign key (merchant_id, livemode, link_id) references payment_links,
  check (status <> 'paid' or payment_id is not null)
);
create index checkout_sessions_by_id on checkout_sessions (id);
create index checkout_sessions_of_link on checkout_sessions (merchant_id, livemode, link_id)
  where link_id is not null and status = 'open';
-- The sessions of a link, for the people of its merchant; one that a server made is not in it.
create index checkout_sessions_opened_from_link on checkout_sessions (merchant_id, livemode, link_id, id) where link_id is not null;
-- The sums of each link, read without the sessions themselves.
create index checkout_sessions_paid_of_link on checkout_sessions (merchant_id, livemode, link_id) include (amount)
  where link_id is not null and status = 'paid';
-- A merchant's list of those in one state, which may be few among all.
create index checkout_sessions_in_state on checkout_sessions (merchant_id, livemode, status, id);
-- The sessions that the sweep expires: one whose attempt is under way waits for its end.
create index checkout_sessions_due on checkout_sessions (expires_at) where status = 'open' and not attempt_live;

-- The moves a session may make: the same rows as src/checkout/states.ts.
create table checkout_session_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into checkout_session_transitions (from_status, to_status) values
  ('open', 'paid'),
  ('open', 'expired'),
  ('open', 'closed'),
  ('expired', 'paid'),
  ('closed', 'paid');

create function check_checkout_session_move() returns trigger
  language plpgsql as $$
begin
  if not exists (select from checkout_session_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a session does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger checkout_sessions_move before update of status on checkout_sessions
  for each row when (old.status is distinct from new.status) execute function check_checkout_session_move();

create function check_checkout_session_facts() returns trigger
  language plpgsql as $$
begin
  raise exception 'what a session asks for is fixed at creation' using errcode = 'check_violation';
end $$;
create trigger checkout_sessions_fixed before update on checkout_sessions
  for each row when (
    (old.amount, old.currency, old.return_url, old.link_id, old.expires_at, old.reference, old.amount_in_address)
    is distinct from
    (new.amount, new.currency, new.return_url, new.link_id, new.expires_at, new.reference, new.amount_in_address)
    or (old.status = 'paid' and old.payment_id is distinct from new.payment_id))
  execute function check_checkout_session_facts();

create table checkout_session_transitions_log (
  merchant_id bigint not null,
  livemode boolean not null,
  session_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  -- The cause, in the word of the table of states.
  cause text not null,
  transitioned_at timestamptz not null default clock_now(),
  primary key (merchant_id, livemode, session_id, number),
  foreign key (merchant_id, livemode, session_id) references checkout_sessions
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);
create trigger checkout_session_transitions_log_append_only before update or delete on checkout_session_transitions_log
  for each row execute function refuse_change();

-- Lookup: the token in a payer's address finds the session or the link. The token itself is kept nowhere: it is derived
-- from the id under the secret key.
create table checkout_tokens (
  -- SHA-256 of the token: enough for its 160 random bits.
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  merchant_id bigint not null,
  livemode boolean not null,
  -- `cs_…` or `lnk_…`
  subject_id text not null
) with (
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5);

-- The telephones of a till, which see its payments of the last day without an account.
create table till_phones (
  merchant_id bigint not null,
  livemode boolean not null,
  -- `tph_…`: the address of its invitation is derived from it.
  id text not null,
  -- The permanent code or link whose payments it sees.
  link_id text not null,
  name text not null check (char_length(name) between 1 and 80),
  -- A person, in the form of the audit log.
  invited_by text not null,
  created_at timestamptz not null default clock_now(),
  -- The invitation pairs one telephone, until then.
  expires_at timestamptz not null,
  paired_at timestamptz,
  -- SHA-256 of the telephone's cookie.
  session_hash bytea check (octet_length(session_hash) = 32),
  -- To the hour.
  seen_at timestamptz,
  ended_at timestamptz,
  ended_by text,
  primary key (merchant_id, livemode, id),
  foreign key (merchant_id, livemode, link_id) references payment_links,
  check ((paired_at is null) = (session_hash is null) and (paired_at is null) = (seen_at is null)),
  check ((ended_at is null) = (ended_by is null))
);
create index till_phones_by_id on till_phones (id);
create index till_phones_of_link on till_phones (merchant_id, livemode, link_id) where ended_at is null;
