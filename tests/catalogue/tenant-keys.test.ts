import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestDatabase } from '../harness/database.ts'

// The database can be distributed by merchant only if merchant_id is in every key of a merchant's data. A row of test mode cannot reference a
// row of live mode only if livemode is in every key too. The tests read both from the catalogue, so that no new table can forget them. They are
// first in the key, so that a merchant's rows are together. In tables that grow with every payment and payout, and are never read in order,
// they follow our identifier, which begins with its time.

/** The tables by which a key without a merchant finds its merchant. They have merchant_id, but not first. */
const lookups: Record<string, string> = {
  merchants: 'the merchant itself, in no mode',
  api_key_lookup: 'the public part of a key finds its merchant',
  operator_references: 'the reference that an operator quotes finds our instruction',
  checkout_tokens: "the token in a payer's address finds the session or the link",
  person_roles: 'a person finds the merchants where they have a role',
  routes: 'most are for everybody, and every process reads all of them',
}

/** The tables that belong to no merchant. */
const global: Record<string, string> = {
  schema_migrations: 'which files of migrations/ were applied',
  audit_runs: 'when the books were audited, and how many checks failed',
  backup_refusals: 'when there was no room for a backup',
  backup_runs: 'when the database was backed up',
  restore_drills: 'when a restore was tried',
  service_processes: 'the processes of the service',
  rule_states: 'the state of the whole service',
  status_figures: 'the same, over the last weeks',
  incidents: 'interruptions of the whole service',
  secret_key_check: 'a digest of the secret key of the whole service',
  served_files: 'the packages that anybody may take',
  order_reference_key: 'the key of the references of all orders',
  feed_epochs: 'when the database began anew, for the events of all merchants',
  payment_transitions: 'the moves a payment may make, the same for everybody',
  payout_transitions: 'the moves a payout may make',
  refund_transitions: 'the moves a refund may make',
  payout_batch_transitions: 'the moves a batch may make',
  settlement_transitions: 'the moves a settlement may make',
  checkout_session_transitions: 'the moves a checkout session may make',
  payment_link_transitions: 'the moves a link may make',
  payout_stops: 'whose payouts are stopped: of all merchants, of one operator, or of one merchant',
  connectors: 'the contracts of the whole service with operators',
  connector_settings: 'the sealed settings of these contracts',
  connector_drafts: 'changes of these settings that wait for a fresh factor',
  connector_balances: 'the money that operators told us they hold, of all merchants together',
  external_accounts: 'the accounts that operators and banks keep for the whole service',
  account_openings: 'from when on the accounts of the whole service are compared with statements',
  calendar_days: 'the days on which banks work',
  statement_profiles: 'how operators and banks write their statements',
  statement_pulls: 'the days of these accounts for which an operator is asked',
  statement_files: 'statements of the accounts of the whole service',
  statement_bytes: 'what these files are made of',
  statement_chunks: 'how far these files are written',
  statement_lines: 'movements of these accounts, before we know whom they concern',
  statement_rows: 'rows of these files that are no new movement',
  changed_days: 'days of these accounts that are to be compared again',
  deposit_lines: 'lines of a bank in the place of the second person of a deposit, whose proposal has the merchant',
  differences: 'what statements and our books disagree about, before we know whom it concerns',
  jobs: 'what is to be done next, for any merchant or many',
  collection_outbox: 'what was accepted together and is to be sent, for any merchant or many',
  listing_progress: 'how far the worker has come with the lists of all merchants',
  number_operators: 'the operators that serve numbers, learned from all merchants',
  connector_circuits: 'the operators that did not answer some process, for a moment',
  operator_weather: 'how operations of all merchants went with each operator',
  persons: 'people, who may have roles at several merchants',
  person_passwords: 'what a person signs in with',
  person_totp: 'what a person signs in with',
  person_passkeys: 'what a person signs in with',
  recovery_codes: 'what a person signs in with when all else is lost',
  invitations: 'links by which people come in',
  person_ties: 'who gave whom a role or a link, at any merchant',
  person_sessions: 'browsers in which people are signed in',
  sign_in_attempts: 'questions that a browser still has to answer',
  wrong_passwords: 'guesses for an address of mail',
  muted_notices: 'what a person does not want to be told by mail',
  notice_mails: 'mails to people',
  notice_settings: 'how a person wants to be told',
  push_devices: 'telephones of people',
  push_key: 'the key of the installation for push services',
  step_ups: 'proofs that a person agreed to one act',
  operator_callbacks: 'what operators call to tell us, before we know whom it concerns',
}

/** The tables of merchants without the mode in the key, because an act may concern both modes. */
const ofBothModes = [
  'audit_log',
  'merchant_document_bytes',
  'merchant_documents',
  'merchant_files',
  'merchant_owners',
  'single_person_terms',
  'staff_visits',
]

