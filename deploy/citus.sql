-- Distributes the database over the machines of a Citus cluster, by merchant. Run once, on the coordinator, by the owner of
-- the tables, after `bandama migrate` and before the service starts with SHARDED=on:
--
--   psql -v ON_ERROR_STOP=1 -f deploy/citus.sql "$DATABASE_URL"
--
-- docs/scaling.md has the prerequisites, and says which parts of this file were tested. It is one transaction: if a statement
-- fails, nothing has changed.

begin;

-- Tables with foreign keys to one another are distributed in one transaction only if their shards are made in turn.
set local citus.multi_shard_modify_mode to 'sequential';

-- Citus cannot distribute a table with triggers, and copies rows in an order that breaks foreign keys. Both are saved with their
-- definitions, dropped, and recreated at the end.

create temp table foreign_keys_aside on commit drop as
select conrelid::regclass::text as table_name, conname as name, pg_get_constraintdef(oid) as definition
  from pg_constraint
 where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0;

create temp table triggers_aside on commit drop as
select t.tgrelid::regclass::text as table_name, t.tgname as name, pg_get_triggerdef(t.oid) as definition
  from pg_trigger t
  join pg_class c on c.oid = t.tgrelid
 where not t.tgisinternal and t.tgparentid = 0 and c.relnamespace = 'public'::regnamespace;

do $$
declare
  aside record;
begin
  for aside in select table_name, name, definition from foreign_keys_aside loop
    execute format('alter table %s drop constraint %I', aside.table_name, aside.name);
  end loop;
  for aside in select table_name, name, definition from triggers_aside loop
    execute format('drop trigger %I on %s', aside.name, aside.table_name);
  end loop;
end $$;

-- Functions that triggers and defaults call must be on every machine. Some stay on the coordinator only, for the queue, the partitions of logs and
-- statements, the claiming of idempotency keys, the epochs of the feed and the wallets of connectors: free_jobs, make_log_days, make_months, key_lock,
-- claim_new_key, join_feed_epoch, open_wallet.

select create_distributed_function('clock_now()');
select create_distributed_function('feed_epoch()');
select create_distributed_function('refuse_change()');
select create_distributed_function('comparable_reference(text)');
select create_distributed_function('comparable_person(text)');
select create_distributed_function('person_in(text)');
select create_distributed_function('bank_reference_in(text)');
select create_distributed_function('check_payout_stop()');
select create_distributed_function('check_account_balance()');
select create_distributed_function('check_new_account()');
select create_distributed_function('check_ledger_entries()');
select create_distributed_function('check_send()');
select create_distributed_function('check_send_facts()');
select create_distributed_function('check_payment_facts()');
select create_distributed_function('check_payment_move()');
select create_distributed_function('check_payout_facts()');
select create_distributed_function('check_payout_move()');
select create_distributed_function('check_document_bytes()');
select create_distributed_function('check_payout_batch_move()');
select create_distributed_function('check_makers_side()');
select create_distributed_function('decides_alone(bigint, boolean, text, text)');
select create_distributed_function('check_solo_approval()');
select create_distributed_function('check_key_confirmation()');
select create_distributed_function('check_batch_decision()');
select create_distributed_function('stands_behind(text, text)');
select create_distributed_function('check_independence()');
select create_distributed_function('check_key_addresses()');
select create_distributed_function('is_wider(cidr[], cidr[])');
select create_distributed_function(
  'audit_line_hash(bytea, bigint, boolean, uuid, timestamptz, text, text, inet, text, text, text, jsonb, jsonb)');
select create_distributed_function('forget_name_check()');
select create_distributed_function('check_refund_facts()');
select create_distributed_function('check_refund_move()');
select create_distributed_function('check_refund_request()');
select create_distributed_function('check_settlement_facts()');
select create_distributed_function('check_settlement_move()');
select create_distributed_function('check_new_settlement()');
select create_distributed_function('check_checkout_session_facts()');
select create_distributed_function('check_checkout_session_move()');
select create_distributed_function('check_payment_link_move()');
select create_distributed_function('check_decision()');
select create_distributed_function('check_act_decision()');
select create_distributed_function('check_visit()');
select create_distributed_function('refuse_key_in_use()');
select create_distributed_function('check_destination_decision()');
select create_distributed_function('count_new_entries()');
select create_distributed_function('count_archived_entry()');

