import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { isCitus } from '../../../tests/harness/citus.ts'
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

test('a copied database begins a new epoch, behind every earlier one, and so does one that is put back', {
  skip,
}, async () => {
  const source = await openTestDatabase()
  const admin = openPool({ url: process.env.TEST_DATABASE_URL!, connections: 1, name: 'test of a copy' })
  const copies: string[] = []
  const copyOf = async (url: string) => {
    const from = new URL(url).pathname.slice(1)
    const name = `bandama_copy_${randomBytes(8).toString('hex')}`
    await admin`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${from}`
    await admin`create database ${admin(name)} template ${admin(from)}`
    copies.push(name)
    return Object.assign(new URL(url), { pathname: `/${name}` }).href
  }
  try {
    const first = openJoined(source.url)
    const before = await emit(first)
    await first.end()
    const copied = await copyOf(source.url)
    const second = openJoined(copied)
    const after = await emit(second)
    assert.ok(after.epoch > before.epoch)
    assert.deepEqual(await readEpochs(second), [before.epoch, after.epoch])
    await second.end()
    // Within the same second of the clock.
    const third = openJoined(await copyOf(copied))
    assert.ok((await emit(third)).epoch > after.epoch)
    await third.end()
  } finally {
    for (const name of copies) await admin`drop database ${admin(name)} with (force)`
    await admin.end({ timeout: 1 })
    await source[Symbol.asyncDispose]()
  }
})
