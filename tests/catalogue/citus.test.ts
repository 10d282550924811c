import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { post } from '../../src/ledger/post.ts'
import type { Tx } from '../../src/platform/postgres/database.ts'
import { createMerchant } from '../harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { installCitusDouble, type PlacedTable, readPlaces, runWithCitus } from './citus-double.ts'
import { dumpSchema } from './dump-schema.ts'

// These tests run without Citus (tests/harness/citus.ts is for servers with it), and prove as much of deploy/citus.sql as plain PostgreSQL can:
// it is valid SQL, it names each of our tables and functions once, keys and foreign keys allow merchants on different machines, and the schema
// loses nothing.

/** The tables on the coordinator, because their rows belong to no merchant. */
const local = [
  'audit_runs',
  'backup_refusals',
  'backup_runs',
  'changed_days',
  'collection_outbox',
  'connector_circuits',
  'connector_drafts',
  'deposit_lines',
  'differences',
  'feed_epochs',
  'incidents',
  'invitations',
  'jobs',
  'muted_notices',
  'notice_mails',
  'notice_settings',
  'number_operators',
  'operator_callbacks',
  'operator_weather',
  'order_reference_key',
  'person_passkeys',
  'person_passwords',
  'person_roles',
  'person_sessions',
  'person_totp',
  'persons',
  'push_devices',
  'push_key',
  'recovery_codes',
  'restore_drills',
  'rule_states',
  'schema_migrations',
  'secret_key_check',
  'served_files',
  'service_processes',
  'sign_in_attempts',
  'statement_bytes',
  'statement_chunks',
  'statement_files',
  'statement_lines',
  'statement_profiles',
  'statement_pulls',
  'statement_rows',
  'status_figures',
  'step_ups',
  'wrong_passwords',
]

/** The functions that run only on the coordinator. */
const localFunctions = [
  ...['check_deposit_line', 'check_difference_decision', 'check_person_move', 'check_person_role'],
  ...[
    'claim_new_key',
    'free_jobs',
    'join_feed_epoch',
    'keep_changed_days',
    'keep_decided_line',
    'keep_deposit_line',
    'key_lock',
    'make_log_days',
    'make_months',
    'open_wallet',
  ],
]

let db: TestDatabase
let schemaBefore: string
let schemaAfter: string
let places: PlacedTable[]

before(async () => {
  db = await openTestDatabase()
  schemaBefore = await dumpSchema(db.sql)
  await installCitusDouble(db.sql)
  await runWithCitus(db.url, await readFile(new URL('../../deploy/citus.sql', import.meta.url), 'utf8'))
  places = await readPlaces(db.sql)
  schemaAfter = await dumpSchema(db.sql)
})

after(() => db[Symbol.asyncDispose]())

const placed = (kind: PlacedTable['kind']) => places.filter((table) => table.kind === kind).map(({ name }) => name)

test('every table has a place: tables of merchants are distributed, and the others are listed', async () => {
  assert.deepEqual(placed('local'), local)
  const ofMerchants = await db.sql<{ name: string }[]>`
    select c.relname as name
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'merchant_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname not in ('api_key_lookup', 'operator_references', 'checkout_tokens', 'routes',
                            'person_roles')
     order by 1`
  assert.deepEqual(
    placed('distributed'),
    ofMerchants.map(({ name }) => name),
  )
  assert.ok(
    placed('reference').every((name) =>
      /_transitions$|_lookup$|_references$|_tokens$|_stops$|_progress$|_ties$|^connector|^routes$|^external_accounts$|^account_openings$|^calendar_days$/.test(
        name,
      ),
    ),
  )
})

test('all rows of a merchant are on one machine: one column, one type, one group', () => {
  const groups = places
    .filter(({ kind }) => kind === 'distributed')
    .map(({ column_name, column_type, colocation }) => `${column_name} ${column_type} with ${colocation}`)
  assert.deepEqual([...new Set(groups)], ['merchant_id bigint with merchants'])
})

test('every unique key of a distributed table contains the merchant as a column', async () => {
  const wrong = await db.sql`
    select i.indexrelid::regclass::text as name
      from pg_index i
      join citus.tables t on t.name::regclass = i.indrelid and t.kind = 'distributed'
      join pg_attribute a on a.attrelid = i.indrelid and a.attname = t.column_name
     where i.indisunique and a.attnum <> all ((i.indkey::smallint[])[0:i.indnkeyatts - 1])`
  assert.deepEqual([...wrong], [])
})

test('foreign keys go from distributed tables to distributed tables by the merchant, or to reference tables', async () => {
  const keys = await db.sql<
    { name: string; from: string; to: string; first: string; first_there: string; acts: boolean }[]
  >`
    select k.conname as name,
           coalesce(f.kind, 'local') as "from", coalesce(t.kind, 'local') as "to",
           (select attname from pg_attribute where attrelid = k.conrelid and attnum = k.conkey[1]) as first,
           (select attname from pg_attribute where attrelid = k.confrelid and attnum = k.confkey[1]) as first_there,
           k.confdeltype <> 'a' or k.confupdtype <> 'a' as acts
      from pg_constraint k
      left join citus.tables f on f.name::regclass = k.conrelid
      left join citus.tables t on t.name::regclass = k.confrelid
     where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.conparentid = 0`
  assert.ok(keys.length > 15, 'the foreign keys are back')
  const wrong = keys.filter(({ from, to, first, first_there, acts }) => {
    const byMerchant = to === 'distributed' && first === 'merchant_id' && first_there === 'merchant_id'
    // The tables of people are together on the coordinator.
    if (from === 'local' && to === 'local') return acts
    return from !== 'distributed' || acts || !(byMerchant || to === 'reference')
  })
  assert.deepEqual(wrong, [])
})

