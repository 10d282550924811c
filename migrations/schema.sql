-- The schema that the migrations make, read back from the database's own catalogue. For reading: the numbered files are what is
-- run. Written by `npm run derive` on PostgreSQL 18. The daily partitions of the logs are left out.

create table account_openings (
  livemode boolean not null,
  account text not null,
  day date not null,
  balance bigint not null,
  unexplained bigint not null,
  proposal_id text not null,
  opened_at timestamp with time zone not null default clock_now(),
  constraint account_openings_pkey PRIMARY KEY (livemode, account),
  constraint account_openings_proposal_id_key UNIQUE (proposal_id)
);
CREATE TRIGGER account_openings_append_only BEFORE DELETE OR UPDATE ON account_openings FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER account_openings_not_truncated BEFORE TRUNCATE ON account_openings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table accounts (
  merchant_id bigint not null,
  livemode boolean not null,
  account text not null,
  balance bigint not null default 0,
  sequence bigint not null default 0,
  credited bigint not null default 0,
  booked_at timestamp with time zone,
  constraint accounts_pkey PRIMARY KEY (merchant_id, livemode, account),
  constraint accounts_account_check CHECK (account ~ '^held:[a-z][a-z0-9_-]{0,39}$'::text OR
CASE
    WHEN merchant_id = 0 THEN account = ANY (ARRAY['unassigned'::text, 'disputed'::text, 'in_transit'::text, 'own_funds'::text, 'bank_charges'::text, 'losses'::text])
    ELSE (account = ANY (ARRAY['available'::text, 'transfer'::text, 'payouts_in_flight'::text, 'settlements_in_flight'::text, 'fees'::text, 'operator_charges'::text, 'bank'::text])) OR account ~ '^operator:[a-z_]{1,40}$'::text
END),
  constraint accounts_never_below_zero CHECK (balance >= 0 OR (account <> ALL (ARRAY['available'::text, 'transfer'::text, 'payouts_in_flight'::text, 'settlements_in_flight'::text]))),
  constraint accounts_of_operators_are_closed CHECK (balance = 0 OR NOT (account = 'bank'::text OR account ~~ 'operator:%'::text)),
  constraint accounts_of_the_house CHECK (
CASE account
    WHEN 'unassigned'::text THEN balance >= 0
    WHEN 'disputed'::text THEN balance <= 0
    ELSE true
END),
  constraint accounts_sequence_check CHECK (sequence >= 0)
);
CREATE TRIGGER accounts_follow_entries AFTER UPDATE ON accounts REFERENCING NEW TABLE AS new_accounts FOR EACH STATEMENT EXECUTE FUNCTION check_account_balance();
CREATE TRIGGER accounts_not_deleted BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER accounts_not_truncated BEFORE TRUNCATE ON accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER accounts_start_at_zero BEFORE INSERT ON accounts FOR EACH ROW WHEN (new.balance <> 0 OR new.sequence <> 0 OR new.credited <> 0 OR new.booked_at IS NOT NULL) EXECUTE FUNCTION check_new_account();

create table act_proposals (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  act text not null,
  subject text,
  key text,
  amount bigint,
  typed jsonb not null,
  content jsonb not null,
  sealed bytea,
  status text not null default 'proposed'::text,
  proposed_by text not null,
  proposed_at timestamp with time zone not null default clock_now(),
  decided_by text,
  decided_at timestamp with time zone,
  outcome text,
  refusal_reason text,
  constraint act_proposals_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint act_proposals_act_check CHECK (act ~ '^[a-z_]+\.[a-z_]+$'::text),
  constraint act_proposals_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint act_proposals_check CHECK ((status = 'proposed'::text) = (decided_at IS NULL)),
  constraint act_proposals_check1 CHECK ((decided_by IS NULL) = (decided_at IS NULL)),
  constraint act_proposals_check2 CHECK (status = 'approved'::text OR outcome IS NULL),
  constraint act_proposals_check3 CHECK (status = 'proposed'::text OR sealed IS NULL),
  constraint act_proposals_check4 CHECK (refusal_reason IS NULL OR status = 'refused'::text AND length(refusal_reason) >= 1 AND length(refusal_reason) <= 500),
  constraint act_proposals_key_check CHECK (length(key) >= 1 AND length(key) <= 400),
  constraint act_proposals_lapsed CHECK ((status = 'lapsed'::text) = (NOT decided_by IS DISTINCT FROM 'time'::text) AND (status <> 'lapsed'::text OR decided_at >= (proposed_at + '24:00:00'::interval))),
  constraint act_proposals_status_check CHECK (status = ANY (ARRAY['proposed'::text, 'approved'::text, 'refused'::text, 'withdrawn'::text, 'lapsed'::text])),
  constraint act_proposals_two_people CHECK (status = 'withdrawn'::text OR person_in(decided_by) <> person_in(proposed_by)),
  constraint act_proposals_withdrawn_by_first CHECK (status <> 'withdrawn'::text OR person_in(decided_by) = person_in(proposed_by))
);
CREATE INDEX act_proposals_by_id ON act_proposals USING btree (id);
CREATE UNIQUE INDEX act_proposals_standing ON act_proposals USING btree (merchant_id, livemode, act, key) WHERE status = 'proposed'::text;
CREATE INDEX act_proposals_waiting ON act_proposals USING btree (proposed_at) WHERE status = 'proposed'::text;
CREATE TRIGGER act_proposals_decided_once BEFORE UPDATE ON act_proposals FOR EACH ROW EXECUTE FUNCTION check_act_decision();
CREATE TRIGGER act_proposals_independent BEFORE INSERT OR UPDATE OF decided_by ON act_proposals FOR EACH ROW WHEN (new.decided_by IS NOT NULL AND new.status <> 'withdrawn'::text) EXECUTE FUNCTION check_independence('decided_by', 'proposed_by');
CREATE TRIGGER act_proposals_not_deleted BEFORE DELETE ON act_proposals FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table adjustments (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  direction text not null,
  amount bigint not null,
  counterpart text not null,
  reason text not null,
  anomaly_id text,
  status text not null default 'proposed'::text,
  proposed_by text not null,
  decided_by text,
  proposed_at timestamp with time zone not null default clock_now(),
  decided_at timestamp with time zone,
  constraint adjustments_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint adjustments_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint adjustments_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint adjustments_check CHECK (decided_by <> proposed_by),
  constraint adjustments_check1 CHECK ((status = 'proposed'::text) = (decided_at IS NULL)),
  constraint adjustments_check2 CHECK ((decided_by IS NULL) = (decided_at IS NULL)),
  constraint adjustments_counterpart_check CHECK ((counterpart = ANY (ARRAY['fees'::text, 'bank'::text])) OR counterpart ~ '^operator:[a-z_]{1,40}$'::text OR counterpart ~ '^held:[a-z][a-z0-9_-]{0,39}$'::text),
  constraint adjustments_direction_check CHECK (direction = ANY (ARRAY['credit'::text, 'debit'::text])),
  constraint adjustments_lapsed CHECK ((status = 'lapsed'::text) = (NOT decided_by IS DISTINCT FROM 'time'::text) AND (status <> 'lapsed'::text OR decided_at >= (proposed_at + '24:00:00'::interval))),
  constraint adjustments_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint adjustments_status_check CHECK (status = ANY (ARRAY['proposed'::text, 'approved'::text, 'refused'::text, 'lapsed'::text])),
  constraint adjustments_two_people CHECK (person_in(decided_by) <> person_in(proposed_by))
);
CREATE INDEX adjustments_by_id ON adjustments USING btree (id);
CREATE INDEX adjustments_waiting ON adjustments USING btree (proposed_at) WHERE status = 'proposed'::text;
CREATE TRIGGER adjustments_decided_once BEFORE UPDATE ON adjustments FOR EACH ROW EXECUTE FUNCTION check_decision();
CREATE TRIGGER adjustments_independent BEFORE INSERT OR UPDATE OF decided_by ON adjustments FOR EACH ROW WHEN (new.decided_by IS NOT NULL) EXECUTE FUNCTION check_independence('decided_by', 'proposed_by');
CREATE TRIGGER adjustments_not_deleted BEFORE DELETE ON adjustments FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table anomalies (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  kind text not null,
  fact text not null default ''::text,
  id text not null,
  operator text,
  evidence jsonb not null,
  opened_at timestamp with time zone not null default clock_now(),
  closed_at timestamp with time zone,
  constraint anomalies_pkey PRIMARY KEY (merchant_id, livemode, subject_id, kind, fact),
  constraint anomalies_kind_check CHECK (kind = ANY (ARRAY['amount_differs'::text, 'currency_differs'::text, 'proof_after_refusal'::text, 'refusal_after_proof'::text, 'unknown_status'::text, 'unknown_reference'::text, 'second_success'::text, 'in_doubt'::text]))
);
CREATE INDEX anomalies_by_id ON anomalies USING btree (id);
CREATE INDEX anomalies_open ON anomalies USING btree (opened_at) WHERE closed_at IS NULL;

create table anomaly_proposals (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  anomaly_id text not null,
  resolution text not null,
  amount bigint,
  of_merchant_id bigint,
  reason text not null,
  status text not null default 'proposed'::text,
  proposed_by text not null,
  decided_by text,
  adjustment_id text,
  proposed_at timestamp with time zone not null default clock_now(),
  decided_at timestamp with time zone,
  constraint anomaly_proposals_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint anomaly_proposals_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint anomaly_proposals_check CHECK (decided_by <> proposed_by),
  constraint anomaly_proposals_check1 CHECK ((resolution = ANY (ARRAY['as_proven'::text, 'as_refused'::text, 'nothing'::text])) OR amount IS NOT NULL),
  constraint anomaly_proposals_check2 CHECK ((status = 'proposed'::text) = (decided_at IS NULL)),
  constraint anomaly_proposals_check3 CHECK ((decided_by IS NULL) = (decided_at IS NULL)),
  constraint anomaly_proposals_lapsed CHECK ((status = 'lapsed'::text) = (NOT decided_by IS DISTINCT FROM 'time'::text) AND (status <> 'lapsed'::text OR decided_at >= (proposed_at + '24:00:00'::interval))),
  constraint anomaly_proposals_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint anomaly_proposals_resolution_check CHECK (resolution = ANY (ARRAY['as_proven'::text, 'as_refused'::text, 'credit_available'::text, 'debit_available'::text, 'returned_by_hand'::text, 'nothing'::text])),
  constraint anomaly_proposals_status_check CHECK (status = ANY (ARRAY['proposed'::text, 'approved'::text, 'refused'::text, 'lapsed'::text])),
  constraint anomaly_proposals_two_people CHECK (person_in(decided_by) <> person_in(proposed_by))
);
CREATE UNIQUE INDEX anomaly_proposals_standing ON anomaly_proposals USING btree (merchant_id, livemode, anomaly_id) WHERE status = ANY (ARRAY['proposed'::text, 'approved'::text]);
CREATE INDEX anomaly_proposals_waiting ON anomaly_proposals USING btree (proposed_at) WHERE status = 'proposed'::text;
CREATE TRIGGER anomaly_proposals_decided_once BEFORE UPDATE ON anomaly_proposals FOR EACH ROW EXECUTE FUNCTION check_decision();
CREATE TRIGGER anomaly_proposals_independent BEFORE INSERT OR UPDATE OF decided_by ON anomaly_proposals FOR EACH ROW WHEN (new.decided_by IS NOT NULL) EXECUTE FUNCTION check_independence('decided_by', 'proposed_by');
CREATE TRIGGER anomaly_proposals_not_deleted BEFORE DELETE ON anomaly_proposals FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table api_key_lookup (
  key_id text not null,
  merchant_id bigint not null,
  livemode boolean not null,
  constraint api_key_lookup_pkey PRIMARY KEY (key_id)
);

create table api_keys (
  merchant_id bigint not null,
  livemode boolean not null,
  key_id text not null,
  scope text not null,
  secret_hash bytea not null,
  allowed_addresses cidr[] not null default '{}'::cidr[],
  last_refused_address inet,
  last_refused_at timestamp with time zone,
  created_at timestamp with time zone not null default clock_now(),
  revoked_at timestamp with time zone,
  name text,
  created_by text,
  needs_confirmation boolean not null default false,
  confirmed_by text,
  confirmed_at timestamp with time zone,
  revoked_by text,
  last_used_at timestamp with time zone,
  last_used_address inet,
  widened_by text,
  constraint api_keys_pkey PRIMARY KEY (merchant_id, livemode, key_id),
  constraint api_keys_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint api_keys_confirmation_check CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL)),
  constraint api_keys_maker_check CHECK (NOT needs_confirmation OR created_by IS NOT NULL),
  constraint api_keys_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint api_keys_scope_check CHECK (scope = ANY (ARRAY['collect'::text, 'payout'::text])),
  constraint api_keys_secret_hash_check CHECK (octet_length(secret_hash) = 32),
  constraint api_keys_widened_by_check CHECK (length(widened_by) >= 1 AND length(widened_by) <= 200)
);
CREATE TRIGGER api_keys_as_confirmed BEFORE UPDATE OF allowed_addresses ON api_keys FOR EACH ROW WHEN (new.needs_confirmation AND new.confirmed_by IS NOT NULL AND NOT new.confirmed_at IS DISTINCT FROM old.confirmed_at AND is_wider(old.allowed_addresses, new.allowed_addresses)) EXECUTE FUNCTION check_key_addresses();
CREATE TRIGGER api_keys_two_people BEFORE INSERT OR UPDATE OF confirmed_by, created_by ON api_keys FOR EACH ROW WHEN (new.needs_confirmation AND new.confirmed_by IS NOT NULL) EXECUTE FUNCTION check_key_confirmation();

create table audit_chain (
  merchant_id bigint not null,
  sequence bigint not null,
  line_at timestamp with time zone not null,
  line_id uuid not null,
  hash bytea not null,
  chained_at timestamp with time zone not null default clock_now(),
  constraint audit_chain_pkey PRIMARY KEY (merchant_id, sequence),
  constraint audit_chain_merchant_id_line_id_key UNIQUE (merchant_id, line_id),
  constraint audit_chain_hash_check CHECK (octet_length(hash) = 32),
  constraint audit_chain_sequence_check CHECK (sequence > 0)
);
CREATE TRIGGER audit_chain_append_only BEFORE DELETE OR UPDATE ON audit_chain FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_chain_not_truncated BEFORE TRUNCATE ON audit_chain FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table audit_log (
  merchant_id bigint not null,
  livemode boolean,
  id uuid not null default gen_random_uuid(),
  at timestamp with time zone not null default clock_now(),
  actor text not null,
  door text not null,
  act text not null,
  subject text,
  before jsonb,
  after jsonb,
  from_address inet,
  step_up_id text,
  constraint audit_log_pkey PRIMARY KEY (merchant_id, at, id),
  constraint audit_log_act_check CHECK (act ~ '^[a-z_]+(\.[a-z_]+)+$'::text),
  constraint audit_log_actor_check CHECK (length(actor) >= 1 AND length(actor) <= 200),
  constraint audit_log_door_check CHECK (length(door) >= 1 AND length(door) <= 40)
);
CREATE INDEX audit_log_by_act ON audit_log USING btree (act, at, id);
CREATE INDEX audit_log_by_actor ON audit_log USING btree (actor, at, id);
CREATE INDEX audit_log_by_subject ON audit_log USING btree (subject, at, id) WHERE subject IS NOT NULL;
CREATE INDEX audit_log_by_time ON audit_log USING btree (at, id);
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_not_truncated BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table audit_runs (
  finished_at timestamp with time zone not null default clock_timestamp(),
  failed_checks integer not null,
  constraint audit_runs_pkey PRIMARY KEY (finished_at),
  constraint audit_runs_failed_checks_check CHECK (failed_checks >= 0)
);

create table backup_refusals (
  refused_at timestamp with time zone not null default clock_timestamp(),
  cause text not null,
  constraint backup_refusals_pkey PRIMARY KEY (refused_at),
  constraint backup_refusals_cause_check CHECK (cause = 'no_space'::text)
);

create table backup_runs (
  finished_at timestamp with time zone not null default clock_timestamp(),
  kind text not null,
  bytes bigint not null,
  began_at timestamp with time zone,
  level text,
  backup text,
  constraint backup_runs_pkey PRIMARY KEY (finished_at),
  constraint backup_runs_bytes_check CHECK (bytes > 0),
  constraint backup_runs_kind_check CHECK (kind = 'dump'::text),
  constraint backup_runs_level_check CHECK (level = ANY (ARRAY['full'::text, 'diff'::text, 'incr'::text]))
);

create table batch_drafts (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  name text not null,
  file_name text,
  file_sha256 bytea,
  file_content bytea,
  from_batch_id text,
  reading jsonb not null,
  lines jsonb not null,
  version integer not null default 1,
  made_by text not null,
  created_at timestamp with time zone not null default clock_now(),
  expires_at timestamp with time zone not null,
  constraint batch_drafts_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint batch_drafts_of_a_version UNIQUE (merchant_id, livemode, id, version),
  constraint batch_drafts_file_content_check CHECK (octet_length(file_content) >= 1 AND octet_length(file_content) <= 5242880),
  constraint batch_drafts_file_name_check CHECK (length(file_name) >= 1 AND length(file_name) <= 255),
  constraint batch_drafts_file_sha256_check CHECK (octet_length(file_sha256) = 32),
  constraint batch_drafts_from_somewhere CHECK (file_name IS NULL OR from_batch_id IS NULL),
  constraint batch_drafts_lines_check CHECK (jsonb_array_length(lines) <= 500),
  constraint batch_drafts_name_check CHECK (length(name) >= 1 AND length(name) <= 255),
  constraint batch_drafts_whole_file CHECK ((file_name IS NULL) = (file_sha256 IS NULL) AND (file_name IS NULL) = (file_content IS NULL))
);
CREATE INDEX batch_drafts_of_failed_lines ON batch_drafts USING btree (merchant_id, livemode, from_batch_id) WHERE from_batch_id IS NOT NULL;
CREATE INDEX batch_drafts_of_file ON batch_drafts USING btree (merchant_id, livemode, file_sha256);

create table batch_file_columns (
  merchant_id bigint not null,
  livemode boolean not null,
  header_sha256 bytea not null,
  columns jsonb not null,
  assigned_by text not null,
  assigned_at timestamp with time zone not null default clock_now(),
  constraint batch_file_columns_pkey PRIMARY KEY (merchant_id, livemode, header_sha256),
  constraint batch_file_columns_columns_check CHECK (jsonb_array_length(columns) <= 64),
  constraint batch_file_columns_header_sha256_check CHECK (octet_length(header_sha256) = 32)
);

create table beneficiaries (
  merchant_id bigint not null,
  livemode boolean not null,
  id uuid not null default gen_random_uuid(),
  kind text not null,
  label text,
  name text not null,
  operator text,
  msisdn text,
  iban text,
  last4 text not null,
  active boolean not null default true,
  designated_at timestamp with time zone,
  created_at timestamp with time zone not null default clock_now(),
  archived_at timestamp with time zone,
  added_by text,
  archived_by text,
  constraint beneficiaries_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint beneficiaries_added_by_check CHECK (length(added_by) >= 1 AND length(added_by) <= 200),
  constraint beneficiaries_archived CHECK (active = (archived_at IS NULL)),
  constraint beneficiaries_archived_by CHECK (archived_by IS NULL OR NOT active),
  constraint beneficiaries_archived_by_check CHECK (length(archived_by) >= 1 AND length(archived_by) <= 200),
  constraint beneficiaries_designated CHECK (designated_at IS NULL OR kind = 'settlement'::text AND active),
  constraint beneficiaries_iban_check CHECK (iban ~ '^CI[0-9A-Z]{26}$'::text),
  constraint beneficiaries_iban_for_settlement CHECK (iban IS NULL OR kind = 'settlement'::text),
  constraint beneficiaries_kind_check CHECK (kind = ANY (ARRAY['payout'::text, 'settlement'::text])),
  constraint beneficiaries_label_check CHECK (length(label) >= 1 AND length(label) <= 200),
  constraint beneficiaries_last4 CHECK (last4 = "right"(COALESCE(msisdn, iban), 4)),
  constraint beneficiaries_msisdn_check CHECK (msisdn ~ '^\+225\d{10}$'::text),
  constraint beneficiaries_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint beneficiaries_number_has_operator CHECK (kind = 'payout'::text OR msisdn IS NULL OR operator IS NOT NULL),
  constraint beneficiaries_one_destination CHECK (num_nonnulls(msisdn, iban) = 1)
);
CREATE INDEX beneficiaries_archived_msisdn ON beneficiaries USING btree (merchant_id, livemode, kind, msisdn) WHERE NOT active AND msisdn IS NOT NULL;
CREATE INDEX beneficiaries_by_state ON beneficiaries USING btree (merchant_id, livemode, active, created_at, id);
CREATE UNIQUE INDEX beneficiaries_designated_key ON beneficiaries USING btree (merchant_id, livemode) WHERE designated_at IS NOT NULL;
CREATE UNIQUE INDEX beneficiaries_iban_key ON beneficiaries USING btree (merchant_id, livemode, kind, iban) WHERE active AND iban IS NOT NULL;
CREATE UNIQUE INDEX beneficiaries_msisdn_key ON beneficiaries USING btree (merchant_id, livemode, kind, msisdn) WHERE active AND msisdn IS NOT NULL;
CREATE TRIGGER beneficiaries_archiving_counted AFTER UPDATE OF active ON beneficiaries FOR EACH ROW WHEN (old.active IS DISTINCT FROM new.active) EXECUTE FUNCTION count_archived_entry();
CREATE TRIGGER beneficiaries_counted AFTER INSERT ON beneficiaries REFERENCING NEW TABLE AS new_entries FOR EACH STATEMENT EXECUTE FUNCTION count_new_entries();

