import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isCitus } from '../../../tests/harness/citus.ts'
import { openCopies } from '../../../tests/harness/copies.ts'
import { openPool, openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { payments } from '../../../tests/harness/webhooks.ts'
import { createClock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { emitEvents } from '../emit.ts'
import { JOIN_EPOCH } from './epoch-store.ts'

const skip = isCitus && 'a cluster is copied by other means'
const clock = createClock()
const tenant = { merchant_id: 1, livemode: false }

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

/** A pool as the service has it. */
function openJoined(url = db.url, connections = 1) {
  const sql = openPool({ url, connections, name: 'joined', greeting: JOIN_EPOCH })
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) })
}

/** Writes an event, and returns its place in the feed. */
async function emit(sql: Sql): Promise<{ epoch: number; tx: bigint }> {
  const [id] = await sql.begin((tx) => emitEvents(tx, payments(tenant, 1), clock.now()))
  const [row] = await sql<{ epoch: number; number: string }[]>`
    select epoch, tx::text as number from events where id = ${id!}`
  return { epoch: row!.epoch, tx: BigInt(row!.number) }
}

async function readEpochs(sql: Sql): Promise<number[]> {
  const rows = await sql<{ epoch: number }[]>`select epoch from feed_epochs order by epoch`
  return rows.map(({ epoch }) => epoch)
}

test('connections that are opened together begin one epoch, and later ones join it', async () => {
  await using fresh = await openTestDatabase()
  assert.equal((await emit(fresh.sql)).epoch, 0, 'before any')
  const pools = Array.from({ length: 8 }, () => openJoined(fresh.url, 2))
  const epochs = await Promise.all(pools.flatMap((sql) => [emit(sql), emit(sql)]))
  const known = await readEpochs(fresh.sql)
  assert.equal(known.length, 1)
  assert.ok(epochs.every(({ epoch }) => epoch === known[0]))
  assert.equal((await emit(fresh.sql)).epoch, known[0], 'a session that joined none writes into the newest')
  await Promise.all(pools.map((sql) => sql[Symbol.asyncDispose]()))
})

test('the events of one transaction have one number, and that of a later transaction is greater', async () => {
  await using sql = openJoined()
  const ids = await sql.begin((tx) => emitEvents(tx, payments(tenant, 3), clock.now()))
  const rows = await sql<{ number: string }[]>`select tx::text as number from events where id = any(${ids}::text[])`
  const numbers = new Set(rows.map(({ number }) => BigInt(number)))
  assert.equal(numbers.size, 1)
  const [first] = numbers
  assert.ok((await emit(sql)).tx > first!)
})

test('a backup that reads the events delays no new epoch', async () => {
  await using fresh = await openTestDatabase()
  await fresh.sql.begin(async (tx) => {
    await tx`lock table events in access share mode`
    await using sql = openJoined(fresh.url)
    assert.ok((await emit(sql)).epoch > 0)
  })
})

test('a copied database begins a new epoch, behind every earlier one, and so does a copy of it', { skip }, async () => {
  await using source = await openTestDatabase()
  await using copies = openCopies()
  const emitIn = async (url: string) => {
    await using sql = openJoined(url)
    return { ...(await emit(sql)), known: await readEpochs(sql) }
  }
  const before = await emitIn(source.url)
  const copied = await copies.copyOf(source.url)
  const after = await emitIn(copied)
  assert.ok(after.epoch > before.epoch)
  assert.deepEqual(after.known, [before.epoch, after.epoch])
  // Within the same second of the clock.
  assert.ok((await emitIn(await copies.copyOf(copied))).epoch > after.epoch)
})
