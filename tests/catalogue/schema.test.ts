import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { transitions } from '../../src/payments/states.ts'
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

test('the database allows the same moves of a payment as its table of states', async () => {
  await using db = await openTestDatabase()
  const rows = await db.sql<{ pair: string }[]>`
    select from_status || ' -> ' || to_status as pair from payment_transitions`
  const pairs = new Set(transitions.map(({ from, to }) => `${from} -> ${to}`))
  assert.deepEqual(rows.map(({ pair }) => pair).sort(), [...pairs].sort())
})