create table book_sizes (
  merchant_id bigint not null,
  livemode boolean not null,
  active bigint not null,
  archived bigint not null,
  constraint book_sizes_pkey PRIMARY KEY (merchant_id, livemode)
);

create table calendar_days (
  day date not null,
  business boolean not null,
  name text,
  changed_by text not null,
  changed_at timestamp with time zone not null default clock_now(),
  constraint calendar_days_pkey PRIMARY KEY (day),
  constraint calendar_days_name_check CHECK (length(name) >= 1 AND length(name) <= 80),
  constraint calendar_days_named CHECK (business = (name IS NULL))
);

create table cap_proposals (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  cap text not null,
  amount bigint not null,
  reason text not null,
  status text not null default 'proposed'::text,
  proposed_by text not null,
  proposed_at timestamp with time zone not null default clock_now(),
  decided_by text,
  decided_at timestamp with time zone,
  refusal_reason text,
  constraint cap_proposals_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint cap_proposals_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint cap_proposals_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint cap_proposals_check CHECK ((cap = ANY (ARRAY['operation'::text, 'day'::text])) OR cap = 'payment'::text AND livemode),
  constraint cap_proposals_check1 CHECK ((status = 'proposed'::text) = (decided_at IS NULL)),
  constraint cap_proposals_check2 CHECK ((decided_by IS NULL) = (decided_at IS NULL)),
  constraint cap_proposals_check3 CHECK ((status = 'refused'::text) = (refusal_reason IS NOT NULL)),
  constraint cap_proposals_lapsed CHECK ((status = 'lapsed'::text) = (NOT decided_by IS DISTINCT FROM 'time'::text) AND (status <> 'lapsed'::text OR decided_at >= (proposed_at + '24:00:00'::interval))),
  constraint cap_proposals_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint cap_proposals_refusal_reason_check CHECK (length(refusal_reason) >= 1 AND length(refusal_reason) <= 500),
  constraint cap_proposals_status_check CHECK (status = ANY (ARRAY['proposed'::text, 'approved'::text, 'refused'::text, 'superseded'::text, 'lapsed'::text])),
  constraint cap_proposals_two_people CHECK (status = 'superseded'::text OR person_in(decided_by) <> person_in(proposed_by))
);
CREATE INDEX cap_proposals_by_id ON cap_proposals USING btree (id);
CREATE UNIQUE INDEX cap_proposals_standing ON cap_proposals USING btree (merchant_id, livemode, cap) WHERE status = 'proposed'::text;
CREATE INDEX cap_proposals_waiting ON cap_proposals USING btree (proposed_at) WHERE status = 'proposed'::text;
CREATE TRIGGER cap_proposals_decided_once BEFORE UPDATE ON cap_proposals FOR EACH ROW EXECUTE FUNCTION check_decision();
CREATE TRIGGER cap_proposals_independent BEFORE INSERT OR UPDATE OF decided_by ON cap_proposals FOR EACH ROW WHEN (new.decided_by IS NOT NULL AND new.status <> 'superseded'::text) EXECUTE FUNCTION check_independence('decided_by', 'proposed_by');
CREATE TRIGGER cap_proposals_not_deleted BEFORE DELETE ON cap_proposals FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table case_owners (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  person text not null,
  taken_at timestamp with time zone not null default clock_now(),
  constraint case_owners_pkey PRIMARY KEY (merchant_id, livemode, subject_id),
  constraint case_owners_person_check CHECK (length(person) >= 1 AND length(person) <= 200),
  constraint case_owners_subject_id_check CHECK (length(subject_id) >= 1 AND length(subject_id) <= 255)
);

create table changed_days (
  id uuid not null default gen_random_uuid(),
  livemode boolean not null,
  account text not null,
  day date not null,
  constraint changed_days_pkey PRIMARY KEY (id)
);

create table checkout_session_transitions (
  from_status text not null,
  to_status text not null,
  constraint checkout_session_transitions_pkey PRIMARY KEY (from_status, to_status)
);

create table checkout_session_transitions_log (
  merchant_id bigint not null,
  livemode boolean not null,
  session_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  cause text not null,
  transitioned_at timestamp with time zone not null default clock_now(),
  constraint checkout_session_transitions_log_pkey PRIMARY KEY (merchant_id, livemode, session_id, number),
  constraint checkout_session_transitions__merchant_id_livemode_session_fkey FOREIGN KEY (merchant_id, livemode, session_id) REFERENCES checkout_sessions(merchant_id, livemode, id)
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);
CREATE TRIGGER checkout_session_transitions_log_append_only BEFORE DELETE OR UPDATE ON checkout_session_transitions_log FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table checkout_sessions (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  link_id text,
  status text not null default 'open'::text,
  amount bigint not null,
  min_amount bigint,
  max_amount bigint,
  currency text not null,
  description text,
  return_url text,
  attempts integer not null default 0,
  payment_id text,
  attempt_live boolean not null default false,
  transition_count integer not null default 0,
  created_at timestamp with time zone not null default clock_now(),
  expires_at timestamp with time zone not null,
  paid_at timestamp with time zone,
  closed_at timestamp with time zone,
  reference text,
  amount_in_address boolean not null default false,
  constraint checkout_sessions_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint checkout_sessions_merchant_id_livemode_link_id_fkey FOREIGN KEY (merchant_id, livemode, link_id) REFERENCES payment_links(merchant_id, livemode, id),
  constraint checkout_sessions_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint checkout_sessions_check CHECK (NOT attempt_live OR status = 'open'::text AND payment_id IS NOT NULL),
  constraint checkout_sessions_check1 CHECK (status <> 'paid'::text OR payment_id IS NOT NULL),
  constraint checkout_sessions_currency_check CHECK (currency = 'XOF'::text),
  constraint checkout_sessions_return_url_check CHECK (return_url ~~ 'https://%'::text)
);
CREATE INDEX checkout_sessions_by_id ON checkout_sessions USING btree (id);
CREATE INDEX checkout_sessions_due ON checkout_sessions USING btree (expires_at) WHERE status = 'open'::text AND NOT attempt_live;
CREATE INDEX checkout_sessions_in_state ON checkout_sessions USING btree (merchant_id, livemode, status, id);
CREATE INDEX checkout_sessions_of_link ON checkout_sessions USING btree (merchant_id, livemode, link_id) WHERE link_id IS NOT NULL AND status = 'open'::text;
CREATE INDEX checkout_sessions_opened_from_link ON checkout_sessions USING btree (merchant_id, livemode, link_id, id) WHERE link_id IS NOT NULL;
CREATE INDEX checkout_sessions_paid_of_link ON checkout_sessions USING btree (merchant_id, livemode, link_id) INCLUDE (amount) WHERE link_id IS NOT NULL AND status = 'paid'::text;
CREATE TRIGGER checkout_sessions_fixed BEFORE UPDATE ON checkout_sessions FOR EACH ROW WHEN (old.amount IS DISTINCT FROM new.amount OR old.currency IS DISTINCT FROM new.currency OR old.return_url IS DISTINCT FROM new.return_url OR old.link_id IS DISTINCT FROM new.link_id OR old.expires_at IS DISTINCT FROM new.expires_at OR old.reference IS DISTINCT FROM new.reference OR old.amount_in_address IS DISTINCT FROM new.amount_in_address OR old.status = 'paid'::text AND old.payment_id IS DISTINCT FROM new.payment_id) EXECUTE FUNCTION check_checkout_session_facts();
CREATE TRIGGER checkout_sessions_move BEFORE UPDATE OF status ON checkout_sessions FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION check_checkout_session_move();

create table checkout_tokens (
  token_hash bytea not null,
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  constraint checkout_tokens_pkey PRIMARY KEY (token_hash),
  constraint checkout_tokens_token_hash_check CHECK (octet_length(token_hash) = 32)
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);

create table code_submissions (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  submitted_at timestamp with time zone not null default clock_now(),
  lapsed boolean not null default false,
  constraint code_submissions_pkey PRIMARY KEY (subject_id, merchant_id, livemode),
  constraint code_submissions_merchant_id_livemode_subject_id_fkey FOREIGN KEY (merchant_id, livemode, subject_id) REFERENCES instructions(merchant_id, livemode, subject_id)
);

create table collection_outbox (
  id uuid not null,
  partition_key text not null,
  owner text not null default ''::text,
  collections json not null,
  created_at timestamp with time zone not null default clock_now(),
  next_check_at timestamp with time zone not null default clock_now() + '00:01:00'::interval,
  constraint collection_outbox_pkey PRIMARY KEY (id)
);
CREATE INDEX collection_outbox_due ON collection_outbox USING btree (next_check_at);

create table connector_balances (
  connector text not null,
  asked_at timestamp with time zone not null,
  answered_at timestamp with time zone not null,
  amount bigint not null,
  expected_from bigint,
  expected_to bigint,
  difference bigint,
  in_flight bigint not null,
  held bigint not null,
  outflow_of_a_day bigint not null,
  warnings text[] not null,
  accepted_by text,
  accepted_at timestamp with time zone,
  constraint connector_balances_pkey PRIMARY KEY (connector, asked_at),
  constraint connector_balances_acceptance CHECK ((accepted_by IS NULL) = (accepted_at IS NULL)),
  constraint connector_balances_range CHECK ((expected_from IS NULL) = (difference IS NULL) AND expected_from <= expected_to)
);
CREATE INDEX connector_balances_accepted ON connector_balances USING btree (connector, asked_at) WHERE accepted_at IS NOT NULL;

create table connector_circuits (
  connector text not null,
  process uuid not null,
  refuses_until timestamp with time zone not null,
  constraint connector_circuits_pkey PRIMARY KEY (connector, process)
);

create table connector_drafts (
  draft_id text not null,
  session_id text not null,
  connector text not null,
  draft_sealed bytea not null,
  created_at timestamp with time zone not null default clock_now(),
  expires_at timestamp with time zone not null,
  constraint connector_drafts_pkey PRIMARY KEY (draft_id)
);

create table connector_movements (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  number smallint not null,
  connector text not null,
  operator text,
  direction text not null,
  amount bigint not null,
  charge bigint not null,
  charge_stated boolean not null,
  sent_at timestamp with time zone not null,
  moved_at timestamp with time zone not null,
  constraint connector_movements_pkey PRIMARY KEY (subject_id, merchant_id, livemode, number),
  constraint connector_movements_amount_check CHECK (amount >= 0),
  constraint connector_movements_direction_check CHECK (direction = ANY (ARRAY['collect'::text, 'payout'::text, 'refund'::text])),
  constraint connector_movements_first CHECK (
CASE number
    WHEN 1 THEN amount > 0 AND charge >= 0
    ELSE amount = 0 AND charge_stated
END),
  constraint connector_movements_number_check CHECK (number = ANY (ARRAY[1, 2]))
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);
CREATE INDEX connector_movements_in_time ON connector_movements USING btree (connector, moved_at);
CREATE TRIGGER connector_movements_append_only BEFORE DELETE OR UPDATE ON connector_movements FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER connector_movements_not_truncated BEFORE TRUNCATE ON connector_movements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table connector_settings (
  connector text not null,
  generation integer not null,
  settings_sealed bytea not null,
  replaced_at timestamp with time zone,
  constraint connector_settings_pkey PRIMARY KEY (connector, generation)
);

create table connectors (
  name text not null,
  type text not null,
  livemode boolean not null,
  generation integer not null default 1,
  callback_token_sealed bytea not null,
  created_by text not null,
  created_at timestamp with time zone not null default clock_now(),
  changed_by text not null,
  changed_at timestamp with time zone not null default clock_now(),
  removed_by text,
  removed_at timestamp with time zone,
  terms jsonb not null default '{}'::jsonb,
  balance_asked_at timestamp with time zone,
  check_fails boolean not null default false,
  constraint connectors_pkey PRIMARY KEY (name),
  constraint connectors_generation_check CHECK (generation > 0),
  constraint connectors_name_check CHECK (name ~ '^[a-z][a-z0-9_-]{0,39}$'::text),
  constraint connectors_removal CHECK ((removed_by IS NULL) = (removed_at IS NULL))
);
CREATE TRIGGER connectors_kept BEFORE DELETE ON connectors FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table daily_figures (
  merchant_id bigint not null,
  livemode boolean not null,
  kind text not null,
  day date not null,
  operator text not null,
  status text not null,
  failure_code text not null,
  within_seconds integer not null,
  count bigint not null,
  amount bigint not null,
  fee_amount bigint not null,
  constraint daily_figures_pkey PRIMARY KEY (merchant_id, livemode, kind, day, operator, status, failure_code, within_seconds),
  constraint daily_figures_kind_check CHECK (kind = ANY (ARRAY['payment'::text, 'payout'::text]))
) with (fillfactor=70, autovacuum_analyze_scale_factor=0.5);

create table deliveries (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  event_id text not null,
  endpoint_id text not null,
  status text not null,
  attempts integer not null default 0,
  scheduled_attempts integer not null default 0,
  next_attempt_at timestamp with time zone default clock_now(),
  fence integer not null default 0,
  lease_until timestamp with time zone,
  created_at timestamp with time zone not null default clock_now(),
  finished_at timestamp with time zone,
  constraint deliveries_pkey PRIMARY KEY (id, merchant_id, livemode),
  constraint deliveries_event_key UNIQUE (event_id, merchant_id, livemode, endpoint_id),
  constraint deliveries_merchant_id_livemode_endpoint_id_fkey FOREIGN KEY (merchant_id, livemode, endpoint_id) REFERENCES endpoints(merchant_id, livemode, id),
  constraint deliveries_merchant_id_livemode_event_id_fkey FOREIGN KEY (merchant_id, livemode, event_id) REFERENCES events(merchant_id, livemode, id),
  constraint deliveries_status_check CHECK (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'held'::text]))
) with (fillfactor=60, autovacuum_analyze_scale_factor=1.5);
CREATE INDEX deliveries_due ON deliveries USING btree (merchant_id, livemode, endpoint_id, next_attempt_at) WHERE status = 'pending'::text;
CREATE INDEX deliveries_failed ON deliveries USING btree (merchant_id, livemode, endpoint_id, event_id) WHERE status = 'failed'::text;
CREATE INDEX deliveries_held ON deliveries USING btree (merchant_id, livemode, endpoint_id, event_id) WHERE status = 'held'::text;

create table delivery_attempts (
  merchant_id bigint not null,
  livemode boolean not null,
  delivery_id text not null,
  number integer not null,
  attempted_at timestamp with time zone not null default clock_now(),
  status_code smallint,
  error text,
  duration_ms integer not null,
  response_excerpt text,
  constraint delivery_attempts_pkey PRIMARY KEY (merchant_id, livemode, delivery_id, number, attempted_at)
) partition by RANGE (attempted_at);

create table deposit_lines (
  livemode boolean not null,
  line_id text not null,
  line_month date not null,
  account text not null,
  file_id text not null,
  reference text not null,
  amount bigint not null,
  imported_by text not null,
  proposal_id text not null,
  deposit_id text not null,
  used_at timestamp with time zone not null default clock_now(),
  constraint deposit_lines_once PRIMARY KEY (livemode, line_id),
  constraint deposit_lines_of_proposal UNIQUE (proposal_id),
  constraint deposit_lines_file_id_fkey FOREIGN KEY (file_id) REFERENCES statement_files(id),
  constraint deposit_lines_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint)
);
CREATE INDEX deposit_lines_of_file ON deposit_lines USING btree (file_id);
CREATE TRIGGER deposit_lines_append_only BEFORE DELETE OR UPDATE ON deposit_lines FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER deposit_lines_shown BEFORE INSERT ON deposit_lines FOR EACH ROW EXECUTE FUNCTION check_deposit_line();

create table destination_proposals (
  merchant_id bigint not null,
  livemode boolean not null,
  id uuid not null default gen_random_uuid(),
  beneficiary_id uuid not null,
  status text not null default 'proposed'::text,
  proposed_by text not null,
  proposed_at timestamp with time zone not null default clock_now(),
  decided_by text,
  decided_at timestamp with time zone,
  owner text,
  reason text,
  break_glass boolean not null default false,
  stopped_by text,
  stopped_at timestamp with time zone,
  proof_session_id text,
  by_company boolean not null default false,
  called_by text,
  called_at timestamp with time zone,
  called_number text,
  call_report text,
  constraint destination_proposals_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint destination_proposals_merchant_id_livemode_beneficiary_id_fkey FOREIGN KEY (merchant_id, livemode, beneficiary_id) REFERENCES beneficiaries(merchant_id, livemode, id),
  constraint destination_proposals_break_glass CHECK (NOT break_glass OR status = 'confirmed'::text),
  constraint destination_proposals_call_report_check CHECK (length(call_report) >= 1 AND length(call_report) <= 500),
  constraint destination_proposals_called CHECK ((called_by IS NULL) = (called_at IS NULL) AND (called_by IS NULL) = (called_number IS NULL) AND (called_by IS NULL) = (call_report IS NULL) AND (by_company OR called_by IS NULL)),
  constraint destination_proposals_called_by_check CHECK (length(called_by) >= 1 AND length(called_by) <= 200),
  constraint destination_proposals_called_number_check CHECK (length(called_number) >= 1 AND length(called_number) <= 40),
  constraint destination_proposals_company_two_people CHECK (NOT by_company OR status <> 'confirmed'::text OR COALESCE(person_in(called_by) <> person_in(decided_by) AND person_in(called_by) <> person_in(proposed_by), false)),
  constraint destination_proposals_decided CHECK ((status = 'proposed'::text) = (decided_by IS NULL) AND (decided_by IS NULL) = (decided_at IS NULL)),
  constraint destination_proposals_decided_by_check CHECK (length(decided_by) >= 1 AND length(decided_by) <= 200),
  constraint destination_proposals_lapsed CHECK ((status = 'lapsed'::text) = (NOT decided_by IS DISTINCT FROM 'time'::text) AND (status <> 'lapsed'::text OR decided_at >= (proposed_at + '24:00:00'::interval))),
  constraint destination_proposals_owner CHECK (status <> 'confirmed'::text OR break_glass OR COALESCE(owner = proposed_by OR owner = decided_by, false)),
  constraint destination_proposals_people CHECK (person_in(proposed_by) !~~ 'key:%'::text AND person_in(decided_by) !~~ 'key:%'::text),
  constraint destination_proposals_proposed_by_check CHECK (length(proposed_by) >= 1 AND length(proposed_by) <= 200),
  constraint destination_proposals_proven CHECK (proof_session_id IS NULL OR COALESCE(status = 'confirmed'::text AND NOT break_glass AND person_in(decided_by) = person_in(proposed_by), false)),
  constraint destination_proposals_reason CHECK ((status = 'refused'::text) = (reason IS NOT NULL)),
  constraint destination_proposals_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint destination_proposals_status_check CHECK (status = ANY (ARRAY['proposed'::text, 'confirmed'::text, 'refused'::text, 'withdrawn'::text, 'lapsed'::text])),
  constraint destination_proposals_stopped CHECK ((stopped_by IS NULL) = (stopped_at IS NULL) AND (stopped_by IS NULL OR status = 'confirmed'::text)),
  constraint destination_proposals_stopped_by_check CHECK (length(stopped_by) >= 1 AND length(stopped_by) <= 200),
  constraint destination_proposals_two_people CHECK (break_glass OR proof_session_id IS NOT NULL OR (status <> ALL (ARRAY['confirmed'::text, 'refused'::text])) OR person_in(decided_by) <> person_in(proposed_by)),
  constraint destination_proposals_withdrawn CHECK (status <> 'withdrawn'::text OR person_in(decided_by) = person_in(proposed_by))
);
CREATE INDEX destination_proposals_by_id ON destination_proposals USING btree (id);
CREATE INDEX destination_proposals_of_company ON destination_proposals USING btree (proposed_at) WHERE by_company AND status = 'proposed'::text;
CREATE INDEX destination_proposals_order ON destination_proposals USING btree (merchant_id, livemode, proposed_at, id);
CREATE UNIQUE INDEX destination_proposals_own ON destination_proposals USING btree (merchant_id, livemode) WHERE proof_session_id IS NOT NULL;
CREATE UNIQUE INDEX destination_proposals_waiting ON destination_proposals USING btree (merchant_id, livemode) WHERE status = 'proposed'::text;
CREATE TRIGGER destination_proposals_caller_independent BEFORE INSERT OR UPDATE OF decided_by ON destination_proposals FOR EACH ROW WHEN (new.by_company AND new.status = 'confirmed'::text) EXECUTE FUNCTION check_independence('decided_by', 'called_by');
CREATE TRIGGER destination_proposals_decided_once BEFORE UPDATE ON destination_proposals FOR EACH ROW EXECUTE FUNCTION check_destination_decision();
CREATE TRIGGER destination_proposals_independent BEFORE INSERT OR UPDATE OF decided_by ON destination_proposals FOR EACH ROW WHEN (new.decided_by IS NOT NULL AND NOT new.break_glass AND new.status <> 'withdrawn'::text AND new.proof_session_id IS NULL) EXECUTE FUNCTION check_independence('decided_by', 'proposed_by');
CREATE TRIGGER destination_proposals_not_deleted BEFORE DELETE ON destination_proposals FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table differences (
  id text not null,
  livemode boolean not null,
  account text not null,
  day date not null,
  kind text not null,
  status text not null,
  amount bigint not null,
  line_id text,
  line_month date,
  subject_id text,
  file_id text,
  anomaly_id text,
  due_on date,
  opened_at timestamp with time zone not null default clock_now(),
  closed_at timestamp with time zone,
  resolution text,
  proposal_id text,
  constraint differences_pkey PRIMARY KEY (id),
  constraint differences_amount_check CHECK (amount >= 0),
  constraint differences_check CHECK ((line_id IS NULL) = (line_month IS NULL)),
  constraint differences_check1 CHECK ((status = 'closed'::text) = (closed_at IS NOT NULL)),
  constraint differences_check2 CHECK ((status = 'closed'::text) = (resolution IS NOT NULL)),
  constraint differences_check3 CHECK (proposal_id IS NOT NULL OR status <> 'proposed'::text),
  constraint differences_status_check CHECK (status = ANY (ARRAY['waiting'::text, 'open'::text, 'proposed'::text, 'closed'::text]))
);
CREATE INDEX differences_absent ON differences USING btree (livemode, account, day) WHERE kind = 'missing_there'::text AND (status = ANY (ARRAY['waiting'::text, 'open'::text]));
CREATE INDEX differences_by_day ON differences USING btree (livemode, day, id);
CREATE INDEX differences_due ON differences USING btree (due_on) WHERE status = 'waiting'::text;
CREATE INDEX differences_of_day ON differences USING btree (livemode, account, day, id);
CREATE INDEX differences_with_anomaly ON differences USING btree (livemode, account, anomaly_id) WHERE status = 'open'::text AND anomaly_id IS NOT NULL;
CREATE INDEX differences_without_anomaly ON differences USING btree (livemode, account, kind, day) WHERE status = 'open'::text AND anomaly_id IS NULL AND subject_id IS NOT NULL AND line_id IS NOT NULL;
CREATE TRIGGER differences_decided_by_two BEFORE UPDATE ON differences FOR EACH ROW EXECUTE FUNCTION check_difference_decision();

