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
import { withoutTriggers } from '../harness/without-triggers.ts'
import { dumpSchema } from './dump-schema.ts'

test('migrations/schema.sql is the schema of the migrations', async (t) => {
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

test('the database allows the same transitions as the tables of states', async () => {
  await using db = await openTestDatabase()
  for (const [table, transitions] of Object.entries(tables)) {
    const rows = await db.sql<{ pair: string }[]>`
      select from_status || ' -> ' || to_status as pair from ${db.sql(table)}`
    const pairs = new Set(transitions.map(({ from, to }) => `${from} -> ${to}`))
    assert.deepEqual(rows.map(({ pair }) => pair).sort(), [...pairs].sort(), table)
  }
})

test('every table of transitions in the database has its table of states', async () => {
  await using db = await openTestDatabase()
  const found = await db.sql<{ name: string }[]>`
    select relname::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname like '%\\_transitions'`
  assert.deepEqual(found.map(({ name }) => name).sort(), Object.keys(tables).sort())
})

/** The columns that a row of each table needs besides the common ones and foreign keys. */
const needed = {
  payments: { amount_collected: 100, net_amount: 100 },
  payouts: { total_debited: 100, beneficiary_id: '00000000-0000-0000-0000-000000000000', is_inline: true, msisdn: '' },
}

test('payments and payouts make exactly the transitions of their tables, by any writer to the database', async () => {
  await using db = await openTestDatabase()
  for (const [table, transitions] of [['payments', ofPayments] as const, ['payouts', ofPayouts] as const]) {
    const statuses = [...new Set(transitions.flatMap(({ from, to }) => [from, to]))]
    const allowed = new Set<string>(transitions.map(({ from, to }) => `${from} -> ${to}`))
    for (const status of statuses) {
      for (const to of statuses.filter((other) => other !== status)) {
        const id = `${status} -> ${to}`
        const both = { merchant_id: 1, livemode: false, id, status, amount: 100, fee_amount: 0, currency: 'XOF' }
        const row = { ...both, ...needed[table] }
        await db.sql.begin(async (tx) => {
          await withoutTriggers(tx)
          await tx`
            insert into ${tx(table)} (${tx(Object.keys(row))})
            select ${tx(Object.keys(row))} from json_populate_record(null::${tx(table)}, ${tx.json(row)})`
        })
        const move = db.sql`update ${db.sql(table)} set status = ${to} where id = ${id}`
        if (allowed.has(id)) await move
        else await assert.rejects(move, new RegExp(`does not go from ${status} to ${to}`))
      }
    }
  }
})