-- Reference tables, copied to every machine: lookups by triggers or by statements about one merchant, and tables that
-- find the merchant of a key, a token or an operator's reference.

select create_reference_table('payment_transitions');
select create_reference_table('payout_transitions');
select create_reference_table('payout_batch_transitions');
select create_reference_table('refund_transitions');
select create_reference_table('settlement_transitions');
select create_reference_table('checkout_session_transitions');
select create_reference_table('payment_link_transitions');
select create_reference_table('payout_stops');
select create_reference_table('person_ties');
select create_reference_table('connectors');
select create_reference_table('connector_settings');
select create_reference_table('connector_balances');
select create_reference_table('routes');
select create_reference_table('external_accounts');
select create_reference_table('calendar_days');
select create_reference_table('account_openings');
select create_reference_table('listing_progress');
select create_reference_table('api_key_lookup');
select create_reference_table('operator_references');
select create_reference_table('checkout_tokens');

-- These tables stay on the coordinator only: audit_runs, backup_refusals, restore_drills, service_processes, rule_states, status_figures, incidents,
-- backup_runs, feed_epochs, jobs, collection_outbox, connector_circuits, connector_drafts, number_operators, operator_callbacks,
-- operator_weather,
-- schema_migrations, secret_key_check and order_reference_key, and those of people: persons, person_roles, person_passwords, person_totp, person_passkeys,
-- recovery_codes, invitations, person_sessions, sign_in_attempts, wrong_passwords, step_ups, muted_notices, notice_mails,
-- notice_settings, push_devices and push_key, and those of statements: statement_files, statement_bytes, statement_chunks, statement_lines, statement_rows, statement_profiles,
-- statement_pulls, changed_days, differences and deposit_lines. They belong to no merchant. Merchants' transactions
-- add rows to the queue and the outbox.

-- Split the waiting groups of collections into groups of one: one transaction starts a group, and with SHARDED=on it may
-- contain one merchant only. The sweep adds a job for each.
with divided as (
  delete from collection_outbox
  returning partition_key, collections, created_at
)
insert into collection_outbox (id, partition_key, collections, created_at, next_check_at)
select gen_random_uuid(), partition_key, json_build_array(one), created_at, clock_now()
  from divided
 cross join json_array_elements(collections) as one;

-- Distributed tables: all rows of one merchant are on one machine.