create table drafted_batches (
  merchant_id bigint not null,
  livemode boolean not null,
  draft_id text not null,
  version integer not null,
  batch_id text not null,
  constraint drafted_batches_pkey PRIMARY KEY (merchant_id, livemode, draft_id),
  constraint drafted_batches_of_a_batch UNIQUE (merchant_id, livemode, batch_id),
  constraint drafted_batches_draft FOREIGN KEY (merchant_id, livemode, draft_id, version) REFERENCES batch_drafts(merchant_id, livemode, id, version),
  constraint drafted_batches_merchant_id_livemode_batch_id_fkey FOREIGN KEY (merchant_id, livemode, batch_id) REFERENCES payout_batches(merchant_id, livemode, id)
);

create table endpoints (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  url text not null,
  event_types text[] not null default '{}'::text[],
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_until timestamp with time zone,
  status text not null default 'enabled'::text,
  failing_since timestamp with time zone,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone not null default clock_now(),
  constraint endpoints_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint endpoints_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint endpoints_status_check CHECK (status = ANY (ARRAY['enabled'::text, 'disabled'::text])),
  constraint endpoints_url_check CHECK (length(url) <= 2048)
);
CREATE INDEX endpoints_by_id ON endpoints USING btree (id);

create table events (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  type text not null,
  subject_id text not null,
  body text not null,
  created_at timestamp with time zone not null default clock_now(),
  tx xid8 not null default pg_current_xact_id(),
  epoch integer not null default feed_epoch(),
  constraint events_pkey PRIMARY KEY (id, merchant_id, livemode)
) with (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);
CREATE INDEX events_about ON events USING btree (subject_id, merchant_id, livemode, id);
CREATE INDEX events_feed ON events USING btree (merchant_id, livemode, epoch, tx, id) INCLUDE (type);
CREATE INDEX events_of_kind ON events USING btree (merchant_id, livemode, type, id);
CREATE TRIGGER events_fixed BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_kept BEFORE DELETE ON events FOR EACH ROW WHEN (old.created_at > (clock_now() - '30 days'::interval)) EXECUTE FUNCTION refuse_change();

create table external_accounts (
  livemode boolean not null,
  code text not null,
  kind text not null,
  connector text,
  directions text[] not null default '{}'::text[],
  orders_from timestamp with time zone not null,
  number_sealed bytea,
  number_end text,
  profile text,
  due text not null,
  late_days smallint not null,
  opened_on date not null default (clock_now() AT TIME ZONE 'UTC'::text)::date,
  created_by text not null,
  created_at timestamp with time zone not null default clock_now(),
  constraint external_accounts_pkey PRIMARY KEY (livemode, code),
  constraint external_accounts_code_check CHECK (code ~ '^[a-z][a-z0-9_-]{0,39}$'::text),
  constraint external_accounts_directions_check CHECK (directions <@ ARRAY['collect'::text, 'payout'::text, 'refund'::text] AND cardinality(directions) <= 3),
  constraint external_accounts_due_check CHECK (due = ANY (ARRAY['daily'::text, 'business'::text])),
  constraint external_accounts_kind_check CHECK (kind = ANY (ARRAY['wallet'::text, 'bank'::text, 'safeguarding'::text])),
  constraint external_accounts_late_days_check CHECK (late_days >= 0 AND late_days <= 30),
  constraint external_accounts_number CHECK ((number_sealed IS NULL) = (number_end IS NULL)),
  constraint external_accounts_number_end_check CHECK (length(number_end) >= 1 AND length(number_end) <= 4),
  constraint external_accounts_profile_check CHECK (profile ~ '^[a-z][a-z0-9_]{0,39}$'::text),
  constraint external_accounts_wallet CHECK (
CASE kind
    WHEN 'wallet'::text THEN connector IS NOT NULL
    ELSE connector IS NULL AND directions = '{}'::text[]
END)
);
CREATE UNIQUE INDEX external_accounts_collect ON external_accounts USING btree (livemode, connector) WHERE 'collect'::text = ANY (directions);
CREATE UNIQUE INDEX external_accounts_payout ON external_accounts USING btree (livemode, connector) WHERE 'payout'::text = ANY (directions);
CREATE UNIQUE INDEX external_accounts_refund ON external_accounts USING btree (livemode, connector) WHERE 'refund'::text = ANY (directions);
CREATE UNIQUE INDEX external_accounts_rest ON external_accounts USING btree (livemode, connector) WHERE directions = '{}'::text[];
CREATE TRIGGER external_accounts_fixed BEFORE DELETE OR UPDATE ON external_accounts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER external_accounts_not_truncated BEFORE TRUNCATE ON external_accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table fee_schedules (
  merchant_id bigint not null,
  service text not null,
  effective_from timestamp with time zone not null,
  basis_points integer not null default 0,
  fixed bigint not null default 0,
  minimum bigint not null default 0,
  maximum bigint,
  bearer text not null default 'merchant'::text,
  constraint fee_schedules_pkey PRIMARY KEY (merchant_id, service, effective_from),
  constraint fee_schedules_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint fee_schedules_basis_points_check CHECK (basis_points >= 0 AND basis_points <= 10000),
  constraint fee_schedules_bearer_check CHECK (bearer = ANY (ARRAY['merchant'::text, 'payer'::text])),
  constraint fee_schedules_check CHECK (maximum >= minimum),
  constraint fee_schedules_fixed_check CHECK (fixed >= 0),
  constraint fee_schedules_minimum_check CHECK (minimum >= 0),
  constraint fee_schedules_service_check CHECK (service = ANY (ARRAY['collection'::text, 'payout'::text]))
);
CREATE TRIGGER fee_schedules_append_only BEFORE DELETE OR UPDATE ON fee_schedules FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table feed_epochs (
  epoch integer not null,
  server text not null,
  begun_at timestamp with time zone not null default clock_now(),
  constraint feed_epochs_pkey PRIMARY KEY (epoch),
  constraint feed_epochs_epoch_check CHECK (epoch > 0)
);

create table feed_floors (
  merchant_id bigint not null,
  livemode boolean not null,
  epoch integer not null,
  tx xid8 not null,
  id text not null,
  created_at timestamp with time zone not null,
  constraint feed_floors_pkey PRIMARY KEY (merchant_id, livemode)
);

create table idempotency_keys (
  merchant_id bigint not null,
  livemode boolean not null,
  key text not null,
  fingerprint bytea not null,
  status smallint not null,
  body text not null,
  created_at timestamp with time zone not null default clock_now(),
  constraint idempotency_keys_pkey PRIMARY KEY (merchant_id, livemode, key),
  constraint idempotency_keys_key_check CHECK (length(key) >= 8 AND length(key) <= 255),
  constraint idempotency_keys_status_check CHECK (status >= 200 AND status <= 299)
) with (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING brin (created_at);

create table incidents (
  id text not null,
  began_at timestamp with time zone not null,
  detected_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  rules text[] not null,
  opened_by text,
  title text,
  security boolean not null default false,
  told_hours integer[] not null default '{}'::integer[],
  constraint incidents_pkey PRIMARY KEY (id)
);
CREATE INDEX incidents_by_time ON incidents USING btree (detected_at);
CREATE UNIQUE INDEX incidents_one_open ON incidents USING btree ((ended_at IS NULL)) WHERE ended_at IS NULL AND opened_by IS NULL;

create table instructions (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  direction text not null,
  operator text,
  connector text,
  amount bigint not null,
  currency text not null,
  msisdn text,
  simulate text,
  state text not null default 'prepared'::text,
  reference uuid not null,
  operator_reference text,
  operator_state jsonb,
  next_action jsonb,
  refund_of jsonb,
  failure_code text,
  asked integer not null default 0,
  attempts smallint not null default 0,
  sent_again smallint not null default 0,
  next_check_at timestamp with time zone default clock_now() + '00:01:00'::interval,
  created_at timestamp with time zone not null default clock_now(),
  sent_at timestamp with time zone,
  concluded_at timestamp with time zone,
  vague_since timestamp with time zone,
  look_again_at timestamp with time zone,
  constraint instructions_pkey PRIMARY KEY (subject_id, merchant_id, livemode),
  constraint instructions_amount_check CHECK (amount > 0),
  constraint instructions_check CHECK (simulate IS NULL OR simulate = 'succeed'::text AND NOT livemode),
  constraint instructions_currency_check CHECK (currency = 'XOF'::text),
  constraint instructions_direction_check CHECK (direction = ANY (ARRAY['collect'::text, 'payout'::text, 'refund'::text])),
  constraint instructions_not_prepared_again CHECK (state <> 'prepared'::text OR sent_again = 0),
  constraint instructions_state_check CHECK (state = ANY (ARRAY['prepared'::text, 'sending'::text, 'sent'::text, 'unknown'::text, 'confirmed'::text, 'refused'::text]))
) with (autovacuum_analyze_scale_factor=1.5);
CREATE INDEX instructions_due ON instructions USING btree (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX instructions_look_again ON instructions USING btree (look_again_at) WHERE look_again_at IS NOT NULL;

create table invitations (
  invitation_id text not null,
  person_id text not null,
  token_hash bytea not null,
  invited_by text not null,
  created_at timestamp with time zone not null default clock_now(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  place bigint,
  is_offer boolean not null default false,
  name text,
  codes_sent smallint not null default 0,
  code_sent_at timestamp with time zone,
  codes_wrong smallint not null default 0,
  wrong integer not null default 0,
  wrong_at timestamp with time zone,
  constraint invitations_pkey PRIMARY KEY (invitation_id),
  constraint invitations_token_hash_key UNIQUE (token_hash),
  constraint invitations_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id),
  constraint invitations_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint invitations_of_a_place CHECK (NOT is_offer OR place IS NOT NULL),
  constraint invitations_place_check CHECK (place >= 0),
  constraint invitations_token_hash_check CHECK (octet_length(token_hash) = 32),
  constraint invitations_wrong_check CHECK (wrong >= 0)
);
CREATE INDEX invitations_by_person ON invitations USING btree (person_id);
CREATE UNIQUE INDEX invitations_offered ON invitations USING btree (person_id, place) WHERE used_at IS NULL AND revoked_at IS NULL AND is_offer;
CREATE UNIQUE INDEX invitations_open ON invitations USING btree (person_id) WHERE used_at IS NULL AND revoked_at IS NULL AND NOT is_offer;

create table jobs (
  id uuid not null default gen_random_uuid(),
  queue text not null,
  partition_key text not null default ''::text,
  owner text not null default ''::text,
  weight integer not null default 1,
  kind text not null,
  key text,
  payload json not null,
  run_at timestamp with time zone not null,
  attempts smallint not null default 0,
  last_error text,
  locked_by text,
  locked_until timestamp with time zone,
  constraint jobs_pkey PRIMARY KEY (id)
);
CREATE INDEX jobs_in_turns ON jobs USING btree (queue, partition_key, owner, run_at) WHERE locked_by IS NULL;
CREATE UNIQUE INDEX jobs_key ON jobs USING btree (kind, key) WHERE locked_by IS NULL AND key IS NOT NULL;
CREATE INDEX jobs_locked ON jobs USING btree (locked_by) WHERE locked_by IS NOT NULL;

create table ledger_entries (
  merchant_id bigint not null,
  livemode boolean not null,
  account text not null,
  sequence bigint not null,
  subject_id text not null,
  operation text not null,
  leg smallint not null,
  amount bigint not null,
  balance_after bigint not null,
  credited_after bigint,
  created_at timestamp with time zone not null default clock_now(),
  constraint ledger_entries_pkey PRIMARY KEY (merchant_id, livemode, account, sequence),
  constraint ledger_entries_leg_key UNIQUE (subject_id, merchant_id, livemode, operation, leg),
  constraint ledger_entries_amount_check CHECK (amount <> 0),
  constraint ledger_entries_leg_check CHECK (leg > 0),
  constraint ledger_entries_sequence_check CHECK (sequence > 0)
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);
CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_entries_balanced AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS new_entries FOR EACH STATEMENT EXECUTE FUNCTION check_ledger_entries();
CREATE TRIGGER ledger_entries_not_truncated BEFORE TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table ledger_transactions (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  operation text not null,
  legs smallint not null,
  created_at timestamp with time zone not null default clock_now(),
  constraint ledger_transactions_pkey PRIMARY KEY (subject_id, merchant_id, livemode, operation),
  constraint ledger_transactions_legs_check CHECK (legs >= 2)
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);
CREATE TRIGGER ledger_transactions_append_only BEFORE DELETE OR UPDATE ON ledger_transactions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_transactions_not_truncated BEFORE TRUNCATE ON ledger_transactions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table listed_operations (
  merchant_id bigint not null,
  livemode boolean not null,
  kind text not null,
  id text not null,
  version integer not null,
  status text not null,
  amount bigint not null,
  operator text,
  last4 text,
  compared_reference text,
  failure_code text,
  constraint listed_operations_pkey PRIMARY KEY (merchant_id, livemode, kind, id) INCLUDE (amount),
  constraint listed_operations_kind_check CHECK (kind = ANY (ARRAY['payment'::text, 'payout'::text]))
) with (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_insert_threshold=10000, autovacuum_analyze_scale_factor=0.5);
CREATE INDEX listed_operations_by_amount ON listed_operations USING btree (merchant_id, livemode, kind, amount, id);
CREATE INDEX listed_operations_by_failure ON listed_operations USING btree (merchant_id, livemode, kind, failure_code, id) INCLUDE (operator, amount) WHERE failure_code IS NOT NULL;
CREATE INDEX listed_operations_by_last4 ON listed_operations USING btree (merchant_id, livemode, kind, last4, id) WHERE last4 IS NOT NULL;
CREATE INDEX listed_operations_by_operator ON listed_operations USING btree (merchant_id, livemode, kind, operator, id) INCLUDE (amount);
CREATE INDEX listed_operations_by_reference ON listed_operations USING btree (merchant_id, livemode, kind, compared_reference, id) WHERE compared_reference IS NOT NULL;
CREATE INDEX listed_operations_by_status ON listed_operations USING btree (merchant_id, livemode, kind, status, id) INCLUDE (operator, amount);

create table listing_progress (
  source text not null,
  before_id text not null,
  constraint listing_progress_pkey PRIMARY KEY (source)
);

create table merchant_document_bytes (
  merchant_id bigint not null,
  document_id text not null,
  piece integer not null,
  sealed bytea not null,
  constraint merchant_document_bytes_pkey PRIMARY KEY (merchant_id, document_id, piece),
  constraint merchant_document_bytes_merchant_id_document_id_fkey FOREIGN KEY (merchant_id, document_id) REFERENCES merchant_documents(merchant_id, id),
  constraint merchant_document_bytes_piece_check CHECK (piece >= 0 AND piece <= 7)
);
CREATE TRIGGER merchant_document_bytes_fixed BEFORE UPDATE ON merchant_document_bytes FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER merchant_document_bytes_kept BEFORE DELETE ON merchant_document_bytes FOR EACH ROW EXECUTE FUNCTION check_document_bytes();

create table merchant_documents (
  merchant_id bigint not null,
  id text not null,
  kind text not null,
  about text,
  status text not null,
  asked_by text not null,
  asked_at timestamp with time zone not null,
  received_by text,
  received_at timestamp with time zone,
  file_type text,
  bytes integer,
  hash bytea,
  decided_by text,
  decided_at timestamp with time zone,
  valid_until date,
  refusal text,
  erased_by text,
  erased_at timestamp with time zone,
  erasure_reason text,
  constraint merchant_documents_pkey PRIMARY KEY (merchant_id, id),
  constraint merchant_documents_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint merchant_documents_about_check CHECK (length(about) >= 1 AND length(about) <= 200),
  constraint merchant_documents_asked_by_check CHECK (length(asked_by) >= 1 AND length(asked_by) <= 200),
  constraint merchant_documents_bytes_check CHECK (bytes >= 1 AND bytes <= 8388608),
  constraint merchant_documents_check CHECK (status = 'checked'::text OR valid_until IS NULL),
  constraint merchant_documents_check1 CHECK ((status = 'asked'::text) = (received_at IS NULL)),
  constraint merchant_documents_check2 CHECK ((received_at IS NULL) = (received_by IS NULL) AND (received_at IS NULL) = (file_type IS NULL) AND (received_at IS NULL) = (bytes IS NULL) AND (received_at IS NULL) = (hash IS NULL)),
  constraint merchant_documents_check3 CHECK ((status = ANY (ARRAY['checked'::text, 'refused'::text, 'erased'::text])) = (decided_at IS NOT NULL) AND (decided_at IS NULL) = (decided_by IS NULL)),
  constraint merchant_documents_check4 CHECK ((status = ANY (ARRAY['refused'::text, 'erased'::text])) = (refusal IS NOT NULL)),
  constraint merchant_documents_check5 CHECK ((status = 'erased'::text) = (erased_at IS NOT NULL) AND (erased_at IS NULL) = (erased_by IS NULL) AND (erased_at IS NULL) = (erasure_reason IS NULL)),
  constraint merchant_documents_decided_by_check CHECK (length(decided_by) >= 1 AND length(decided_by) <= 200),
  constraint merchant_documents_erased_by_check CHECK (length(erased_by) >= 1 AND length(erased_by) <= 200),
  constraint merchant_documents_erasure_reason_check CHECK (length(erasure_reason) >= 1 AND length(erasure_reason) <= 500),
  constraint merchant_documents_file_type_check CHECK (file_type = ANY (ARRAY['pdf'::text, 'jpeg'::text, 'png'::text, 'webp'::text])),
  constraint merchant_documents_hash_check CHECK (octet_length(hash) = 32),
  constraint merchant_documents_kind_check CHECK (kind = ANY (ARRAY['rccm'::text, 'tax'::text, 'identity'::text, 'address'::text, 'statutes'::text, 'other'::text])),
  constraint merchant_documents_received_by_check CHECK (length(received_by) >= 1 AND length(received_by) <= 200),
  constraint merchant_documents_refusal_check CHECK (length(refusal) >= 1 AND length(refusal) <= 500),
  constraint merchant_documents_status_check CHECK (status = ANY (ARRAY['asked'::text, 'received'::text, 'checked'::text, 'refused'::text, 'erased'::text]))
);
CREATE INDEX merchant_documents_by_id ON merchant_documents USING btree (id);
CREATE TRIGGER merchant_documents_not_deleted BEFORE DELETE ON merchant_documents FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table merchant_files (
  merchant_id bigint not null,
  legal_name text,
  legal_form text,
  rccm text,
  registered_on date,
  tax_number text,
  tax_regime text,
  tax_regime_since date,
  activity text,
  address text,
  contact_name text,
  contact_number text,
  contact_email text,
  changed_at timestamp with time zone not null,
  constraint merchant_files_pkey PRIMARY KEY (merchant_id),
  constraint merchant_files_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint merchant_files_activity_check CHECK (length(activity) >= 1 AND length(activity) <= 200),
  constraint merchant_files_address_check CHECK (length(address) >= 1 AND length(address) <= 200),
  constraint merchant_files_check CHECK (tax_regime IS NOT NULL OR tax_regime_since IS NULL),
  constraint merchant_files_contact_email_check CHECK (length(contact_email) >= 3 AND length(contact_email) <= 200),
  constraint merchant_files_contact_name_check CHECK (length(contact_name) >= 1 AND length(contact_name) <= 200),
  constraint merchant_files_contact_number_check CHECK (contact_number ~ '^\+225[0-9]{10}$'::text),
  constraint merchant_files_legal_form_check CHECK (legal_form = ANY (ARRAY['sole_trader'::text, 'entreprenant'::text, 'sarl'::text, 'suarl'::text, 'sa'::text, 'sas'::text, 'snc'::text, 'gie'::text, 'cooperative'::text, 'association'::text, 'public_body'::text, 'other'::text])),
  constraint merchant_files_legal_name_check CHECK (length(legal_name) >= 1 AND length(legal_name) <= 200),
  constraint merchant_files_rccm_check CHECK (length(rccm) >= 1 AND length(rccm) <= 40),
  constraint merchant_files_tax_number_check CHECK (tax_number ~ '^[0-9]{7}[A-Z]$'::text),
  constraint merchant_files_tax_regime_check CHECK (tax_regime = ANY (ARRAY['tce'::text, 'tee'::text, 'rme'::text, 'rsi'::text, 'rni'::text]))
);
CREATE INDEX merchant_files_by_tax_number ON merchant_files USING btree (tax_number) WHERE tax_number IS NOT NULL;
CREATE TRIGGER merchant_files_not_deleted BEFORE DELETE ON merchant_files FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table merchant_owners (
  merchant_id bigint not null,
  id text not null,
  name text not null,
  share_basis_points integer not null,
  added_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint merchant_owners_pkey PRIMARY KEY (merchant_id, id),
  constraint merchant_owners_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint merchant_owners_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint merchant_owners_share_basis_points_check CHECK (share_basis_points >= 2501 AND share_basis_points <= 10000)
);
CREATE INDEX merchant_owners_by_id ON merchant_owners USING btree (id);
CREATE TRIGGER merchant_owners_not_deleted BEFORE DELETE ON merchant_owners FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table merchants (
  merchant_id bigint generated always as identity not null,
  name text not null,
  active boolean not null default true,
  collection_amount_max bigint,
  collection_amount_undo bigint,
  collection_amount_undo_until timestamp with time zone,
  brand_color text,
  brand_logo text,
  created_at timestamp with time zone not null default clock_now(),
  is_checked boolean not null default true,
  constraint merchants_pkey PRIMARY KEY (merchant_id),
  constraint merchants_brand_color_check CHECK (brand_color ~ '^#[0-9a-f]{6}$'::text),
  constraint merchants_brand_logo_check CHECK (length(brand_logo) <= 11000 AND brand_logo ~ '^data:image/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$'::text),
  constraint merchants_collection_amount_max_check CHECK (collection_amount_max > 0),
  constraint merchants_collection_amount_undo_check CHECK (collection_amount_undo > 0),
  constraint merchants_name_check CHECK (length(name) >= 1 AND length(name) <= 200)
);

create table muted_notices (
  person_id text not null,
  kind text not null,
  constraint muted_notices_pkey PRIMARY KEY (person_id, kind),
  constraint muted_notices_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id)
);

create table notice_mails (
  notice_id uuid not null,
  person_id text not null,
  kind text not null,
  notice jsonb not null,
  created_at timestamp with time zone not null default clock_now(),
  begun_at timestamp with time zone,
  ended_at timestamp with time zone,
  outcome text,
  constraint notice_mails_pkey PRIMARY KEY (notice_id, person_id),
  constraint notice_mails_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id),
  constraint notice_mails_check CHECK ((ended_at IS NULL) = (outcome IS NULL)),
  constraint notice_mails_outcome_check CHECK (outcome = ANY (ARRAY['sent'::text, 'unclear'::text, 'refused'::text, 'too_old'::text, 'left'::text]))
);
CREATE INDEX notice_mails_of_person ON notice_mails USING btree (person_id, created_at);

