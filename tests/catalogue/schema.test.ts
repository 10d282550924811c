import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { linkTransitions } from '../../src/checkout/link-states.ts'
import { transitions as ofSessions } from '../../src/checkout/states.ts'
import { transitions as ofPayments } from '../../src/payments/states.ts'
import { transitions as ofBatches } from '../../src/payout-batches/states.ts'
import { transitions as ofPayouts } from '../../src/payouts/states.ts'
import { transitions as ofRefunds } from '../../src/refunds/states.ts'
import { transitions as ofSettlements } from '../../src/settlements/states.ts'
import { openTestDatabase } from '../harness/database.ts'
import { dumpSchema } from './dump-schema.ts'

test('migrations/schema.sql is what the migrations make', async (t) => {
  await using db = await openTestDatabase()
  const [server] = await db.sql<{ version: number }[]>`select current_setting('server_version_num')::integer as version`
  const version = Math.floor(server!.version / 10_000)
  if (version !== 18) return t.skip(`PostgreSQL ${version} prints expressions otherwise than 18, which wrote the file`)
  const committed = await readFile(new URL('../../migrations/schema.sql', import.meta.url), 'utf8')
  assert.equal(committed, await dumpSchema(db.sql), 'run `npm run derive`')
})

const tables = {
  payment_transitions: ofPayments,
  checkout_session_transitions: ofSessions,
  payment_link_transitions: linkTransitions,
  payout_transitions: ofPayouts,
  payout_batch_transitions: ofBatches,
  settlement_transitions: ofSettlements,
  refund_transitions: ofRefunds,
}

test('the database allows the same moves as the tables of states', async () => {
  await using db = await openTestDatabase()
  for (const [table, transitions] of Object.entries(tables)) {
    const rows = await db.sql<{ pair: string }[]>`
      select from_status || ' -> ' || to_status as pair from ${db.sql(table)}`
    const pairs = new Set(transitions.map(({ from, to }) => `${from} -> ${to}`))
    assert.deepEqual(rows.map(({ pair }) => pair).sort(), [...pairs].sort(), table)
  }
})

test('every table of moves in the database has its table of states', async () => {
  await using db = await openTestDatabase()
  const found = await db.sql<{ name: string }[]>`
    select relname::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname like '%\\_transitions'`
  assert.deepEqual(found.map(({ name }) => name).sort(), Object.keys(tables).sort())
})