test('every function is on all machines, or listed as one of the coordinator', async () => {
  const rows = await db.sql<{ name: string; everywhere: boolean }[]>`
    select p.proname as name, f.name is not null as everywhere
      from pg_proc p
      left join citus.functions f on f.name::regprocedure = p.oid
     where p.pronamespace = 'public'::regnamespace
     order by p.proname`
  assert.deepEqual(
    rows.filter(({ everywhere }) => !everywhere).map(({ name }) => name),
    localFunctions,
  )
})

test('the script changes nothing in the schema except the two functions that it replaces', () => {
  const parts = (schema: string) => new Set(schema.split('\n\n'))
  const changed = [...parts(schemaBefore).symmetricDifference(parts(schemaAfter))]
  const names = changed.flatMap((part) => /CREATE OR REPLACE FUNCTION (\w+)/.exec(part)?.[1] ?? [part])
  assert.deepEqual([...new Set(names)].sort(), ['check_account_balance', 'check_ledger_entries'])
})

// The ledger's checks in the form for Citus refuse the same as before.

const deposit = (merchant_id: number, subject_id: string, amount = 100) => ({
  merchant_id,
  livemode: false,
  subject_id,
  operation: 'deposit' as const,
  legs: [
    { account: 'held:bank', amount: -amount },
    { account: 'transfer', amount },
  ],
})

const newMerchant = () => createMerchant(db.sql, 'Boutique')

/** A complete, valid row of the ledger: the second of the account `transfer`. */
const second = { account: 'transfer', sequence: 2, leg: 2, amount: 100, balance_after: 200, credited_after: 200 }

/** Writes the two entries of a transaction, with these changes in the second. */
async function writeEntries(tx: Tx, merchant_id: number, changes: Partial<typeof second>, legs = 2): Promise<void> {
  await tx`
    insert into ledger_transactions (merchant_id, livemode, subject_id, operation, legs)
    values (${merchant_id}, false, 'dep_2', 'deposit', ${legs})`
  const rows = [
    { account: 'held:bank', sequence: 2, leg: 1, amount: -100, balance_after: -200, credited_after: 0 },
    { ...second, ...changes },
  ]
  await tx`
    insert into ledger_entries (merchant_id, livemode, account, sequence, subject_id, operation, leg, amount,
                                balance_after, credited_after)
    select ${merchant_id}::bigint, false, account, sequence, 'dep_2', 'deposit', leg, amount, balance_after, credited_after
      from json_to_recordset(${tx.json(rows)})
        as r(account text, sequence bigint, leg smallint, amount bigint, balance_after bigint, credited_after bigint)`
}

test('the ledger books as before', async () => {
  const merchant_id = await newMerchant()
  await db.sql.begin((tx) => post(tx, [deposit(merchant_id, 'dep_1'), deposit(merchant_id, 'dep_2')]))
  await db.sql.begin((tx) => post(tx, [deposit(merchant_id, 'dep_3')]))
  const [row] = await db.sql<{ balance: number }[]>`
    select balance from accounts where merchant_id = ${merchant_id} and not livemode and account = 'transfer'`
  assert.equal(row!.balance, 300)
})

const refused: [string, Partial<typeof second>, number?][] = [
  ['entries that do not sum to zero', { amount: 99, balance_after: 199, credited_after: 199 }],
  ['a transaction of which an entry is missing', {}, 3],
  ['a balance that does not follow from the one before', { balance_after: 201 }],
  ['credits that do not follow from those before', { credited_after: 201 }],
  ['an account that does not exist', { account: 'held:nobody', sequence: 1, balance_after: 100, credited_after: 100 }],
  ['a number that does not follow', { sequence: 3 }],
]

for (const [what, changes, legs] of refused) {
  test(`the ledger refuses ${what}, as before`, async () => {
    const merchant_id = await newMerchant()
    await db.sql.begin((tx) => post(tx, [deposit(merchant_id, 'dep_1')]))
    await assert.rejects(
      db.sql.begin((tx) => writeEntries(tx, merchant_id, changes, legs)),
      { code: '23514', constraint_name: undefined },
    )
  })
}

test('the ledger refuses a balance without an entry, as before', async () => {
  const merchant_id = await newMerchant()
  const write = db.sql`
    update accounts set balance = 5 where merchant_id = ${merchant_id} and account = 'transfer' and not livemode`
  await assert.rejects(write.then(), { code: '23514', constraint_name: undefined })
})

test('the ledger refuses a statement about two merchants, which would write on two machines', async () => {
  const merchants = [await newMerchant(), await newMerchant()]
  await assert.rejects(
    db.sql.begin((tx) =>
      post(
        tx,
        merchants.map((merchant_id) => deposit(merchant_id, 'dep_1')),
      ),
    ),
    { code: '23514', constraint_name: undefined },
  )
})
