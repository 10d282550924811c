import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../tests/harness/database.ts'
import { lags, waits } from './maintenance.ts'

test('in an empty database every lag and wait is zero', async () => {
  await using db = await openTestDatabase()
  for (const [kind, read] of Object.entries({ ...lags, ...waits })) assert.equal(await read(db.sql), 0, kind)
})

test('the lag of due work is that of its oldest row, and future work has no lag', async () => {
  await using db = await openTestDatabase()
  await db.sql`
    insert into collection_outbox (id, partition_key, collections, next_check_at)
    values (gen_random_uuid(), '', '[]', clock_now() - interval '1 hour'),
           (gen_random_uuid(), '', '[]', clock_now() + interval '1 hour')`
  await db.sql`
    insert into jobs (kind, queue, payload, run_at)
    values ('any', 'money', '{}', now() - interval '1 minute'),
           ('any', 'money', '{}', now() + interval '1 hour')`
  await db.sql`
    insert into anomalies (merchant_id, livemode, subject_id, kind, id, evidence, opened_at)
    values (0, false, 'any', 'unknown_reference', 'ano_1', '{}', clock_now() - interval '2 hours'),
           (0, false, 'other', 'unknown_reference', 'ano_2', '{}', clock_now() - interval '1 hour')`
  await db.sql`
    insert into refund_requests (merchant_id, livemode, id, payment_id, reason, asked_by, asked_at)
    values (1, true, 'rfr_1', 'txn_1', 'twice', 'awa@example.com', clock_now() - interval '3 hours'),
           (1, true, 'rfr_2', 'txn_2', 'twice', 'awa@example.com', clock_now() - interval '1 hour')`
  const late = { refund_requests: 10_800, instructions: 3_600, jobs: 60, anomalies: 7_200, deliveries: 0 }
  for (const [kind, seconds] of Object.entries(late)) {
    const read = await { ...lags, ...waits }[kind]!(db.sql)
    assert.ok(read >= seconds && read < seconds + 30, `${kind}: ${read}`)
  }
})