create table notice_settings (
  person_id text not null,
  mails_asked text[] not null default '{}'::text[],
  payment_min bigint not null default 0,
  quiet_from smallint,
  quiet_to smallint,
  pushes_muted text[] not null default '{}'::text[],
  hides_amount boolean not null default false,
  constraint notice_settings_pkey PRIMARY KEY (person_id),
  constraint notice_settings_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id),
  constraint notice_settings_check CHECK ((quiet_from IS NULL) = (quiet_to IS NULL)),
  constraint notice_settings_check1 CHECK (quiet_from <> quiet_to),
  constraint notice_settings_payment_min_check CHECK (payment_min >= 0 AND payment_min <= '1000000000000'::bigint),
  constraint notice_settings_quiet_from_check CHECK (quiet_from >= 0 AND quiet_from <= 1439),
  constraint notice_settings_quiet_to_check CHECK (quiet_to >= 0 AND quiet_to <= 1439)
);

create table number_operators (
  livemode boolean not null,
  number_hash bytea not null,
  operator text,
  refused_by text[] not null,
  learned_at timestamp with time zone not null default clock_now(),
  constraint number_operators_pkey PRIMARY KEY (livemode, number_hash),
  constraint number_operators_facts CHECK (operator IS NOT NULL OR cardinality(refused_by) > 0),
  constraint number_operators_number_hash_check CHECK (octet_length(number_hash) = 32)
);

create table number_proofs (
  merchant_id bigint not null,
  livemode boolean not null,
  session_id text not null,
  person text not null,
  msisdn text not null,
  operator text not null,
  holder text not null,
  name_match text,
  made_at timestamp with time zone not null default clock_now(),
  constraint number_proofs_pkey PRIMARY KEY (merchant_id, livemode, session_id),
  constraint number_proofs_holder_check CHECK (length(holder) >= 1 AND length(holder) <= 200),
  constraint number_proofs_name_match_check CHECK (name_match = ANY (ARRAY['match'::text, 'close'::text, 'unknown'::text])),
  constraint number_proofs_person_check CHECK (length(person) >= 1 AND length(person) <= 200)
);
CREATE INDEX number_proofs_of_person ON number_proofs USING btree (merchant_id, livemode, person, made_at);
CREATE TRIGGER number_proofs_kept BEFORE DELETE OR UPDATE ON number_proofs FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table operator_answers (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  number integer not null,
  source text not null,
  outcome text not null,
  evidence jsonb not null,
  answered_at timestamp with time zone not null default clock_now(),
  constraint operator_answers_pkey PRIMARY KEY (subject_id, merchant_id, livemode, number),
  constraint operator_answers_source_check CHECK (source = ANY (ARRAY['send'::text, 'inquiry'::text, 'person'::text]))
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);
CREATE INDEX operator_answers_doubtful ON operator_answers USING btree (answered_at) WHERE source = 'send'::text AND outcome = 'unknown'::text OR number = 8;
CREATE TRIGGER operator_answers_append_only BEFORE DELETE OR UPDATE ON operator_answers FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table operator_callbacks (
  connector text not null,
  digest bytea not null,
  reference text,
  evidence jsonb not null,
  received_at timestamp with time zone not null default clock_now(),
  times_received integer not null default 1,
  outcome text not null default 'waiting'::text,
  constraint operator_callbacks_pkey PRIMARY KEY (connector, digest),
  constraint operator_callbacks_outcome_check CHECK (outcome = ANY (ARRAY['waiting'::text, 'asked'::text, 'unmatched'::text]))
) with (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);

create table operator_references (
  connector text not null,
  reference text not null,
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  constraint operator_references_pkey PRIMARY KEY (reference, connector)
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);

create table operator_weather (
  livemode boolean not null,
  operator text not null,
  direction text not null,
  starts_at timestamp with time zone not null,
  succeeded integer not null,
  failed integer not null,
  failed_otherwise integer not null,
  open integer not null,
  in_doubt integer not null,
  confirmed_within integer[] not null,
  counted_at timestamp with time zone not null,
  constraint operator_weather_pkey PRIMARY KEY (livemode, operator, direction, starts_at),
  constraint operator_weather_direction_check CHECK (direction = ANY (ARRAY['collect'::text, 'payout'::text, 'refund'::text]))
);

create table order_reference_key (
  only_row boolean not null default true,
  key bytea not null,
  created_at timestamp with time zone not null default clock_now(),
  constraint order_reference_key_pkey PRIMARY KEY (only_row),
  constraint order_reference_key_key_check CHECK (octet_length(key) = 32),
  constraint order_reference_key_only_row_check CHECK (only_row)
);
CREATE TRIGGER order_reference_key_fixed BEFORE DELETE OR UPDATE ON order_reference_key FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table payment_link_transitions (
  from_status text not null,
  to_status text not null,
  constraint payment_link_transitions_pkey PRIMARY KEY (from_status, to_status)
);

create table payment_links (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  status text not null default 'open'::text,
  amount bigint,
  min_amount bigint,
  max_amount bigint,
  currency text not null,
  reusable boolean not null,
  description text,
  expires_at timestamp with time zone,
  taken_by text,
  created_at timestamp with time zone not null default clock_now(),
  closed_at timestamp with time zone,
  reference text,
  whatsapp text,
  handle text,
  till_id text,
  constraint payment_links_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint payment_links_amounts CHECK (amount >= 1 AND amount <= '1000000000000'::bigint AND min_amount IS NULL AND max_amount IS NULL OR amount IS NULL AND min_amount >= 1 AND min_amount <= max_amount AND max_amount <= '1000000000000'::bigint),
  constraint payment_links_currency_check CHECK (currency = 'XOF'::text),
  constraint payment_links_handle_check CHECK (handle ~ '^[a-z0-9-]{3,30}$'::text),
  constraint payment_links_reference_check CHECK (char_length(reference) >= 1 AND char_length(reference) <= 40),
  constraint payment_links_status_check CHECK (status = ANY (ARRAY['open'::text, 'paid'::text, 'closed'::text])),
  constraint payment_links_whatsapp_check CHECK (whatsapp ~ '^[1-9][0-9]{7,14}$'::text)
);
CREATE INDEX payment_links_by_id ON payment_links USING btree (id);
CREATE INDEX payment_links_of_till ON payment_links USING btree (merchant_id, livemode, till_id, id) WHERE till_id IS NOT NULL;
CREATE INDEX payment_links_permanent ON payment_links USING btree (merchant_id, livemode, id) WHERE reusable AND amount IS NULL AND expires_at IS NULL AND status = 'open'::text;
CREATE TRIGGER payment_links_move BEFORE UPDATE OF status ON payment_links FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION check_payment_link_move();

create table payment_transitions (
  from_status text not null,
  to_status text not null,
  constraint payment_transitions_pkey PRIMARY KEY (from_status, to_status)
);

create table payment_transitions_log (
  merchant_id bigint not null,
  livemode boolean not null,
  payment_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  cause text not null,
  transitioned_at timestamp with time zone not null default clock_now(),
  constraint payment_transitions_log_pkey PRIMARY KEY (payment_id, merchant_id, livemode, number),
  constraint payment_transitions_log_merchant_id_livemode_payment_id_fkey FOREIGN KEY (merchant_id, livemode, payment_id) REFERENCES payments(merchant_id, livemode, id)
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);
CREATE TRIGGER payment_transitions_log_append_only BEFORE DELETE OR UPDATE ON payment_transitions_log FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table payments (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  amount bigint not null,
  amount_collected bigint not null,
  fee_amount bigint not null,
  net_amount bigint not null,
  amount_refunded bigint not null default 0,
  currency text not null,
  status text not null default 'created'::text,
  operator text,
  merchant_reference text,
  reference_key text,
  msisdn text,
  description text,
  metadata json,
  checkout_session_id text,
  failure_code text,
  transition_count integer not null default 0,
  created_at timestamp with time zone not null default clock_now(),
  succeeded_at timestamp with time zone,
  failed_at timestamp with time zone,
  constraint payments_pkey PRIMARY KEY (id, merchant_id, livemode),
  constraint payments_add_up CHECK ((net_amount + fee_amount) = amount_collected),
  constraint payments_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint payments_currency_check CHECK (currency = 'XOF'::text),
  constraint payments_fee_amount_check CHECK (fee_amount >= 0),
  constraint payments_net_amount_check CHECK (net_amount >= 0),
  constraint payments_refunded_within CHECK (amount_refunded >= 0 AND amount_refunded <= amount)
) with (fillfactor=70, autovacuum_analyze_scale_factor=1.5);
CREATE UNIQUE INDEX payments_reference_key ON payments USING btree (merchant_id, livemode, COALESCE(reference_key, merchant_reference)) WHERE COALESCE(reference_key, merchant_reference) IS NOT NULL;
CREATE TRIGGER payments_fixed BEFORE UPDATE ON payments FOR EACH ROW WHEN (old.amount IS DISTINCT FROM new.amount OR old.amount_collected IS DISTINCT FROM new.amount_collected OR old.fee_amount IS DISTINCT FROM new.fee_amount OR old.net_amount IS DISTINCT FROM new.net_amount OR old.currency IS DISTINCT FROM new.currency) EXECUTE FUNCTION check_payment_facts();
CREATE TRIGGER payments_move BEFORE UPDATE OF status ON payments FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status AND (old.status <> 'created'::text OR new.status <> 'pending'::text) AND (old.status <> 'pending'::text OR new.status <> 'succeeded'::text)) EXECUTE FUNCTION check_payment_move();

create table payout_batch_lines (
  merchant_id bigint not null,
  livemode boolean not null,
  batch_id text not null,
  rank integer not null,
  status text not null default 'pending'::text,
  amount bigint not null,
  fee_amount bigint not null,
  beneficiary_id uuid,
  is_inline boolean not null,
  name text,
  label text,
  msisdn text not null,
  operator text,
  reference text,
  payout_id text,
  failure_code text,
  archived_before integer,
  name_check_asked_at timestamp with time zone,
  name_check text,
  name_checked_at timestamp with time zone,
  constraint payout_batch_lines_pkey PRIMARY KEY (merchant_id, livemode, batch_id, rank),
  constraint payout_batch_lines_merchant_id_livemode_batch_id_fkey FOREIGN KEY (merchant_id, livemode, batch_id) REFERENCES payout_batches(merchant_id, livemode, id),
  constraint payout_batch_lines_merchant_id_livemode_beneficiary_id_fkey FOREIGN KEY (merchant_id, livemode, beneficiary_id) REFERENCES beneficiaries(merchant_id, livemode, id),
  constraint payout_batch_lines_merchant_id_livemode_payout_id_fkey FOREIGN KEY (merchant_id, livemode, payout_id) REFERENCES payouts(merchant_id, livemode, id),
  constraint payout_batch_lines_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint payout_batch_lines_archived_before_check CHECK (archived_before >= 0),
  constraint payout_batch_lines_fee_amount_check CHECK (fee_amount >= 0),
  constraint payout_batch_lines_name_check CHECK ((name_check IS NULL) = (name_checked_at IS NULL)),
  constraint payout_batch_lines_name_check_check CHECK (name_check = ANY (ARRAY['match'::text, 'close'::text, 'no_match'::text, 'unknown'::text])),
  constraint payout_batch_lines_rank_check CHECK (rank >= 1 AND rank <= 500),
  constraint payout_batch_lines_sent_to_an_entry CHECK (beneficiary_id IS NOT NULL OR is_inline AND payout_id IS NULL),
  constraint payout_batch_lines_status_check CHECK (status = ANY (ARRAY['pending'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'indeterminate'::text, 'cancelled'::text]))
);
CREATE TRIGGER payout_batch_lines_amended BEFORE UPDATE OF msisdn, operator, name ON payout_batch_lines FOR EACH ROW WHEN (old.msisdn IS DISTINCT FROM new.msisdn OR old.operator IS DISTINCT FROM new.operator OR old.name IS DISTINCT FROM new.name) EXECUTE FUNCTION forget_name_check();

create table payout_batch_transitions (
  from_status text not null,
  to_status text not null,
  constraint payout_batch_transitions_pkey PRIMARY KEY (from_status, to_status)
);

create table payout_batches (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  status text not null,
  reference text,
  currency text not null,
  total_amount bigint not null,
  line_count integer not null,
  cap_day bigint not null,
  open_lines integer not null default 0,
  bad_lines integer not null default 0,
  made_by text not null,
  decided_by text,
  decline_reason text,
  approved_at timestamp with time zone,
  created_at timestamp with time zone not null default clock_now(),
  executed_at timestamp with time zone,
  finished_at timestamp with time zone,
  executed_by text,
  order_key bytea,
  constraint payout_batches_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint payout_batches_bad_lines_check CHECK (bad_lines >= 0),
  constraint payout_batches_cap_day_check CHECK (cap_day > 0),
  constraint payout_batches_check CHECK (decline_reason IS NULL OR status = 'annule'::text AND decided_by IS NOT NULL),
  constraint payout_batches_currency_check CHECK (currency = 'XOF'::text),
  constraint payout_batches_decline_reason_check CHECK (length(decline_reason) >= 1 AND length(decline_reason) <= 500),
  constraint payout_batches_line_count_check CHECK (line_count >= 1 AND line_count <= 500),
  constraint payout_batches_open_lines_check CHECK (open_lines >= 0),
  constraint payout_batches_status_check CHECK (status = ANY (ARRAY['brouillon'::text, 'en_attente_validation'::text, 'en_cours'::text, 'termine'::text, 'termine_avec_erreurs'::text, 'annule'::text])),
  constraint payout_batches_total_amount_check CHECK (total_amount > 0)
);
CREATE INDEX payout_batches_by_id ON payout_batches USING btree (id);
CREATE INDEX payout_batches_to_launch ON payout_batches USING btree (merchant_id, livemode, id) WHERE status = 'brouillon'::text AND approved_at IS NOT NULL;
CREATE INDEX payout_batches_waiting ON payout_batches USING btree (id) WHERE status = 'en_attente_validation'::text;
CREATE TRIGGER payout_batches_makers_side BEFORE INSERT OR UPDATE OF decided_by ON payout_batches FOR EACH ROW WHEN (new.decided_by IS NOT NULL) EXECUTE FUNCTION check_makers_side();
CREATE TRIGGER payout_batches_move BEFORE UPDATE OF status ON payout_batches FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION check_payout_batch_move();
CREATE TRIGGER payout_batches_two_people BEFORE INSERT OR UPDATE OF decided_by, made_by ON payout_batches FOR EACH ROW WHEN (new.decided_by IS NOT NULL) EXECUTE FUNCTION check_batch_decision();

create table payout_cap_totals (
  merchant_id bigint not null,
  livemode boolean not null,
  used bigint not null default 0,
  expired_until timestamp with time zone not null,
  constraint payout_cap_totals_pkey PRIMARY KEY (merchant_id, livemode),
  constraint payout_cap_totals_used_check CHECK (used >= 0)
);

create table payout_cap_usage (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  amount bigint not null,
  used_at timestamp with time zone not null default clock_now(),
  constraint payout_cap_usage_pkey PRIMARY KEY (subject_id, merchant_id, livemode),
  constraint payout_cap_usage_amount_check CHECK (amount >= 0)
) with (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);
CREATE INDEX payout_cap_usage_by_time ON payout_cap_usage USING btree (merchant_id, livemode, used_at);

create table payout_caps (
  merchant_id bigint not null,
  livemode boolean not null,
  operation bigint,
  day bigint,
  constraint payout_caps_pkey PRIMARY KEY (merchant_id, livemode),
  constraint payout_caps_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint payout_caps_day_check CHECK (day > 0),
  constraint payout_caps_operation_check CHECK (operation > 0)
);