select create_distributed_table('merchants', 'merchant_id', colocate_with => 'none');
select create_distributed_table('accounts', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('audit_log', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('audit_chain', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('transfer_fillings', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('ledger_transactions', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('ledger_entries', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('fee_schedules', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('api_keys', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('idempotency_keys', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('request_log', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('instructions', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('sends', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('operator_answers', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('connector_movements', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('code_submissions', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('recipient_checks', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('simulator_orders', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('anomalies', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('anomaly_proposals', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('case_owners', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('adjustments', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('act_proposals', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('payments', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('payment_transitions_log', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('payment_links', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('told_payments', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('till_phones', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('till_people', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('checkout_sessions', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('number_proofs', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('checkout_session_transitions_log', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('refunds', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('refund_transitions_log', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('refund_requests', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('beneficiaries', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('destination_proposals', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('book_sizes', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('payouts', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('payout_transitions_log', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('payout_requests', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('payout_batches', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('payout_batch_lines', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('batch_drafts', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('batch_file_columns', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('drafted_batches', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('payout_caps', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('cap_proposals', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('payout_cap_usage', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('payout_cap_totals', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('settlements', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('settlement_transitions_log', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('settlement_floors', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('settlement_schedules', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('single_person_terms', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('solo_approvals', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('unchecked_payments', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('merchant_files', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('merchant_owners', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('merchant_documents', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('merchant_document_bytes', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('staff_visits', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('listed_operations', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('daily_figures', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('endpoints', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('events', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('feed_floors', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('deliveries', 'merchant_id', colocate_with => 'merchants');
select create_distributed_table('delivery_attempts', 'merchant_id', colocate_with => 'merchants');

-- Two ledger checks join the rows of a whole statement (the transition table) with tables, and Citus cannot plan such a join.
-- Here they read these rows into JSON first and then query one merchant, so that the query goes to the local shard. They
-- refuse the same rows as before, and also a statement about two merchants.

create or replace function check_ledger_entries() returns trigger
  language plpgsql as $$
declare
  entries jsonb;
  merchant bigint;
  merchants bigint;
  wrong text;
begin
  select jsonb_agg(to_jsonb(n)), min(n.merchant_id), count(distinct n.merchant_id) into entries, merchant, merchants
    from new_entries n;
  if merchants > 1 then
    raise exception 'entries of two merchants in one statement' using errcode = 'check_violation';
  end if;
  select n.subject_id into wrong
    from (select livemode, subject_id, operation, count(*) as legs, sum(amount) as total
            from jsonb_to_recordset(entries) as e(livemode boolean, subject_id text, operation text, amount bigint)
           group by 1, 2, 3) n
    left join ledger_transactions t
      on t.merchant_id = merchant
     and (t.livemode, t.subject_id, t.operation) = (n.livemode, n.subject_id, n.operation)
   where n.total <> 0 or n.legs is distinct from t.legs
   limit 1;
  if wrong is not null then
    raise exception 'the entries of % are not balanced or not complete', wrong using errcode = 'check_violation';
  end if;
  select n.subject_id into wrong
    from jsonb_to_recordset(entries)
      as n(livemode boolean, account text, sequence bigint, subject_id text, amount bigint, balance_after bigint,
           credited_after bigint, created_at timestamptz)
    left join accounts a
      on a.merchant_id = merchant and (a.livemode, a.account) = (n.livemode, n.account)
    left join ledger_entries p
      on p.merchant_id = merchant and (p.livemode, p.account, p.sequence) = (n.livemode, n.account, n.sequence - 1)
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
end $$;

create or replace function check_account_balance() returns trigger
  language plpgsql as $$
declare
  changed jsonb;
  merchant bigint;
  merchants bigint;
  wrong text;
begin
  select jsonb_agg(to_jsonb(a)), min(a.merchant_id), count(distinct a.merchant_id) into changed, merchant, merchants
    from new_accounts a;
  if merchants > 1 then
    raise exception 'accounts of two merchants in one statement' using errcode = 'check_violation';
  end if;
  select a.account into wrong
    from jsonb_to_recordset(changed)
      as a(livemode boolean, account text, sequence bigint, balance bigint, credited bigint, booked_at timestamptz)
    left join ledger_entries e
      on e.merchant_id = merchant and (e.livemode, e.account, e.sequence) = (a.livemode, a.account, a.sequence)
   where (e.balance_after, e.credited_after, e.created_at) is distinct from (a.balance, a.credited, a.booked_at)
   limit 1;
  if wrong is not null then
    raise exception 'a balance may only follow its entries' using errcode = 'check_violation';
  end if;
  return null;
end $$;

-- Recreate the triggers and foreign keys. Our triggers read only rows of the same merchant, stored on the same machine, and
-- reference tables. Citus requires this of triggers when "unsafe" is on, and cannot check it.

set local citus.enable_unsafe_triggers to on;

do $$
declare
  aside record;
begin
  for aside in select table_name, name, definition from foreign_keys_aside loop
    execute format('alter table %s add constraint %I %s', aside.table_name, aside.name, aside.definition);
  end loop;
  for aside in select table_name, name, definition from triggers_aside loop
    execute aside.definition;
  end loop;
end $$;

commit;
