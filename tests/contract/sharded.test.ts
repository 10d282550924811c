import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyRetention } from '../../src/app/retention.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { isCitus } from '../harness/citus.ts'
import { openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { auditPasses } from './payer.ts'
import { newSettler } from './settler.ts'
import { collectMuch, liveTogether, noteWrites, tablesWritten, writtenTogether } from './sharded-load.ts'

// A database that keeps merchants on several machines commits a transaction on one of them only if all its rows are one
// merchant's. These tests judge by the writes that PostgreSQL itself saw, not by the ones that we believe to send.

const processes = [
  ['--only', 'api'],
  ['--only', 'worker'],
]

/** The witness is a trigger on the tables of one server, and one of the two tests is about a service that knows of no others. */
const skip = isCitus

test('with SHARDED no transaction writes rows of two merchants, whatever merchants and staff do at once', {
  skip,
}, async () => {
  await using installation = await openInstallation({ env: { SHARDED: 'on' }, processes })
  const { db } = installation
  await noteWrites(db)
  await liveTogether(installation, 5)
  // The worker lists an operation twenty seconds after it was made.
  await waitFor(async () => (await tablesWritten(db)).includes('listed_operations'), {
    deadline_ms: 60_000,
    what: 'the worker to list operations',
  })
  const sharded = openDatabase({ url: db.url, connections: 2, name: 'maintenance', sharded: true })
  try {
    await db.moveClock('40 days')
    await applyRetention(sharded, readConfig({ DEMO: 'off', EVENT_DAYS: '31' }), createLog('silent', 'test'))
  } finally {
    await sharded.end({ timeout: 1 })
  }
  for (const service of installation.services) assert.doesNotMatch(service.output(), /CrossShardError/)
  assert.deepEqual(await writtenTogether(db), [])
  const written = await tablesWritten(db)
  for (const table of untouched) assert.ok(!written.includes(table), `${table} was written to: take it off the list`)
  const tables = await db.sql<{ name: string }[]>`
    select tgrelid::regclass::text as name
      from pg_trigger
      join pg_class c on c.oid = tgrelid
     where tgname = 'zz_note_write' and not c.relispartition`
  const missed = tables.map(({ name }) => name).filter((name) => !written.includes(name) && !untouched.includes(name))
  assert.deepEqual(missed, [], 'tables that the load never writes to prove nothing')
  await auditPasses(installation)
})

test('merchants on several machines and the staff do everything at once, and the books hold', {
  skip: !isCitus,
}, async () => {
  await using installation = await openInstallation({ processes, own: 'changes the schema' })
  await liveTogether(installation, 5)
  await auditPasses(installation)
})

/**
 * Tables that only people write, row by row, at the desk or when a merchant is set up; and `connector_movements`, which belongs to
 * contracts of live mode and is written beside the ledger's entries.
 */
const untouched = [
  'act_proposals',
  'adjustments',
  'anomaly_proposals',
  'batch_drafts',
  'batch_file_columns',
  'cap_proposals',
  'changed_days',
  'case_owners',
  'code_submissions',
  'connector_movements',
  'deposit_lines',
  'destination_proposals',
  'differences',
  'drafted_batches',
  'fee_schedules',
  'merchant_document_bytes',
  'merchant_documents',
  'merchant_files',
  'merchant_owners',
  'number_proofs',
  'payout_caps',
  'person_roles',
  'refund_requests',
  'routes',
  'settlement_floors',
  'settlement_schedules',
  'single_person_terms',
  'solo_approvals',
  'staff_visits',
  'statement_bytes',
  'statement_chunks',
  'statement_files',
  'statement_lines',
  'statement_profiles',
  'statement_pulls',
  'statement_rows',
  'till_people',
  'till_phones',
  'told_payments',
  'unchecked_payments',
]

test('without SHARDED some transactions write rows of many merchants, so the test above can fail', {
  skip,
}, async () => {
  await using installation = await openInstallation({ processes, own: 'changes the schema' })
  const merchants = await Promise.all([1, 2, 3].map(() => newSettler(installation)))
  await noteWrites(installation.db)
  await Promise.all(merchants.map((merchant) => collectMuch(installation, merchant)))
  assert.notEqual((await writtenTogether(installation.db)).length, 0)
})