create table payout_requests (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  status text not null default 'pending_approval'::text,
  reason text not null,
  cap bigint not null,
  amount bigint not null,
  currency text not null,
  beneficiary_id uuid not null,
  is_inline boolean not null,
  name text,
  label text,
  msisdn text not null,
  operator text,
  reference text,
  made_by text not null,
  decided_by text,
  decline_reason text,
  payout_id text,
  created_at timestamp with time zone not null default clock_now(),
  expires_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  order_key bytea,
  constraint payout_requests_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint payout_requests_merchant_id_livemode_beneficiary_id_fkey FOREIGN KEY (merchant_id, livemode, beneficiary_id) REFERENCES beneficiaries(merchant_id, livemode, id),
  constraint payout_requests_merchant_id_livemode_payout_id_fkey FOREIGN KEY (merchant_id, livemode, payout_id) REFERENCES payouts(merchant_id, livemode, id),
  constraint payout_requests_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint payout_requests_check CHECK (decided_by <> made_by),
  constraint payout_requests_check1 CHECK ((status = 'approved'::text) = (payout_id IS NOT NULL)),
  constraint payout_requests_check2 CHECK ((status = 'pending_approval'::text) = (decided_at IS NULL)),
  constraint payout_requests_check3 CHECK (decline_reason IS NULL OR status = 'rejected'::text),
  constraint payout_requests_currency_check CHECK (currency = 'XOF'::text),
  constraint payout_requests_decline_reason_check CHECK (length(decline_reason) >= 1 AND length(decline_reason) <= 500),
  constraint payout_requests_reason_check CHECK (reason = ANY (ARRAY['plafond_operation'::text, 'plafond_24h'::text])),
  constraint payout_requests_status_check CHECK (status = ANY (ARRAY['pending_approval'::text, 'approved'::text, 'rejected'::text, 'expired'::text])),
  constraint payout_requests_two_people CHECK (person_in(decided_by) <> person_in(made_by))
);
CREATE INDEX payout_requests_by_id ON payout_requests USING btree (id);
CREATE INDEX payout_requests_expiring ON payout_requests USING btree (expires_at) WHERE status = 'pending_approval'::text;
CREATE INDEX payout_requests_of_payout ON payout_requests USING btree (merchant_id, livemode, payout_id) WHERE payout_id IS NOT NULL;
CREATE INDEX payout_requests_waiting ON payout_requests USING btree (id) WHERE status = 'pending_approval'::text;
CREATE TRIGGER payout_requests_makers_side BEFORE INSERT OR UPDATE OF decided_by ON payout_requests FOR EACH ROW WHEN (new.decided_by IS NOT NULL) EXECUTE FUNCTION check_makers_side();

create table payout_stops (
  scope text not null,
  value text not null,
  stopped_by text not null,
  stopped_at timestamp with time zone not null default clock_now(),
  resume_asked_by text,
  resume_asked_at timestamp with time zone,
  lifted_by text,
  lifted_at timestamp with time zone,
  cause text,
  cause_detail text,
  told_at timestamp with time zone,
  constraint payout_stops_pkey PRIMARY KEY (scope, value, stopped_at),
  constraint payout_stops_complete CHECK ((resume_asked_by IS NULL) = (resume_asked_at IS NULL) AND (lifted_by IS NULL) = (lifted_at IS NULL) AND (lifted_by IS NULL OR resume_asked_by IS NOT NULL)),
  constraint payout_stops_lifted_by_people CHECK (person_in(resume_asked_by) !~~ 'key:%'::text AND person_in(lifted_by) !~~ 'key:%'::text),
  constraint payout_stops_scope_check CHECK (scope = ANY (ARRAY['all'::text, 'operator'::text, 'merchant'::text])),
  constraint payout_stops_two_people CHECK (person_in(lifted_by) <> person_in(resume_asked_by))
);
CREATE UNIQUE INDEX payout_stops_in_force ON payout_stops USING btree (scope, value) WHERE lifted_at IS NULL;
CREATE TRIGGER payout_stops_checked BEFORE INSERT OR UPDATE ON payout_stops FOR EACH ROW EXECUTE FUNCTION check_payout_stop();
CREATE TRIGGER payout_stops_independent BEFORE INSERT OR UPDATE OF lifted_by ON payout_stops FOR EACH ROW WHEN (new.lifted_by IS NOT NULL) EXECUTE FUNCTION check_independence('lifted_by', 'resume_asked_by');
CREATE TRIGGER payout_stops_kept BEFORE DELETE ON payout_stops FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_stops_not_truncated BEFORE TRUNCATE ON payout_stops FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table payout_transitions (
  from_status text not null,
  to_status text not null,
  constraint payout_transitions_pkey PRIMARY KEY (from_status, to_status)
);

create table payout_transitions_log (
  merchant_id bigint not null,
  livemode boolean not null,
  payout_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  cause text not null,
  transitioned_at timestamp with time zone not null default clock_now(),
  constraint payout_transitions_log_pkey PRIMARY KEY (payout_id, merchant_id, livemode, number),
  constraint payout_transitions_log_merchant_id_livemode_payout_id_fkey FOREIGN KEY (merchant_id, livemode, payout_id) REFERENCES payouts(merchant_id, livemode, id)
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);
CREATE TRIGGER payout_transitions_log_append_only BEFORE DELETE OR UPDATE ON payout_transitions_log FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table payouts (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  amount bigint not null,
  fee_amount bigint not null,
  total_debited bigint not null,
  currency text not null,
  status text not null default 'created'::text,
  beneficiary_id uuid not null,
  is_inline boolean not null,
  name text,
  label text,
  msisdn text not null,
  operator text,
  reference text,
  batch_id text,
  rank integer,
  failure_code text,
  transition_count integer not null default 0,
  created_at timestamp with time zone not null default clock_now(),
  constraint payouts_pkey PRIMARY KEY (id, merchant_id, livemode),
  constraint payouts_merchant_id_livemode_beneficiary_id_fkey FOREIGN KEY (merchant_id, livemode, beneficiary_id) REFERENCES beneficiaries(merchant_id, livemode, id),
  constraint payouts_add_up CHECK (total_debited = (amount + fee_amount)),
  constraint payouts_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint payouts_check CHECK ((batch_id IS NULL) = (rank IS NULL)),
  constraint payouts_currency_check CHECK (currency = 'XOF'::text),
  constraint payouts_fee_amount_check CHECK (fee_amount >= 0)
) with (autovacuum_analyze_scale_factor=1.5);
CREATE UNIQUE INDEX payouts_rank_key ON payouts USING btree (merchant_id, livemode, batch_id, rank) WHERE batch_id IS NOT NULL;
CREATE TRIGGER payouts_fixed BEFORE UPDATE ON payouts FOR EACH ROW WHEN (old.amount IS DISTINCT FROM new.amount OR old.fee_amount IS DISTINCT FROM new.fee_amount OR old.total_debited IS DISTINCT FROM new.total_debited OR old.currency IS DISTINCT FROM new.currency OR old.msisdn IS DISTINCT FROM new.msisdn OR old.operator IS DISTINCT FROM new.operator) EXECUTE FUNCTION check_payout_facts();
CREATE TRIGGER payouts_move BEFORE UPDATE OF status ON payouts FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status AND (old.status <> 'created'::text OR new.status <> 'processing'::text) AND (old.status <> 'processing'::text OR new.status <> 'succeeded'::text)) EXECUTE FUNCTION check_payout_move();

create table person_passkeys (
  credential_id text not null,
  person_id text not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null default '{}'::text[],
  name text not null,
  created_at timestamp with time zone not null default clock_now(),
  last_used_at timestamp with time zone,
  constraint person_passkeys_pkey PRIMARY KEY (credential_id),
  constraint person_passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id),
  constraint person_passkeys_name_check CHECK (length(name) >= 1 AND length(name) <= 100)
);
CREATE INDEX person_passkeys_by_person ON person_passkeys USING btree (person_id);

create table person_passwords (
  person_id text not null,
  hash text not null,
  changed_at timestamp with time zone not null default clock_now(),
  refused integer not null default 0,
  constraint person_passwords_pkey PRIMARY KEY (person_id),
  constraint person_passwords_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id)
);

create table person_roles (
  person_id text not null,
  merchant_id bigint not null,
  role text not null,
  granted_by text not null,
  granted_at timestamp with time zone not null default clock_now(),
  needs_confirmation boolean not null,
  confirmed_by text,
  confirmed_at timestamp with time zone,
  break_glass boolean not null default false,
  beside_link boolean not null default false,
  to_accept boolean not null default false,
  in_effect boolean not null generated always as ((NOT needs_confirmation OR confirmed_at IS NOT NULL) AND NOT to_accept) stored,
  constraint person_roles_pkey PRIMARY KEY (person_id, merchant_id, role),
  constraint person_roles_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id),
  constraint person_roles_check CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL)),
  constraint person_roles_two_people CHECK (person_in(confirmed_by) <> person_in(granted_by))
);
CREATE INDEX person_roles_by_merchant ON person_roles USING btree (merchant_id);
CREATE TRIGGER person_roles_of_others BEFORE INSERT OR UPDATE ON person_roles FOR EACH ROW EXECUTE FUNCTION check_person_role();

create table person_sessions (
  session_id text not null,
  token_hash bytea not null,
  person_id text not null,
  factor text not null,
  address inet not null,
  user_agent text not null,
  created_at timestamp with time zone not null default clock_now(),
  seen_at timestamp with time zone not null default clock_now(),
  ended_at timestamp with time zone,
  end_reason text,
  browser_hash bytea,
  door text not null default 'console'::text,
  constraint person_sessions_pkey PRIMARY KEY (session_id),
  constraint person_sessions_token_hash_key UNIQUE (token_hash),
  constraint person_sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id),
  constraint person_sessions_browser_hash_check CHECK (octet_length(browser_hash) = 32),
  constraint person_sessions_check CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
  constraint person_sessions_door_check CHECK (door = ANY (ARRAY['console'::text, 'command_line'::text])),
  constraint person_sessions_factor_check CHECK (factor = ANY (ARRAY['passkey'::text, 'totp'::text, 'recovery_code'::text, 'invitation'::text])),
  constraint person_sessions_token_hash_check CHECK (octet_length(token_hash) = 32),
  constraint person_sessions_user_agent_check CHECK (length(user_agent) <= 300)
);
CREATE INDEX person_sessions_by_person ON person_sessions USING btree (person_id, created_at);

create table person_ties (
  person text not null,
  maker text not null,
  tied_at timestamp with time zone not null default clock_now(),
  constraint person_ties_pkey PRIMARY KEY (person, maker),
  constraint person_ties_maker_check CHECK (length(maker) >= 1 AND length(maker) <= 200),
  constraint person_ties_person_check CHECK (length(person) >= 1 AND length(person) <= 200)
);

create table person_totp (
  person_id text not null,
  secret bytea not null,
  confirmed_at timestamp with time zone not null default clock_now(),
  last_step bigint,
  constraint person_totp_pkey PRIMARY KEY (person_id),
  constraint person_totp_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id)
);

create table persons (
  person_id text not null,
  email text not null,
  name text not null,
  language text not null default 'fr'::text,
  status text not null,
  created_at timestamp with time zone not null default clock_now(),
  activated_at timestamp with time zone,
  disabled_at timestamp with time zone,
  opened_by bigint,
  account_code text,
  mail_proven_at timestamp with time zone,
  constraint persons_pkey PRIMARY KEY (person_id),
  constraint persons_email_key UNIQUE (email),
  constraint persons_account_code_check CHECK (account_code ~ '^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$'::text),
  constraint persons_email_check CHECK (length(email) >= 3 AND length(email) <= 200),
  constraint persons_language_check CHECK (language = ANY (ARRAY['fr'::text, 'en'::text])),
  constraint persons_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint persons_opened_by_check CHECK (opened_by >= 0),
  constraint persons_status_check CHECK (status = ANY (ARRAY['invited'::text, 'active'::text, 'disabled'::text]))
);
CREATE TRIGGER persons_move BEFORE UPDATE OF status ON persons FOR EACH ROW WHEN (old.status = 'disabled'::text AND new.status = 'active'::text) EXECUTE FUNCTION check_person_move();

create table push_devices (
  id uuid not null,
  person_id text not null,
  address_hash bytea not null,
  sealed bytea not null,
  name text not null,
  created_at timestamp with time zone not null default clock_now(),
  session_id text not null,
  service text not null,
  told_hour timestamp with time zone,
  told_counts jsonb not null default '{}'::jsonb,
  failed_since timestamp with time zone,
  constraint push_devices_pkey PRIMARY KEY (id),
  constraint push_devices_address_hash_key UNIQUE (address_hash),
  constraint push_devices_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id),
  constraint push_devices_address_hash_check CHECK (octet_length(address_hash) = 32)
);
CREATE INDEX push_devices_of_person ON push_devices USING btree (person_id);

create table push_key (
  is_only boolean not null default true,
  public_key text not null,
  private_sealed bytea not null,
  created_at timestamp with time zone not null default clock_now(),
  constraint push_key_pkey PRIMARY KEY (is_only),
  constraint push_key_is_only_check CHECK (is_only)
);

create table recipient_checks (
  merchant_id bigint not null,
  livemode boolean not null,
  number_hash bytea not null,
  began_at timestamp with time zone not null,
  checks integer not null,
  constraint recipient_checks_pkey PRIMARY KEY (merchant_id, livemode, number_hash),
  constraint recipient_checks_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint recipient_checks_checks_check CHECK (checks > 0),
  constraint recipient_checks_number_hash_check CHECK (length(number_hash) = 32)
);

create table recovery_codes (
  person_id text not null,
  code_hash bytea not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (person_id, code_hash),
  constraint recovery_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id),
  constraint recovery_codes_code_hash_check CHECK (octet_length(code_hash) = 32)
);

create table refund_requests (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  payment_id text not null,
  amount bigint,
  reason text not null,
  note text,
  status text not null default 'asked'::text,
  asked_by text not null,
  asked_at timestamp with time zone not null,
  decided_by text,
  decided_at timestamp with time zone,
  answer text,
  refund_id text,
  constraint refund_requests_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint refund_requests_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint refund_requests_answer_check CHECK (length(answer) >= 1 AND length(answer) <= 500),
  constraint refund_requests_asked_by_check CHECK (length(asked_by) >= 1 AND length(asked_by) <= 200),
  constraint refund_requests_check CHECK ((status = 'asked'::text) = (decided_at IS NULL) AND (decided_by IS NULL) = (decided_at IS NULL)),
  constraint refund_requests_check1 CHECK ((status = 'refused'::text) = (answer IS NOT NULL)),
  constraint refund_requests_check2 CHECK ((status = 'accepted'::text) = (refund_id IS NOT NULL)),
  constraint refund_requests_decided_by_check CHECK (length(decided_by) >= 1 AND length(decided_by) <= 200),
  constraint refund_requests_note_check CHECK (length(note) >= 1 AND length(note) <= 200),
  constraint refund_requests_of_another CHECK ((status <> ALL (ARRAY['accepted'::text, 'refused'::text])) OR person_in(decided_by) <> person_in(asked_by)),
  constraint refund_requests_reason_check CHECK (reason = ANY (ARRAY['returned'::text, 'twice'::text, 'wrong_amount'::text, 'cancelled'::text, 'other'::text])),
  constraint refund_requests_status_check CHECK (status = ANY (ARRAY['asked'::text, 'accepted'::text, 'refused'::text, 'withdrawn'::text]))
);
CREATE INDEX refund_requests_by_id ON refund_requests USING btree (id);
CREATE INDEX refund_requests_of_payment ON refund_requests USING btree (merchant_id, livemode, payment_id, asked_at);
CREATE INDEX refund_requests_to_decide ON refund_requests USING btree (asked_at) WHERE status = 'asked'::text;
CREATE UNIQUE INDEX refund_requests_waiting ON refund_requests USING btree (merchant_id, livemode, payment_id) WHERE status = 'asked'::text;
CREATE TRIGGER refund_requests_decided_once BEFORE UPDATE ON refund_requests FOR EACH ROW EXECUTE FUNCTION check_refund_request();
CREATE TRIGGER refund_requests_not_deleted BEFORE DELETE ON refund_requests FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table refund_transitions (
  from_status text not null,
  to_status text not null,
  constraint refund_transitions_pkey PRIMARY KEY (from_status, to_status)
);

create table refund_transitions_log (
  merchant_id bigint not null,
  livemode boolean not null,
  refund_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  cause text not null,
  transitioned_at timestamp with time zone not null default clock_now(),
  constraint refund_transitions_log_pkey PRIMARY KEY (merchant_id, livemode, refund_id, number),
  constraint refund_transitions_log_merchant_id_livemode_refund_id_fkey FOREIGN KEY (merchant_id, livemode, refund_id) REFERENCES refunds(merchant_id, livemode, id)
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);
CREATE TRIGGER refund_transitions_log_append_only BEFORE DELETE OR UPDATE ON refund_transitions_log FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table refunds (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  payment_id text not null,
  amount bigint not null,
  amount_returned bigint not null,
  fee_amount bigint not null,
  net_amount bigint not null,
  currency text not null,
  status text not null,
  operator text,
  by_hand boolean not null,
  reason text,
  request_key text not null,
  asked_amount bigint,
  requested_by text not null,
  closed_by text,
  hand_reference text,
  closing_reason text,
  failure_code text,
  transition_count integer not null default 0,
  created_at timestamp with time zone not null default clock_now(),
  concluded_at timestamp with time zone,
  wallet text,
  constraint refunds_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint refunds_hand_reference UNIQUE (merchant_id, livemode, hand_reference),
  constraint refunds_key UNIQUE (merchant_id, livemode, request_key),
  constraint refunds_merchant_id_livemode_payment_id_fkey FOREIGN KEY (merchant_id, livemode, payment_id) REFERENCES payments(merchant_id, livemode, id),
  constraint refunds_add_up CHECK ((net_amount + fee_amount) = amount_returned),
  constraint refunds_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint refunds_check CHECK (amount_returned >= amount),
  constraint refunds_check1 CHECK (closed_by <> requested_by),
  constraint refunds_check2 CHECK (by_hand OR status <> 'manual'::text),
  constraint refunds_check3 CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text])) = (concluded_at IS NOT NULL)),
  constraint refunds_closed_by_hand CHECK ((closed_by IS NOT NULL) = (by_hand AND (status = ANY (ARRAY['succeeded'::text, 'failed'::text]))) AND (hand_reference IS NOT NULL) = (by_hand AND status = 'succeeded'::text)),
  constraint refunds_closing_reason_check CHECK (length(closing_reason) >= 1 AND length(closing_reason) <= 500),
  constraint refunds_currency_check CHECK (currency = 'XOF'::text),
  constraint refunds_fee_amount_check CHECK (fee_amount >= 0),
  constraint refunds_hand_reference_check CHECK (length(hand_reference) >= 1 AND length(hand_reference) <= 255),
  constraint refunds_net_amount_check CHECK (net_amount >= 0),
  constraint refunds_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint refunds_request_key_check CHECK (length(request_key) >= 1 AND length(request_key) <= 255),
  constraint refunds_status_check CHECK (status = ANY (ARRAY['requested'::text, 'processing'::text, 'manual'::text, 'succeeded'::text, 'failed'::text])),
  constraint refunds_two_people CHECK (person_in(closed_by) <> person_in(requested_by)),
  constraint refunds_wallet CHECK (wallet IS NOT NULL OR (status = ANY (ARRAY['succeeded'::text, 'failed'::text])))
);
CREATE INDEX refunds_by_id ON refunds USING btree (id);
CREATE UNIQUE INDEX refunds_hand_reference_compared ON refunds USING btree (merchant_id, livemode, bank_reference_in(hand_reference)) WHERE hand_reference IS NOT NULL;
CREATE INDEX refunds_of_payment ON refunds USING btree (merchant_id, livemode, payment_id);
CREATE INDEX refunds_waiting ON refunds USING btree (created_at) WHERE status = ANY (ARRAY['manual'::text, 'requested'::text]);
CREATE TRIGGER refunds_fixed BEFORE UPDATE ON refunds FOR EACH ROW WHEN (old.payment_id IS DISTINCT FROM new.payment_id OR old.amount IS DISTINCT FROM new.amount OR old.amount_returned IS DISTINCT FROM new.amount_returned OR old.fee_amount IS DISTINCT FROM new.fee_amount OR old.net_amount IS DISTINCT FROM new.net_amount OR old.operator IS DISTINCT FROM new.operator OR old.by_hand IS DISTINCT FROM new.by_hand OR old.requested_by IS DISTINCT FROM new.requested_by) EXECUTE FUNCTION check_refund_facts();
CREATE TRIGGER refunds_independent BEFORE INSERT OR UPDATE OF closed_by ON refunds FOR EACH ROW WHEN (new.closed_by IS NOT NULL) EXECUTE FUNCTION check_independence('closed_by', 'requested_by');
CREATE TRIGGER refunds_move BEFORE UPDATE OF status ON refunds FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION check_refund_move();
CREATE TRIGGER refunds_not_deleted BEFORE DELETE ON refunds FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table request_log (
  merchant_id bigint not null,
  livemode boolean not null,
  request_id uuid not null,
  key_id text not null,
  method text not null,
  path text not null,
  status smallint not null,
  error_code text,
  address inet,
  duration_ms integer not null,
  requested_at timestamp with time zone not null,
  subject_id text,
  constraint request_log_pkey PRIMARY KEY (merchant_id, livemode, requested_at, request_id)
) partition by RANGE (requested_at);