/** The other columns with which a key may begin: our identifiers, which begin with their time. */
const inTime = ['id', 'subject_id', 'payment_id', 'payout_id', 'event_id', 'reference']
/** The tables that grow with every payment or payout. */
const growing = [
  'code_submissions',
  'connector_movements',
  'deliveries',
  'events',
  'instructions',
  'ledger_entries',
  'ledger_transactions',
  'operator_answers',
  'payment_transitions_log',
  'payments',
  'payout_transitions_log',
  'payout_cap_usage',
  'payouts',
  'sends',
  'simulator_orders',
]
/** The keys of these tables that begin with the merchant, with the reason. */
const together: Record<string, string> = {
  ledger_entries_pkey: 'statements read the entries of an account in a row',
  payments_reference_key: "a merchant's own reference, which says nothing of its time",
  payouts_rank_key: 'the lines of a batch, which are written together',
}

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())

// A partition repeats its parent, so only parents are checked.
const tables = await db.sql<{ name: string; columns: string[] }[]>`
  select c.relname::text as name,
         array(select attname::text from pg_attribute
                where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum) as columns
    from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`

const uniques = await db.sql<{ table_name: string; name: string; is_primary: boolean; columns: string[] }[]>`
  select i.indrelid::regclass::text as table_name,
         i.indexrelid::regclass::text as name,
         i.indisprimary as is_primary,
         array(select coalesce(a.attname::text, '(expression)')
                 from unnest(i.indkey::int[]) with ordinality as k(attnum, place)
                 left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
                order by k.place) as columns
    from pg_index i
    join pg_class c on c.oid = i.indrelid
   where i.indisunique and c.relnamespace = 'public'::regnamespace and not c.relispartition`

const foreignKeys = await db.sql<
  { name: string; table_name: string; columns: string[]; target: string; target_columns: string[] }[]
>`
  select k.conname::text as name,
         k.conrelid::regclass::text as table_name,
         array(select a.attname::text from unnest(k.conkey) with ordinality as c(attnum, place)
                 join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.attnum order by c.place) as columns,
         k.confrelid::regclass::text as target,
         array(select a.attname::text from unnest(k.confkey) with ordinality as c(attnum, place)
                 join pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.attnum order by c.place) as target_columns
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
   where k.contype = 'f' and k.connamespace = 'public'::regnamespace and not c.relispartition`

const columnsOf = (table: string) => tables.find(({ name }) => name === table)?.columns ?? []
const ofMerchants = tables.filter(({ name, columns }) => columns.includes('merchant_id') && !(name in lookups))

/** Returns the first columns of a key of this table. */
const tenant = (table: string) =>
  columnsOf(table).includes('livemode') && !ofBothModes.includes(table) ? ['merchant_id', 'livemode'] : ['merchant_id']

const startsWith = (columns: readonly string[], first: readonly string[]) =>
  first.every((column, at) => columns[at] === column)

test('every table without a merchant is listed with its reason', () => {
  assert.ok(ofMerchants.length > 10, 'the tables were found')
  const without = tables.filter(({ columns }) => !columns.includes('merchant_id')).map(({ name }) => name)
  assert.deepEqual(without.sort(), Object.keys(global).sort())
  for (const table of Object.keys(lookups)) assert.ok(columnsOf(table).includes('merchant_id'), table)
})

test('a primary or unique key begins with the merchant, then the mode, or with an identifier and then both', () => {
  const primary = uniques.filter((key) => key.is_primary).map((key) => key.table_name)
  const without = tables.filter(({ name }) => !primary.includes(name)).map(({ name }) => name)
  assert.deepEqual(without, [], 'every table has a primary key')
  const wrong = uniques
    .filter(({ table_name }) => ofMerchants.some(({ name }) => name === table_name))
    .filter(({ table_name, name, columns }) => {
      const follows = growing.includes(table_name) && !(name in together)
      return follows
        ? !inTime.includes(columns[0]!) || !startsWith(columns.slice(1), tenant(table_name))
        : !startsWith(columns, tenant(table_name))
    })
  assert.deepEqual(wrong, [])
  assert.deepEqual(
    growing.filter((table) => columnsOf(table).length === 0),
    [],
  )
  const there = uniques.map(({ name }) => name)
  assert.deepEqual(
    Object.keys(together).filter((name) => !there.includes(name)),
    [],
  )
})

test('a foreign key begins with the merchant on both sides, then the mode', () => {
  assert.ok(foreignKeys.length > 5, 'the foreign keys were found')
  const ofMerchantsOnly = foreignKeys.filter(({ target }) => !(target in global))
  const wrong = ofMerchantsOnly.filter(({ table_name, columns, target, target_columns }) => {
    const first = target === 'merchants' ? ['merchant_id'] : tenant(table_name)
    return !startsWith(columns, first) || !startsWith(target_columns, first)
  })
  assert.deepEqual(wrong, [])
})

test('the only sequence is that of the merchants’ numbers', async () => {
  const sequences = await db.sql<{ name: string }[]>`
    select c.relname::text as name from pg_class c
     where c.relkind = 'S' and c.relnamespace = 'public'::regnamespace`
  assert.deepEqual(
    sequences.map(({ name }) => name),
    ['merchants_merchant_id_seq'],
  )
})