create table restore_drills (
  finished_at timestamp with time zone not null default clock_timestamp(),
  passed boolean not null,
  backup text,
  seconds integer,
  fault text,
  constraint restore_drills_pkey PRIMARY KEY (finished_at),
  constraint restore_drills_seconds_check CHECK (seconds >= 0)
);

create table routes (
  merchant_id bigint not null,
  livemode boolean not null,
  operator text not null,
  direction text not null,
  connectors text[] not null,
  amount_min bigint,
  amount_max bigint,
  changed_by text not null,
  changed_at timestamp with time zone not null default clock_now(),
  constraint routes_pkey PRIMARY KEY (merchant_id, livemode, operator, direction),
  constraint routes_amount_max_check CHECK (amount_max > 0),
  constraint routes_amount_min_check CHECK (amount_min > 0),
  constraint routes_bounds CHECK (amount_min <= amount_max),
  constraint routes_connectors_check CHECK (cardinality(connectors) >= 1 AND cardinality(connectors) <= 8),
  constraint routes_direction_check CHECK (direction = ANY (ARRAY['collect'::text, 'payout'::text, 'refund'::text])),
  constraint routes_merchant_id_check CHECK (merchant_id >= 0)
);

create table rule_states (
  rule text not null,
  since timestamp with time zone not null default clock_timestamp(),
  fired_at timestamp with time zone,
  value double precision,
  constraint rule_states_pkey PRIMARY KEY (rule)
);

create table schema_migrations (
  file text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  older_code text not null default 'stops'::text,
  constraint schema_migrations_pkey PRIMARY KEY (file),
  constraint schema_migrations_older_code_check CHECK (older_code = ANY (ARRAY['runs'::text, 'stops'::text]))
);

create table secret_key_check (
  only_row boolean not null default true,
  digest bytea not null,
  created_at timestamp with time zone not null default clock_now(),
  constraint secret_key_check_pkey PRIMARY KEY (only_row),
  constraint secret_key_check_digest_check CHECK (length(digest) = 32),
  constraint secret_key_check_only_row_check CHECK (only_row)
);

create table sends (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  attempt smallint not null,
  connector text not null,
  reference uuid not null,
  sent_at timestamp with time zone not null default clock_now(),
  not_sent_at timestamp with time zone,
  payload_hash bytea,
  again_times smallint,
  again_after_seconds integer,
  constraint sends_pkey PRIMARY KEY (subject_id, merchant_id, livemode, attempt),
  constraint sends_merchant_id_livemode_subject_id_fkey FOREIGN KEY (merchant_id, livemode, subject_id) REFERENCES instructions(merchant_id, livemode, subject_id),
  constraint sends_attempt_check CHECK (attempt > 0),
  constraint sends_terms CHECK ((again_times IS NULL) = (again_after_seconds IS NULL) AND (again_times IS NULL OR again_times > 0 AND again_after_seconds >= 0 AND payload_hash IS NOT NULL))
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);
CREATE TRIGGER sends_fixed BEFORE UPDATE ON sends FOR EACH ROW WHEN (old.not_sent_at IS NOT NULL OR old.merchant_id IS DISTINCT FROM new.merchant_id OR old.livemode IS DISTINCT FROM new.livemode OR old.subject_id IS DISTINCT FROM new.subject_id OR old.attempt IS DISTINCT FROM new.attempt OR old.connector IS DISTINCT FROM new.connector OR old.reference IS DISTINCT FROM new.reference OR old.sent_at IS DISTINCT FROM new.sent_at OR old.payload_hash IS DISTINCT FROM new.payload_hash OR old.again_times IS DISTINCT FROM new.again_times OR old.again_after_seconds IS DISTINCT FROM new.again_after_seconds) EXECUTE FUNCTION check_send_facts();
CREATE TRIGGER sends_follow BEFORE INSERT ON sends FOR EACH ROW WHEN (new.attempt > 1) EXECUTE FUNCTION check_send();
CREATE TRIGGER sends_not_deleted BEFORE DELETE ON sends FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table served_files (
  name text not null,
  type text not null,
  bytes bytea not null,
  sha512 bytea not null,
  constraint served_files_pkey PRIMARY KEY (name),
  constraint served_files_bytes_check CHECK (octet_length(bytes) > 0),
  constraint served_files_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint served_files_sha512_check CHECK (octet_length(sha512) = 64)
);

create table service_processes (
  place text not null,
  roles text[] not null,
  version text not null,
  started_at timestamp with time zone not null default clock_timestamp(),
  heard_at timestamp with time zone not null default clock_timestamp(),
  parts jsonb not null,
  constraint service_processes_pkey PRIMARY KEY (place)
);

create table settlement_floors (
  merchant_id bigint not null,
  livemode boolean not null,
  minimum bigint not null,
  constraint settlement_floors_pkey PRIMARY KEY (merchant_id, livemode),
  constraint settlement_floors_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint settlement_floors_minimum_check CHECK (minimum > 0)
);

create table settlement_schedules (
  merchant_id bigint not null,
  livemode boolean not null,
  days text[] not null,
  at_hour smallint not null,
  keep bigint not null,
  set_by text not null,
  set_at timestamp with time zone not null,
  next_at timestamp with time zone not null,
  last_at timestamp with time zone,
  last_outcome text,
  last_settlement_id text,
  constraint settlement_schedules_pkey PRIMARY KEY (merchant_id, livemode),
  constraint settlement_schedules_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint settlement_schedules_at_hour_check CHECK (at_hour >= 0 AND at_hour <= 23),
  constraint settlement_schedules_check CHECK ((last_at IS NULL) = (last_outcome IS NULL)),
  constraint settlement_schedules_check1 CHECK (last_settlement_id IS NULL OR last_outcome = 'asked'::text),
  constraint settlement_schedules_days_check CHECK (cardinality(days) >= 1 AND cardinality(days) <= 7 AND days <@ '{mon,tue,wed,thu,fri,sat,sun}'::text[]),
  constraint settlement_schedules_keep_check CHECK (keep >= 0 AND keep <= '1000000000000'::bigint),
  constraint settlement_schedules_last_outcome_check CHECK (last_outcome = ANY (ARRAY['asked'::text, 'no_destination'::text, 'unchecked'::text, 'cooling'::text, 'too_little'::text, 'merchant_inactive'::text])),
  constraint settlement_schedules_set_by_check CHECK (length(set_by) >= 1 AND length(set_by) <= 200)
);
CREATE INDEX settlement_schedules_due ON settlement_schedules USING btree (next_at);

create table settlement_transitions (
  from_status text not null,
  to_status text not null,
  constraint settlement_transitions_pkey PRIMARY KEY (from_status, to_status)
);

create table settlement_transitions_log (
  merchant_id bigint not null,
  livemode boolean not null,
  settlement_id text not null,
  number integer not null,
  from_status text not null,
  to_status text not null,
  cause text not null,
  transitioned_by text not null,
  transitioned_at timestamp with time zone not null default clock_now(),
  constraint settlement_transitions_log_pkey PRIMARY KEY (merchant_id, livemode, settlement_id, number),
  constraint settlement_transitions_log_merchant_id_livemode_settlement_fkey FOREIGN KEY (merchant_id, livemode, settlement_id) REFERENCES settlements(merchant_id, livemode, id)
);
CREATE TRIGGER settlement_transitions_log_append_only BEFORE DELETE OR UPDATE ON settlement_transitions_log FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table settlements (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  amount bigint not null,
  currency text not null,
  status text not null default 'pending_validation'::text,
  beneficiary_id uuid not null,
  name text not null,
  account_type text not null,
  operator text,
  last4 text not null,
  designated_at timestamp with time zone not null,
  made_by text not null,
  validated_by text,
  paid_by text,
  rejected_by text,
  bank_reference text,
  booking_date date,
  value_date date,
  rejection_reason text,
  transition_count integer not null default 0,
  created_at timestamp with time zone not null default clock_now(),
  validated_at timestamp with time zone,
  paid_at timestamp with time zone,
  rejected_at timestamp with time zone,
  account_taken_at timestamp with time zone,
  account_taken_by text,
  constraint settlements_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint settlements_merchant_id_livemode_beneficiary_id_fkey FOREIGN KEY (merchant_id, livemode, beneficiary_id) REFERENCES beneficiaries(merchant_id, livemode, id),
  constraint settlements_account CHECK ((account_type = 'wallet'::text) = (operator IS NOT NULL)),
  constraint settlements_account_type_check CHECK (account_type = ANY (ARRAY['bank_account'::text, 'wallet'::text])),
  constraint settlements_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint settlements_bank_reference_check CHECK (length(bank_reference) >= 1 AND length(bank_reference) <= 140),
  constraint settlements_complete CHECK ((validated_by IS NULL) = (validated_at IS NULL) AND (paid_by IS NULL) = (paid_at IS NULL) AND (paid_by IS NULL) = (bank_reference IS NULL) AND (paid_by IS NOT NULL OR num_nonnulls(booking_date, value_date) = 0) AND (rejected_by IS NULL) = (rejected_at IS NULL) AND (account_taken_by IS NULL) = (account_taken_at IS NULL) AND (account_taken_by IS NULL OR validated_by IS NOT NULL) AND (rejection_reason IS NULL OR rejected_by IS NOT NULL)),
  constraint settlements_currency_check CHECK (currency = 'XOF'::text),
  constraint settlements_decided_by_people CHECK (lower(validated_by) !~~ 'key:%'::text AND lower(paid_by) !~~ 'key:%'::text AND lower(rejected_by) !~~ 'key:%'::text),
  constraint settlements_decided_by_people_compared CHECK (person_in(validated_by) !~~ 'key:%'::text AND person_in(paid_by) !~~ 'key:%'::text AND person_in(rejected_by) !~~ 'key:%'::text),
  constraint settlements_rejection_reason_check CHECK (length(rejection_reason) >= 1 AND length(rejection_reason) <= 500),
  constraint settlements_stand CHECK (
CASE status
    WHEN 'pending_validation'::text THEN num_nonnulls(validated_by, paid_by, rejected_by) = 0
    WHEN 'validated'::text THEN validated_by IS NOT NULL AND num_nonnulls(paid_by, rejected_by) = 0
    WHEN 'paid'::text THEN num_nonnulls(validated_by, paid_by) = 2 AND rejected_by IS NULL
    WHEN 'rejected'::text THEN rejected_by IS NOT NULL AND paid_by IS NULL
    ELSE false
END),
  constraint settlements_two_people CHECK (lower(validated_by) <> lower(made_by) AND lower(paid_by) <> lower(made_by) AND lower(rejected_by) <> lower(made_by) AND lower(paid_by) <> lower(validated_by)),
  constraint settlements_two_people_compared CHECK (person_in(validated_by) <> person_in(made_by) AND person_in(paid_by) <> person_in(made_by) AND person_in(rejected_by) <> person_in(made_by) AND person_in(paid_by) <> person_in(validated_by))
);
CREATE UNIQUE INDEX settlements_bank_reference_compared ON settlements USING btree (merchant_id, livemode, bank_reference_in(bank_reference)) WHERE bank_reference IS NOT NULL;
CREATE UNIQUE INDEX settlements_bank_reference_key ON settlements USING btree (merchant_id, livemode, upper(regexp_replace(bank_reference, '\s'::text, ''::text, 'g'::text))) WHERE bank_reference IS NOT NULL;
CREATE INDEX settlements_by_id ON settlements USING btree (id);
CREATE INDEX settlements_of_status ON settlements USING btree (livemode, status, created_at, id);
CREATE INDEX settlements_open ON settlements USING btree (created_at, id) WHERE status = ANY (ARRAY['pending_validation'::text, 'validated'::text]);
CREATE INDEX settlements_order ON settlements USING btree (merchant_id, livemode, created_at, id);
CREATE TRIGGER settlements_begin BEFORE INSERT ON settlements FOR EACH ROW WHEN (new.status <> 'pending_validation'::text) EXECUTE FUNCTION check_new_settlement();
CREATE TRIGGER settlements_fixed BEFORE UPDATE ON settlements FOR EACH ROW WHEN (old.merchant_id IS DISTINCT FROM new.merchant_id OR old.livemode IS DISTINCT FROM new.livemode OR old.id IS DISTINCT FROM new.id OR old.amount IS DISTINCT FROM new.amount OR old.currency IS DISTINCT FROM new.currency OR old.beneficiary_id IS DISTINCT FROM new.beneficiary_id OR old.name IS DISTINCT FROM new.name OR old.account_type IS DISTINCT FROM new.account_type OR old.operator IS DISTINCT FROM new.operator OR old.last4 IS DISTINCT FROM new.last4 OR old.designated_at IS DISTINCT FROM new.designated_at OR old.made_by IS DISTINCT FROM new.made_by OR old.created_at IS DISTINCT FROM new.created_at OR old.validated_by IS NOT NULL AND (old.validated_by IS DISTINCT FROM new.validated_by OR old.validated_at IS DISTINCT FROM new.validated_at) OR (old.status = ANY (ARRAY['paid'::text, 'rejected'::text])) AND (old.paid_by IS DISTINCT FROM new.paid_by OR old.paid_at IS DISTINCT FROM new.paid_at OR old.bank_reference IS DISTINCT FROM new.bank_reference OR old.booking_date IS DISTINCT FROM new.booking_date OR old.value_date IS DISTINCT FROM new.value_date OR old.rejected_by IS DISTINCT FROM new.rejected_by OR old.rejected_at IS DISTINCT FROM new.rejected_at OR old.rejection_reason IS DISTINCT FROM new.rejection_reason OR old.account_taken_at IS DISTINCT FROM new.account_taken_at OR old.account_taken_by IS DISTINCT FROM new.account_taken_by)) EXECUTE FUNCTION check_settlement_facts();
CREATE TRIGGER settlements_move BEFORE UPDATE OF status ON settlements FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION check_settlement_move();
CREATE TRIGGER settlements_not_deleted BEFORE DELETE ON settlements FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER settlements_paid_independent BEFORE INSERT OR UPDATE OF paid_by ON settlements FOR EACH ROW WHEN (new.paid_by IS NOT NULL) EXECUTE FUNCTION check_independence('paid_by', 'made_by', 'validated_by');
CREATE TRIGGER settlements_rejected_independent BEFORE INSERT OR UPDATE OF rejected_by ON settlements FOR EACH ROW WHEN (new.rejected_by IS NOT NULL) EXECUTE FUNCTION check_independence('rejected_by', 'made_by');
CREATE TRIGGER settlements_validated_independent BEFORE INSERT OR UPDATE OF validated_by ON settlements FOR EACH ROW WHEN (new.validated_by IS NOT NULL) EXECUTE FUNCTION check_independence('validated_by', 'made_by');

create table sign_in_attempts (
  token_hash bytea not null,
  purpose text not null,
  person_id text,
  challenge bytea,
  code_hash bytea,
  asked json,
  step_up_id text,
  wrong smallint not null default 0,
  created_at timestamp with time zone not null default clock_now(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  refused boolean not null default false,
  constraint sign_in_attempts_pkey PRIMARY KEY (token_hash),
  constraint sign_in_attempts_code_hash_key UNIQUE (code_hash),
  constraint sign_in_attempts_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id),
  constraint sign_in_attempts_challenge_check CHECK (octet_length(challenge) = 32),
  constraint sign_in_attempts_check CHECK (NOT refused OR purpose = 'command_line'::text AND step_up_id IS NULL AND used_at IS NOT NULL),
  constraint sign_in_attempts_check1 CHECK ((challenge IS NULL) = (purpose = ANY (ARRAY['second_factor'::text, 'command_line'::text]))),
  constraint sign_in_attempts_check2 CHECK ((code_hash IS NULL) = (purpose <> 'command_line'::text) AND (asked IS NULL) = (code_hash IS NULL)),
  constraint sign_in_attempts_check3 CHECK (person_id IS NOT NULL OR purpose = 'passkey'::text OR purpose = 'command_line'::text AND step_up_id IS NULL),
  constraint sign_in_attempts_code_hash_check CHECK (octet_length(code_hash) = 32),
  constraint sign_in_attempts_purpose_check CHECK (purpose = ANY (ARRAY['second_factor'::text, 'passkey'::text, 'registration'::text, 'command_line'::text])),
  constraint sign_in_attempts_token_hash_check CHECK (octet_length(token_hash) = 32)
);
CREATE INDEX sign_in_attempts_by_person ON sign_in_attempts USING btree (person_id);

create table simulator_orders (
  merchant_id bigint not null,
  livemode boolean not null,
  reference uuid not null,
  taken_at timestamp with time zone not null default clock_now(),
  direction text not null,
  amount bigint not null,
  msisdn_end text not null,
  payer_says text,
  times_received integer not null default 1,
  constraint simulator_orders_pkey PRIMARY KEY (reference, merchant_id, livemode),
  constraint simulator_orders_livemode_check CHECK (NOT livemode),
  constraint simulator_orders_payer_says_check CHECK (payer_says = ANY (ARRAY['yes'::text, 'no'::text, 'wrong_code'::text]))
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=10000, autovacuum_freeze_min_age=0, autovacuum_analyze_scale_factor=0.5);

create table single_person_terms (
  merchant_id bigint not null,
  person text not null,
  proposed_at timestamp with time zone not null default clock_now(),
  proposed_by text not null,
  reason text not null,
  confirmed_by text,
  confirmed_at timestamp with time zone,
  ended_by text,
  ended_at timestamp with time zone,
  constraint single_person_terms_pkey PRIMARY KEY (merchant_id, proposed_at),
  constraint single_person_terms_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint single_person_terms_check CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL)),
  constraint single_person_terms_check1 CHECK ((ended_by IS NULL) = (ended_at IS NULL)),
  constraint single_person_terms_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint single_person_terms_two_people CHECK (person_in(confirmed_by) <> person_in(proposed_by))
);
CREATE UNIQUE INDEX single_person_terms_open ON single_person_terms USING btree (merchant_id) WHERE ended_at IS NULL;
CREATE TRIGGER single_person_terms_independent BEFORE INSERT OR UPDATE OF confirmed_by ON single_person_terms FOR EACH ROW WHEN (new.confirmed_by IS NOT NULL) EXECUTE FUNCTION check_independence('confirmed_by', 'proposed_by');
CREATE TRIGGER single_person_terms_not_deleted BEFORE DELETE ON single_person_terms FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table solo_approvals (
  merchant_id bigint not null,
  livemode boolean not null,
  subject_id text not null,
  approved_at timestamp with time zone not null default clock_now(),
  approved_by text not null,
  step_up_id text not null,
  from_address inet,
  takes_effect_at timestamp with time zone not null,
  tried_at timestamp with time zone,
  refusal text,
  refused_at timestamp with time zone,
  ended_at timestamp with time zone,
  ended_by text,
  outcome text,
  constraint solo_approvals_pkey PRIMARY KEY (merchant_id, livemode, subject_id, approved_at),
  constraint solo_approvals_a_day CHECK (takes_effect_at >= (approved_at + '24:00:00'::interval)),
  constraint solo_approvals_check CHECK ((ended_at IS NULL) = (ended_by IS NULL) AND (ended_at IS NULL) = (outcome IS NULL)),
  constraint solo_approvals_check1 CHECK ((refusal IS NULL) = (refused_at IS NULL)),
  constraint solo_approvals_outcome_check CHECK (outcome = ANY (ARRAY['carried_out'::text, 'stopped'::text, 'decided'::text, 'rejected'::text, 'expired'::text, 'cancelled'::text, 'revoked'::text, 'refused'::text, 'leave_ended'::text, 'not_alone'::text, 'right_lost'::text])),
  constraint solo_approvals_refusal_check CHECK (refusal = ANY (ARRAY['insufficient_funds'::text, 'merchant_inactive'::text, 'beneficiary_archived'::text, 'unchecked'::text]))
);
CREATE UNIQUE INDEX solo_approvals_open ON solo_approvals USING btree (merchant_id, livemode, subject_id) WHERE ended_at IS NULL;
CREATE TRIGGER solo_approvals_kept BEFORE UPDATE ON solo_approvals FOR EACH ROW EXECUTE FUNCTION check_solo_approval();
CREATE TRIGGER solo_approvals_not_deleted BEFORE DELETE ON solo_approvals FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table staff_visits (
  merchant_id bigint not null,
  visit_id text not null,
  person text not null,
  reason text not null,
  begun_at timestamp with time zone not null default clock_now(),
  ends_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint staff_visits_pkey PRIMARY KEY (merchant_id, visit_id),
  constraint staff_visits_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(merchant_id),
  constraint staff_visits_check CHECK (ends_at > begun_at AND ends_at <= (begun_at + '00:30:00'::interval)),
  constraint staff_visits_person_check CHECK (length(person) >= 1 AND length(person) <= 200),
  constraint staff_visits_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 200)
);
CREATE INDEX staff_visits_in_time ON staff_visits USING btree (merchant_id, begun_at);
CREATE INDEX staff_visits_of_person ON staff_visits USING btree (merchant_id, person, ends_at);
CREATE TRIGGER staff_visits_kept BEFORE UPDATE ON staff_visits FOR EACH ROW EXECUTE FUNCTION check_visit();
CREATE TRIGGER staff_visits_not_deleted BEFORE DELETE ON staff_visits FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table statement_bytes (
  file_id text not null,
  piece integer not null,
  sealed bytea not null,
  constraint statement_bytes_pkey PRIMARY KEY (file_id, piece),
  constraint statement_bytes_file_id_fkey FOREIGN KEY (file_id) REFERENCES statement_files(id),
  constraint statement_bytes_piece_check CHECK (piece >= 0)
);

create table statement_chunks (
  file_id text not null,
  chunk integer not null,
  counts jsonb not null,
  constraint statement_chunks_pkey PRIMARY KEY (file_id, chunk),
  constraint statement_chunks_file_id_fkey FOREIGN KEY (file_id) REFERENCES statement_files(id),
  constraint statement_chunks_chunk_check CHECK (chunk >= 0)
);

create table statement_files (
  id text not null,
  livemode boolean not null,
  account text not null,
  source text not null,
  status text not null default 'reading'::text,
  hash bytea not null,
  bytes bigint not null,
  settings jsonb,
  opening bigint,
  period_from date,
  period_to date,
  found jsonb,
  first_day date,
  last_day date,
  counts jsonb,
  refusal text,
  imported_by text not null,
  imported_at timestamp with time zone not null default clock_now(),
  ended_at timestamp with time zone,
  held_until timestamp with time zone,
  tries smallint not null default 0,
  matched_at timestamp with time zone,
  constraint statement_files_pkey PRIMARY KEY (id),
  constraint statement_files_bytes_check CHECK (bytes >= 0),
  constraint statement_files_check CHECK ((status = ANY (ARRAY['counted'::text, 'withdrawn'::text])) = (counts IS NOT NULL)),
  constraint statement_files_check1 CHECK ((status = 'refused'::text) = (refusal IS NOT NULL)),
  constraint statement_files_check2 CHECK (status = 'refused'::text OR settings IS NOT NULL AND found IS NOT NULL),
  constraint statement_files_check3 CHECK ((period_from IS NULL) = (period_to IS NULL) AND period_from <= period_to),
  constraint statement_files_hash_check CHECK (octet_length(hash) = 32),
  constraint statement_files_source_check CHECK (source = ANY (ARRAY['file'::text, 'api'::text, 'typed'::text])),
  constraint statement_files_status_check CHECK (status = ANY (ARRAY['proposed'::text, 'reading'::text, 'counted'::text, 'refused'::text, 'withdrawn'::text]))
);
CREATE UNIQUE INDEX statement_files_bytes ON statement_files USING btree (livemode, account, hash) WHERE status = ANY (ARRAY['proposed'::text, 'reading'::text, 'counted'::text]);
CREATE INDEX statement_files_of_account ON statement_files USING btree (livemode, account, first_day);
CREATE UNIQUE INDEX statement_files_reading ON statement_files USING btree (livemode, account) WHERE status = 'reading'::text;

create table statement_lines (
  id text not null,
  month date not null,
  livemode boolean not null,
  account text not null,
  day date not null,
  occurred_at timestamp with time zone,
  class text not null,
  direction text not null,
  gross bigint not null,
  fee bigint not null,
  tax bigint not null,
  effect bigint not null,
  is_fee_known boolean not null,
  balance bigint,
  currency text not null,
  reference text,
  our_reference text,
  party text,
  text text,
  file_id text not null,
  "row" integer not null,
  state text not null default 'unmatched'::text,
  matched_by text,
  subject_id text,
  charge bigint,
  kind text,
  is_changed boolean not null default false,
  is_merged boolean not null default false,
  constraint statement_lines_pkey PRIMARY KEY (id, month),
  constraint statement_lines_check CHECK (month = date_trunc('month'::text, day::timestamp with time zone)),
  constraint statement_lines_check1 CHECK (state <> 'matched'::text OR subject_id IS NOT NULL AND matched_by IS NOT NULL AND NOT is_changed),
  constraint statement_lines_class_check CHECK (class = ANY (ARRAY['operation'::text, 'fee'::text, 'tax'::text, 'own_transfer'::text])),
  constraint statement_lines_direction_check CHECK (direction = ANY (ARRAY['in'::text, 'out'::text])),
  constraint statement_lines_row_check CHECK ("row" > 0),
  constraint statement_lines_state_check CHECK (state = ANY (ARRAY['unmatched'::text, 'matched'::text, 'grouped'::text, 'explained'::text, 'withdrawn'::text]))
) partition by RANGE (month);
CREATE INDEX statement_lines_differing ON ONLY statement_lines USING btree (livemode, account, day, id) WHERE (kind IS NOT NULL OR class = 'own_transfer'::text AND state = 'unmatched'::text) AND state <> 'withdrawn'::text;
CREATE UNIQUE INDEX statement_lines_matched_once ON ONLY statement_lines USING btree (subject_id, month) WHERE state = 'matched'::text;
CREATE INDEX statement_lines_of_day ON ONLY statement_lines USING btree (livemode, account, day, id);
CREATE INDEX statement_lines_open ON ONLY statement_lines USING btree (id) WHERE kind = 'order_open'::text;
CREATE INDEX statement_lines_subject ON ONLY statement_lines USING btree (subject_id) WHERE subject_id IS NOT NULL;
CREATE TRIGGER statement_lines_changed AFTER UPDATE ON statement_lines REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION keep_changed_days();
CREATE TRIGGER statement_lines_decided BEFORE UPDATE ON statement_lines FOR EACH ROW WHEN (old.matched_by = 'two_people'::text) EXECUTE FUNCTION keep_decided_line();
CREATE TRIGGER statement_lines_deposit_kept BEFORE UPDATE OF state, matched_by ON statement_lines FOR EACH ROW WHEN (new.state = 'withdrawn'::text AND old.state <> 'withdrawn'::text OR new.matched_by = 'two_people'::text AND old.matched_by IS DISTINCT FROM 'two_people'::text) EXECUTE FUNCTION keep_deposit_line();
CREATE TRIGGER statement_lines_deposit_not_deleted BEFORE DELETE ON statement_lines FOR EACH ROW WHEN (old.state <> 'withdrawn'::text) EXECUTE FUNCTION keep_deposit_line();

create table statement_profiles (
  profile text not null,
  version integer not null,
  settings jsonb not null,
  set_by text not null,
  set_at timestamp with time zone not null default clock_now(),
  constraint statement_profiles_pkey PRIMARY KEY (profile, version),
  constraint statement_profiles_profile_check CHECK (profile ~ '^[a-z][a-z0-9_]{0,39}$'::text),
  constraint statement_profiles_version_check CHECK (version > 0)
);

create table statement_pulls (
  livemode boolean not null,
  account text not null,
  day date not null,
  nth smallint not null,
  attempts integer not null default 0,
  planned_at timestamp with time zone not null default clock_now(),
  next_try_at timestamp with time zone not null default clock_now(),
  ended_at timestamp with time zone,
  outcome text,
  file_id text,
  constraint statement_pulls_pkey PRIMARY KEY (livemode, account, day, nth),
  constraint statement_pulls_attempts_check CHECK (attempts >= 0),
  constraint statement_pulls_check CHECK ((ended_at IS NULL) = (outcome IS NULL)),
  constraint statement_pulls_nth_check CHECK (nth >= 1 AND nth <= 3),
  constraint statement_pulls_outcome_check CHECK (outcome = ANY (ARRAY['read'::text, 'empty'::text, 'not_offered'::text, 'refused'::text, 'given_up'::text]))
);
CREATE INDEX statement_pulls_due ON statement_pulls USING btree (next_try_at) WHERE ended_at IS NULL;

create table statement_rows (
  file_id text not null,
  month date not null,
  "row" integer not null,
  class text not null,
  fault text,
  line_id text,
  line_month date,
  day date,
  gross bigint not null,
  fee bigint not null,
  tax bigint not null,
  effect bigint not null,
  is_fee_known boolean not null,
  balance bigint,
  occurred_at timestamp with time zone,
  our_reference text,
  party text,
  text text,
  constraint statement_rows_pkey PRIMARY KEY (file_id, month, "row"),
  constraint statement_rows_row_check CHECK ("row" > 0)
) partition by RANGE (month);
CREATE INDEX statement_rows_of_line ON ONLY statement_rows USING btree (line_id) WHERE line_id IS NOT NULL;

create table status_figures (
  starts_at timestamp with time zone not null,
  state text not null,
  figures jsonb not null,
  evaluated_at timestamp with time zone not null default clock_timestamp(),
  constraint status_figures_pkey PRIMARY KEY (starts_at),
  constraint status_figures_state_check CHECK (state = ANY (ARRAY['ok'::text, 'ticket'::text, 'page'::text]))
);

create table step_ups (
  step_up_id text not null,
  session_id text not null,
  person_id text not null,
  operation text not null,
  subject text,
  content text not null,
  content_hash bytea not null,
  nonce bytea not null,
  created_at timestamp with time zone not null default clock_now(),
  expires_at timestamp with time zone not null,
  factor text,
  proof jsonb,
  confirmed_at timestamp with time zone,
  used_at timestamp with time zone,
  wrong smallint not null default 0,
  constraint step_ups_pkey PRIMARY KEY (step_up_id),
  constraint step_ups_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(person_id),
  constraint step_ups_session_id_fkey FOREIGN KEY (session_id) REFERENCES person_sessions(session_id),
  constraint step_ups_check CHECK ((factor IS NULL) = (confirmed_at IS NULL)),
  constraint step_ups_content_hash_check CHECK (octet_length(content_hash) = 32),
  constraint step_ups_content_length CHECK (octet_length(content) <= 8192),
  constraint step_ups_factor_check CHECK (factor = ANY (ARRAY['passkey'::text, 'totp'::text]))
);
CREATE INDEX step_ups_by_session ON step_ups USING btree (session_id);

create table till_people (
  merchant_id bigint not null,
  livemode boolean not null,
  link_id text not null,
  person_id text not null,
  added_by text not null,
  added_at timestamp with time zone not null default clock_now(),
  constraint till_people_pkey PRIMARY KEY (merchant_id, livemode, link_id, person_id),
  constraint till_people_merchant_id_livemode_link_id_fkey FOREIGN KEY (merchant_id, livemode, link_id) REFERENCES payment_links(merchant_id, livemode, id)
);
CREATE INDEX till_people_of_person ON till_people USING btree (person_id, merchant_id, livemode);

create table till_phones (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  link_id text not null,
  name text not null,
  invited_by text not null,
  created_at timestamp with time zone not null default clock_now(),
  expires_at timestamp with time zone not null,
  paired_at timestamp with time zone,
  session_hash bytea,
  seen_at timestamp with time zone,
  ended_at timestamp with time zone,
  ended_by text,
  constraint till_phones_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint till_phones_merchant_id_livemode_link_id_fkey FOREIGN KEY (merchant_id, livemode, link_id) REFERENCES payment_links(merchant_id, livemode, id),
  constraint till_phones_check CHECK ((paired_at IS NULL) = (session_hash IS NULL) AND (paired_at IS NULL) = (seen_at IS NULL)),
  constraint till_phones_check1 CHECK ((ended_at IS NULL) = (ended_by IS NULL)),
  constraint till_phones_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 80),
  constraint till_phones_session_hash_check CHECK (octet_length(session_hash) = 32)
);
CREATE INDEX till_phones_by_id ON till_phones USING btree (id);
CREATE INDEX till_phones_of_link ON till_phones USING btree (merchant_id, livemode, link_id) WHERE ended_at IS NULL;

create table told_payments (
  merchant_id bigint not null,
  livemode boolean not null,
  epoch integer not null,
  tx xid8 not null,
  id text not null,
  day date,
  constraint told_payments_pkey PRIMARY KEY (merchant_id, livemode)
);

create table transfer_fillings (
  merchant_id bigint not null,
  livemode boolean not null,
  id text not null,
  operation text not null,
  reference text not null,
  amount bigint not null,
  created_at timestamp with time zone not null default clock_now(),
  constraint transfer_fillings_pkey PRIMARY KEY (merchant_id, livemode, id),
  constraint transfer_fillings_amount_check CHECK (amount >= 1 AND amount <= '1000000000000'::bigint),
  constraint transfer_fillings_operation_check CHECK (operation = ANY (ARRAY['deposit'::text, 'moved_to_transfer'::text])),
  constraint transfer_fillings_reference_check CHECK (length(reference) >= 1 AND length(reference) <= 140)
);
CREATE UNIQUE INDEX transfer_fillings_reference ON transfer_fillings USING btree (merchant_id, livemode, operation, bank_reference_in(reference));
CREATE TRIGGER transfer_fillings_append_only BEFORE DELETE OR UPDATE ON transfer_fillings FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfer_fillings_not_truncated BEFORE TRUNCATE ON transfer_fillings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table unchecked_payments (
  merchant_id bigint not null,
  livemode boolean not null,
  day date not null,
  payment_id text not null,
  amount bigint not null,
  constraint unchecked_payments_pkey PRIMARY KEY (merchant_id, livemode, day, payment_id),
  constraint unchecked_payments_amount_check CHECK (amount > 0),
  constraint unchecked_payments_livemode_check CHECK (livemode)
);

create table wrong_passwords (
  email_hash bytea not null,
  place text not null,
  hour timestamp with time zone not null,
  wrong integer not null,
  constraint wrong_passwords_pkey PRIMARY KEY (email_hash, place, hour),
  constraint wrong_passwords_email_hash_check CHECK (octet_length(email_hash) = 32),
  constraint wrong_passwords_wrong_check CHECK (wrong >= 0)
);

create view account_entries as
 SELECT merchant_id,
    livemode,
    account,
    sequence,
    subject_id,
    operation,
    amount,
    balance_after,
    created_at
   FROM ledger_entries;
comment on view account_entries is 'The entries of an account in their order: the movements of a statement.';

create view approved_adjustments as
 SELECT merchant_id,
    livemode,
    anomaly_id
   FROM adjustments
  WHERE status = 'approved'::text;
comment on view approved_adjustments is 'The adjustments that two people agreed on: a refund asks whether one corrected its payment.';

create view batch_listing as
 SELECT merchant_id,
    livemode,
    id,
    status,
    total_amount AS amount,
    NULL::bigint AS fee_amount,
    NULL::text AS operator,
    NULL::text AS msisdn,
    NULL::text AS last4,
    NULL::text AS name,
    reference,
    comparable_reference(reference) AS compared_reference,
    NULL::text AS description,
    NULL::text AS failure_code,
    NULL::text AS parent_id,
    created_at,
    finished_at AS concluded_at
   FROM payout_batches;
comment on view batch_listing is 'Batches as lists, search and exports show them.';

create view credited_anomalies as
 SELECT merchant_id,
    livemode,
    anomaly_id
   FROM anomaly_proposals
  WHERE status = 'approved'::text AND resolution = 'credit_available'::text;
comment on view credited_anomalies is 'The anomalies whose money was given to the merchant: the payer''s page goes on saying so.';

create view differing_lines as
 SELECT id,
    month,
    livemode,
    account,
    day,
    class,
    direction,
    gross,
    effect,
    state,
    subject_id,
    COALESCE(kind, 'own_transfer'::text) AS kind
   FROM statement_lines
  WHERE (kind IS NOT NULL OR class = 'own_transfer'::text AND state = 'unmatched'::text) AND state <> 'withdrawn'::text;
comment on view differing_lines is 'Of src/reconciliation: the lines of statements that are differences.';

create view event_subjects as
 SELECT merchant_id,
    livemode,
    id,
    type,
    subject_id
   FROM events;
comment on view event_subjects is 'What each event is about, without its body: the worker learns from it of every move of a payment or payout that is listed already.';

create view executable_batches as
 SELECT merchant_id,
    livemode,
    id
   FROM payout_batches
  WHERE status = ANY (ARRAY['brouillon'::text, 'en_attente_validation'::text]);
comment on view executable_batches is 'The batches that can still be executed, which makes their use of the 24 hours count again.';

create view instruction_progress as
 SELECT merchant_id,
    livemode,
    subject_id,
    state,
    next_action,
    concluded_at,
    sent_at
   FROM instructions;
comment on view instruction_progress is 'How far the order to an operator is, and the next action of the payer: for a payment as it is shown.';

create view lines_about as
 SELECT subject_id,
    livemode,
    account,
    state,
    month
   FROM statement_lines
  WHERE subject_id IS NOT NULL AND state <> 'withdrawn'::text;
comment on view lines_about is 'The operations that a statement shows, also where the line disagrees: for src/reconciliation, which names the others.';

create view merchant_modes as
 SELECT m.merchant_id,
    modes.livemode,
    m.is_checked OR NOT modes.livemode AS is_checked
   FROM merchants m
     CROSS JOIN ( VALUES (false), (true)) modes(livemode);
comment on view merchant_modes is 'Every merchant in each mode, with whether it may operate there without the limits of an unchecked one: to look up under each what only a key that begins with the merchant finds.';

create view merchant_names as
 SELECT merchant_id,
    name
   FROM merchants;
comment on view merchant_names is 'The name of a merchant: for the pages that show a person the merchants where they have a role.';

create view merchant_standing as
 SELECT merchant_id,
    active
   FROM merchants;
comment on view merchant_standing is 'Whether a merchant may operate: for the keys, which are asked about it at every call.';

create view operators_of_orders as
 SELECT merchant_id,
    livemode,
    subject_id,
    COALESCE(operator, 'simulator'::text) AS operator
   FROM instructions;
comment on view operators_of_orders is 'The operator of each order: the margin of a day is told by operator.';

create view operators_of_refunds as
 SELECT merchant_id,
    livemode,
    id,
    COALESCE(operator, 'simulator'::text) AS operator
   FROM refunds;
comment on view operators_of_refunds is 'The operator of each refund: one by hand has no order, and the margin of a day is told by operator.';

create view payment_listing as
 SELECT merchant_id,
    livemode,
    id,
    transition_count AS version,
    status,
    amount,
    fee_amount,
    operator,
    msisdn,
    "right"(msisdn, 4) AS last4,
    NULL::text AS name,
    merchant_reference AS reference,
    COALESCE(reference_key, merchant_reference) AS compared_reference,
    description,
    failure_code,
    NULL::text AS parent_id,
    created_at,
    COALESCE(succeeded_at, failed_at) AS concluded_at
   FROM payments;
comment on view payment_listing is 'Payments as lists, search and exports show them.';

create view payout_listing as
 SELECT merchant_id,
    livemode,
    id,
    transition_count AS version,
    status,
    amount,
    fee_amount,
    operator,
    msisdn,
    "right"(msisdn, 4) AS last4,
    COALESCE(name, label) AS name,
    reference,
    comparable_reference(reference) AS compared_reference,
    NULL::text AS description,
    failure_code,
    batch_id AS parent_id,
    created_at,
    NULL::timestamp with time zone AS concluded_at
   FROM payouts;
comment on view payout_listing is 'Payouts as lists, search and exports show them.';

create view quoted_references as
 SELECT merchant_id,
    livemode,
    reference,
    subject_id
   FROM operator_references;
comment on view quoted_references is 'The references that operators quote to merchants and payers: search finds an operation by them.';

create view refund_listing as
 SELECT merchant_id,
    livemode,
    id,
    status,
    amount,
    fee_amount,
    operator,
    NULL::text AS msisdn,
    NULL::text AS last4,
    NULL::text AS name,
    NULL::text AS reference,
    NULL::text AS compared_reference,
    reason AS description,
    failure_code,
    payment_id AS parent_id,
    created_at,
    concluded_at
   FROM refunds;
comment on view refund_listing is 'Refunds as lists, search and exports show them.';

create view refunded_payments as
 SELECT merchant_id,
    livemode,
    id AS refund_id,
    payment_id
   FROM refunds;
comment on view refunded_payments is 'The payment that a refund gives back: for the movements of a statement.';

create view refunds_to_conclude as
 SELECT merchant_id,
    livemode,
    id AS refund_id,
    payment_id,
    status,
    created_at
   FROM refunds
  WHERE status = ANY (ARRAY['requested'::text, 'processing'::text]);
comment on view refunds_to_conclude is 'Refunds that are with their operator or are to go there: some operators take those of one payment one after another.';

create view reported_anomalies as
 SELECT merchant_id,
    livemode,
    subject_id,
    kind,
    id,
    closed_at
   FROM anomalies;
comment on view reported_anomalies is 'What was reported of a payment and does not fit: while it is open, the page promises nothing and a refund asks about it.';

create view settlement_listing as
 SELECT merchant_id,
    livemode,
    id,
    status,
    amount,
    NULL::bigint AS fee_amount,
    operator,
    NULL::text AS msisdn,
    last4,
    name,
    bank_reference AS reference,
    comparable_reference(bank_reference) AS compared_reference,
    rejection_reason AS description,
    NULL::text AS failure_code,
    NULL::text AS parent_id,
    created_at,
    COALESCE(paid_at, rejected_at) AS concluded_at
   FROM settlements;
comment on view settlement_listing is 'Settlements as lists, search and exports show them.';

create view shown_payments as
 SELECT merchant_id,
    livemode,
    id,
    status,
    operator,
    "right"(msisdn, 2) AS msisdn_end,
    amount,
    amount_collected,
    merchant_reference,
    failure_code,
    created_at,
    succeeded_at,
    failed_at,
    ( SELECT max(m.transitioned_at) AS max
           FROM payment_transitions_log m
          WHERE m.merchant_id = p.merchant_id AND m.livemode = p.livemode AND m.payment_id = p.id) AS transitioned_at,
    "right"(msisdn, 4) AS msisdn_last4
   FROM payments p;
comment on view shown_payments is 'A payment as pages and statements show it: of the payer''s number only the end, and when the payment moved last.';

create view stops_in_force as
 SELECT scope,
    value
   FROM payout_stops
  WHERE lifted_at IS NULL;
comment on view stops_in_force is 'What holds money back that is to go out: asked before each send.';

create view submitted_codes as
 SELECT merchant_id,
    livemode,
    subject_id,
    submitted_at
   FROM code_submissions;
comment on view submitted_codes is 'The codes that payers typed and we gave to their operator: for the page that waits for the answer.';

CREATE OR REPLACE FUNCTION audit_line_hash(previous bytea, merchant_id bigint, livemode boolean, id uuid, at timestamp with time zone, actor text, door text, from_address inet, step_up_id text, act text, subject text, before jsonb, after jsonb)
 RETURNS bytea
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN sha256((previous || convert_to((jsonb_build_array(merchant_id, livemode, id, EXTRACT(epoch FROM at), actor, door, host(from_address), step_up_id, act, subject, before, after))::text, 'UTF8'::name)));

CREATE OR REPLACE FUNCTION bank_reference_in(written text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN upper(regexp_replace(comparable_person(written), '\s'::text, ''::text, 'g'::text));

CREATE OR REPLACE FUNCTION check_account_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from new_accounts a
    left join ledger_entries e using (merchant_id, livemode, account, sequence)
     where (e.balance_after, e.credited_after, e.created_at) is distinct from (a.balance, a.credited, a.booked_at))
  then
    raise exception 'a balance may only follow its entries' using errcode = 'check_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_act_decision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status <> 'proposed' then
    raise exception '% was decided already', old.id using errcode = 'check_violation';
  end if;
  if (old.act, old.subject, old.key, old.amount, old.typed, old.content, old.proposed_by)
     is distinct from (new.act, new.subject, new.key, new.amount, new.typed, new.content, new.proposed_by) then
    raise exception 'what was proposed is fixed' using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_batch_decision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and (new.decided_by, new.made_by) is not distinct from (old.decided_by, old.made_by) then
    return new;
  end if;
  if person_in(new.decided_by) = person_in(new.made_by)
     and not decides_alone(new.merchant_id, new.livemode, new.id, new.decided_by) then
    raise exception 'the maker of a batch does not decide on it: it violates check constraint "%"', tg_name
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_checkout_session_facts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'what a session asks for is fixed at creation' using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION check_checkout_session_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from checkout_session_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a session does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_decision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status <> 'proposed' then
    raise exception '% was decided already', old.id using errcode = 'check_violation';
  end if;
  if (old.amount, old.reason, old.proposed_by) is distinct from (new.amount, new.reason, new.proposed_by) then
    raise exception 'what was proposed is fixed' using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_deposit_line()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION check_destination_decision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.stopped_by is null and new.stopped_by is not null
     and to_jsonb(new) - '{stopped_by,stopped_at}'::text[] = to_jsonb(old) - '{stopped_by,stopped_at}'::text[] then
    return new;
  end if;
  if old.status <> 'proposed' then
    raise exception 'a proposal that was decided is fixed' using errcode = 'check_violation';
  end if;
  if (old.merchant_id, old.livemode, old.id, old.beneficiary_id, old.proposed_by, old.proposed_at, old.break_glass, old.proof_session_id,
      old.by_company)
     is distinct from
     (new.merchant_id, new.livemode, new.id, new.beneficiary_id, new.proposed_by, new.proposed_at, new.break_glass, new.proof_session_id,
      new.by_company) then
    raise exception 'a proposal is decided as it was made' using errcode = 'check_violation';
  end if;
  if old.called_by is not null
     and (old.called_by, old.called_at, old.called_number, old.call_report)
         is distinct from (new.called_by, new.called_at, new.called_number, new.call_report) then
    raise exception 'a call is noted once' using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_difference_decision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION check_document_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from merchant_documents d
              where d.merchant_id = old.merchant_id and d.id = old.document_id and d.status = 'erased') then
    return old;
  end if;
  raise exception '% of a document that is not erased is refused', tg_table_name using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION check_independence()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  decided jsonb := to_jsonb(new);
  decider text := decided ->> tg_argv[0];
  began text;
  creator text;
begin
  if tg_op = 'UPDATE' and to_jsonb(old) ->> tg_argv[0] is not distinct from decider then
    return new;
  end if;
  for place in 1 .. tg_nargs - 1 loop
    began := decided ->> tg_argv[place];
    if began like 'key:%' then
      select k.created_by into creator
        from api_keys k
       where k.merchant_id = (decided ->> 'merchant_id')::bigint and k.livemode = (decided ->> 'livemode')::boolean
         and k.key_id = substr(began, 5);
      began := creator;
    end if;
    if stands_behind(began, decider) then
      raise exception 'the person who let another in does not decide on what that one began: it violates check constraint "%"', tg_name
        using errcode = 'check_violation', constraint = tg_name;
    end if;
  end loop;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_key_addresses()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a key that may be used from more addresses is confirmed anew' using errcode = 'check_violation', constraint = tg_name;
end $function$;

CREATE OR REPLACE FUNCTION check_key_confirmation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and (new.confirmed_by, new.created_by) is not distinct from (old.confirmed_by, old.created_by) then
    return new;
  end if;
  if (person_in(new.confirmed_by) in (person_in(new.created_by), coalesce(person_in(new.widened_by), ''))
      or stands_behind(new.created_by, new.confirmed_by) or stands_behind(new.widened_by, new.confirmed_by))
     and not decides_alone(new.merchant_id, new.livemode, new.key_id, new.confirmed_by) then
    raise exception 'the person who made a key does not confirm it: it violates check constraint "%"', tg_name
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_ledger_entries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  wrong text;
begin
  -- A transaction that does not exist has no legs.
  select n.subject_id into wrong
    from (select merchant_id, livemode, subject_id, operation, count(*) as legs, sum(amount) as total
            from new_entries group by 1, 2, 3, 4) n
    left join ledger_transactions t using (merchant_id, livemode, subject_id, operation)
   where n.total <> 0 or n.legs is distinct from t.legs
   limit 1;
  if wrong is not null then
    raise exception 'the entries of % are not balanced or not complete', wrong using errcode = 'check_violation';
  end if;
  select n.subject_id into wrong
    from new_entries n
    left join accounts a using (merchant_id, livemode, account)
    left join ledger_entries p
      on (p.merchant_id, p.livemode, p.account, p.sequence) = (n.merchant_id, n.livemode, n.account, n.sequence - 1)
   where a.account is null
      or n.balance_after <> coalesce(p.balance_after, 0) + n.amount
      or n.credited_after is distinct from coalesce(p.credited_after, 0) + greatest(n.amount, 0)
      or n.created_at < p.created_at
      or (p.sequence is null and n.sequence <> 1)
   limit 1;
  if wrong is not null then
    raise exception 'the entries of % do not continue an account', wrong using errcode = 'check_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_makers_side()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  maker text := new.made_by;
begin
  if tg_op = 'UPDATE' and (new.decided_by, new.made_by) is not distinct from (old.decided_by, old.made_by) then
    return new;
  end if;
  if maker like 'key:%' then
    select k.created_by into maker
      from api_keys k
     where k.merchant_id = new.merchant_id and k.livemode = new.livemode and k.key_id = substr(new.made_by, 5);
  end if;
  if ((new.made_by like 'key:%' and person_in(maker) = person_in(new.decided_by)) or stands_behind(maker, new.decided_by))
     and not decides_alone(new.merchant_id, new.livemode, new.id, new.decided_by) then
    raise exception 'the person who made a key does not decide on what it asks for: it violates check constraint "%"', tg_name
      using errcode = 'check_violation', constraint = tg_name;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_new_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'an account starts at zero' using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION check_new_settlement()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a settlement begins by waiting for validation' using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION check_payment_facts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the amounts of a payment are fixed at creation' using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION check_payment_link_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from payment_link_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a link does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_payment_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from payment_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a payment does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_payout_batch_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from payout_batch_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a batch does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_payout_facts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the amounts and the destination of a payout are fixed at creation' using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION check_payout_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from payout_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a payout does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_payout_stop()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    if num_nonnulls(new.resume_asked_by, new.lifted_by) > 0 then
      raise exception 'a stop begins in force' using errcode = 'check_violation';
    end if;
  elsif old.lifted_at is not null
     or (old.scope, old.value, old.stopped_by, old.stopped_at) is distinct from (new.scope, new.value, new.stopped_by, new.stopped_at)
     or (old.resume_asked_by is distinct from new.resume_asked_by
         and (new.lifted_by is not null or (old.resume_asked_by is not null and new.resume_asked_by is not null))) then
    raise exception 'a stop is lifted once, by another person than the one who asked before' using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_person_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a disabled person acts again only after an invitation' using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION check_person_role()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION check_refund_facts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'what a refund gives back is fixed when it is asked for' using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION check_refund_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from refund_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a refund does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_refund_request()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status <> 'asked' then
    raise exception 'a request that was decided is fixed' using errcode = 'check_violation';
  end if;
  if (old.payment_id, old.amount, old.reason, old.note, old.asked_by, old.asked_at)
     is distinct from (new.payment_id, new.amount, new.reason, new.note, new.asked_by, new.asked_at) then
    raise exception 'a request is decided as it was made' using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_send()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  -- The send that this one follows.
  last record;
  said integer;
  said_until timestamptz;
begin
  select s.reference, s.connector, s.sent_at, s.payload_hash, s.again_times, s.again_after_seconds into last
    from sends s
   where (s.merchant_id, s.livemode, s.subject_id) = (new.merchant_id, new.livemode, new.subject_id)
     and s.attempt = new.attempt - 1;
  if not found then
    raise exception 'send % follows no other', new.attempt using errcode = 'check_violation', constraint = 'sends_follow';
  end if;
  if new.reference is distinct from last.reference then
    raise exception 'an instruction keeps its reference' using errcode = 'check_violation', constraint = 'sends_follow';
  end if;
  if not exists (
    select from sends s
     where (s.merchant_id, s.livemode, s.subject_id) = (new.merchant_id, new.livemode, new.subject_id)
       and s.not_sent_at is null)
  then
    return new;
  end if;

  -- One of them may have left. From here on everything must speak for this one.
  if new.connector <> last.connector then
    raise exception 'it may have left, and keeps its connector' using errcode = 'check_violation', constraint = 'sends_follow';
  end if;
  if last.again_times is null then
    raise exception 'it may have left, and its operator does not promise to carry a reference out once only'
      using errcode = 'check_violation', constraint = 'sends_once';
  end if;
  if (new.payload_hash, new.again_times, new.again_after_seconds)
     is distinct from (last.payload_hash, last.again_times, last.again_after_seconds)
  then
    raise exception 'it may have left, and would leave again as another order or on other terms'
      using errcode = 'check_violation', constraint = 'sends_once';
  end if;
  -- Those before the first that may have left do not count: an order waits for its operator for as long as it must.
  if new.attempt - (
       select min(s.attempt)
         from sends s
        where (s.merchant_id, s.livemode, s.subject_id) = (new.merchant_id, new.livemode, new.subject_id)
          and s.not_sent_at is null) >= 14
  then
    raise exception 'it may have left, and was sent fourteen times' using errcode = 'check_violation', constraint = 'sends_once';
  end if;
  if exists (
    select from operator_answers a
     where (a.merchant_id, a.livemode, a.subject_id) = (new.merchant_id, new.livemode, new.subject_id)
       and (a.outcome in ('accepted', 'duplicate', 'pending', 'settled')
            or a.source = 'person'
            or (a.outcome = 'refused' and a.source = 'inquiry')))
  then
    raise exception 'its operator has shown that it holds the reference'
      using errcode = 'check_violation', constraint = 'sends_once';
  end if;
  select count(*), max(a.answered_at) into said, said_until
    from operator_answers a
   where (a.merchant_id, a.livemode, a.subject_id) = (new.merchant_id, new.livemode, new.subject_id)
     and a.source = 'inquiry'
     and a.outcome = 'not_found'
     and a.answered_at > last.sent_at;
  if said < last.again_times or said_until < last.sent_at + make_interval(secs => last.again_after_seconds) then
    raise exception 'it may have left: "not found" was answered % of % times, and must be after % seconds',
      said, last.again_times, last.again_after_seconds
      using errcode = 'check_violation', constraint = 'sends_once';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_send_facts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the journal of sends is append-only: only that a send never left is added, once' using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION check_settlement_facts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'what a settlement says of its amount, its destination and its past is fixed'
    using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION check_settlement_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from settlement_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a settlement does not go from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_solo_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.ended_at is not null
     or (old.merchant_id, old.livemode, old.subject_id, old.approved_at, old.approved_by, old.step_up_id, old.takes_effect_at)
        is distinct from
        (new.merchant_id, new.livemode, new.subject_id, new.approved_at, new.approved_by, new.step_up_id, new.takes_effect_at) then
    raise exception 'an approval by one person is kept as it was' using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_visit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (old.person, old.reason, old.begun_at, old.ends_at) is distinct from (new.person, new.reason, new.begun_at, new.ends_at)
     or old.ended_at is not null then
    raise exception 'a visit is kept as it was' using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION claim_new_key(merchant_id bigint, livemode boolean, key text)
 RETURNS boolean
 LANGUAGE sql
RETURN CASE WHEN pg_try_advisory_xact_lock(key_lock(merchant_id, livemode, key)) THEN true ELSE refuse_key_in_use() END;

CREATE OR REPLACE FUNCTION clock_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN now();

CREATE OR REPLACE FUNCTION comparable_person(written text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN NORMALIZE(comparable_reference(written), NFKC);

CREATE OR REPLACE FUNCTION comparable_reference(written text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
    select case when octet_length(written) = char_length(written) then written
      else normalize(regexp_replace(written,
        '[\u00AD\u034F\u061C\u115F-\u1160\u17B4-\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]',
        '', 'g'), NFC) end
  $function$;

CREATE OR REPLACE FUNCTION count_archived_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  archived integer := case when new.active then -1 else 1 end;
begin
  insert into book_sizes as s (merchant_id, livemode, active, archived)
  values (new.merchant_id, new.livemode, -archived, archived)
  on conflict (merchant_id, livemode) do update
     set active = s.active + excluded.active, archived = s.archived + excluded.archived;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_new_entries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  book record;
begin
  for book in
    select merchant_id, livemode, count(*) filter (where active) as active, count(*) filter (where not active) as archived
      from new_entries
     group by merchant_id, livemode
     order by merchant_id, livemode
  loop
    insert into book_sizes as s (merchant_id, livemode, active, archived)
    values (book.merchant_id, book.livemode, book.active, book.archived)
    on conflict (merchant_id, livemode) do update
       set active = s.active + excluded.active, archived = s.archived + excluded.archived;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION decides_alone(merchant bigint, mode boolean, subject text, decider text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return exists (
    select
      from solo_approvals s
      join single_person_terms t on t.merchant_id = s.merchant_id
     where s.merchant_id = merchant and s.livemode = mode and s.subject_id = subject and s.ended_at is null
       and person_in(s.approved_by) = person_in(decider) and person_in(t.person) = person_in(decider)
       and s.takes_effect_at <= clock_now()
       and t.confirmed_at is not null and t.ended_at is null);
end $function$;

CREATE OR REPLACE FUNCTION feed_epoch()
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  joined text := current_setting('bandama.feed_epoch', true);
begin
  if joined <> '' then
    return joined;
  end if;
  return (select coalesce(max(epoch), 0) from feed_epochs);
end $function$;

CREATE OR REPLACE FUNCTION forget_name_check()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.name_check_asked_at := null;
  new.name_check := null;
  new.name_checked_at := null;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION free_jobs(ids uuid[])
 RETURNS void
 LANGUAGE sql
AS $function$
  delete from jobs j
   where j.id = any(ids)
     and j.locked_by is not null
     and (exists (select from jobs twin where twin.kind = j.kind and twin.key = j.key and twin.locked_by is null)
       or exists (select from jobs twin
                   where twin.id = any(ids) and twin.id > j.id and twin.kind = j.kind and twin.key = j.key));
  update jobs
     set locked_by = null, locked_until = null
   where id = any(ids);
$function$;

CREATE OR REPLACE FUNCTION is_wider(before cidr[], after cidr[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return cardinality(before) > 0
     and (cardinality(after) = 0
          or exists (select from unnest(after) wanted where not exists (select from unnest(before) had where wanted <<= had)));
end $function$;

CREATE OR REPLACE FUNCTION join_feed_epoch()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION keep_changed_days()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into changed_days (livemode, account, day)
  select distinct o.livemode, o.account, d.day
    from before_change o
    join after_change n using (id, month)
   cross join lateral (values (o.day), (n.day)) d(day)
   where (o.state, o.kind, o.subject_id, o.gross, o.effect, o.day)
         is distinct from (n.state, n.kind, n.subject_id, n.gross, n.effect, n.day);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION keep_decided_line()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION keep_deposit_line()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from deposit_lines d where d.livemode = old.livemode and d.line_id = old.id) then
    raise exception 'the line % confirmed a deposit: it violates check constraint "statement_lines_deposit"', old.id
      using errcode = 'check_violation', constraint = 'statement_lines_deposit';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $function$;

CREATE OR REPLACE FUNCTION key_lock(merchant_id bigint, livemode boolean, key text)
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN hashtextextended(key, ((merchant_id * 2) + (livemode)::integer));

CREATE OR REPLACE FUNCTION make_log_days(log regclass, first_day date DEFAULT NULL::date, days_ahead integer DEFAULT 7)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  today date := (clock_now() at time zone 'UTC')::date;
  day date;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('make_log_days'), log::oid::int);
  for day in select generate_series(least(first_day, today - 1), today + days_ahead, interval '1 day')::date loop
    name := log || '_' || to_char(day, 'YYYYMMDD');
    if to_regclass(format('%I', name)) is null then
      execute format('create table %I (like %s including defaults including constraints including indexes) '
        'with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000, '
        'autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5)', name, log);
      execute format('alter table %s attach partition %I for values from (%L) to (%L)',
        log, name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
    end if;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION make_months(of regclass, first_day date, last_day date)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  begins date;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('make_months'), of::oid::int);
  for begins in select generate_series(date_trunc('month', first_day), last_day, interval '1 month')::date loop
    name := of || '_' || to_char(begins, 'YYYYMM');
    if to_regclass(format('%I', name)) is null then
      execute format('create table %I (like %s including defaults including constraints including indexes) '
        'with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000, '
        'autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 0.5)', name, of);
      execute format('alter table %s attach partition %I for values from (%L) to (%L)',
        of, name, begins, (begins + interval '1 month')::date);
    end if;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION open_wallet(of_livemode boolean, of_connector text, by text)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into external_accounts (livemode, code, kind, connector, orders_from, due, late_days, created_by)
  select of_livemode, free.code, 'wallet', of_connector, timestamptz '1970-01-01Z', 'daily', 1, by
    from (select named.code
            from generate_series(0, 99) as tried(at)
           cross join lateral (select case at when 0 then of_connector else left(of_connector, 30) || '-wallet' || at end) as named(code)
           where not exists (select from external_accounts e where e.livemode = of_livemode and e.code = named.code)
           order by at
           limit 1) free
   where not exists (
         select from external_accounts e
          where e.livemode = of_livemode and e.connector = of_connector and e.directions = '{}')
$function$;

CREATE OR REPLACE FUNCTION person_in(written text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN lower(btrim(regexp_replace(comparable_person(written), '\s+'::text, ' '::text, 'g'::text)));

CREATE OR REPLACE FUNCTION refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION refuse_key_in_use()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'an idempotency key is in use' using errcode = 'BD001';
end $function$;

CREATE OR REPLACE FUNCTION stands_behind(began text, decider text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return exists (
    select from person_ties t
     where t.person = person_in(began) and t.maker = person_in(decider) and t.tied_at > clock_now() - interval '90 days');
end $function$;
