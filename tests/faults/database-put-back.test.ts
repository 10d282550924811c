import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setCaps } from '../../src/payouts/caps/set-caps.ts'
import { type Answer, type Asked, ask } from '../contract/ask.ts'
import { isCitus } from '../harness/citus.ts'
import { openPool } from '../harness/database.ts'
import { liveOperators } from '../harness/live-twin.ts'
import { addFunds, newMerchant } from '../harness/merchant.ts'
import { resumeByTwo } from '../harness/payout-stops.ts'
import { openSeed } from '../harness/seed.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { confirmAll, type KeyedRequest } from './keyed-requests.ts'
import { type LiveInstallation, openLiveInstallation, readOpenOrders } from './live-installation.ts'

// The database is put back to an older state under live payouts, and merchants repeat their keys. The twin remembers everything.

const skip = isCitus && 'a cluster is copied by other means'

/** Payouts over pawaPay, MTN and Wave in turn: before the copy, and lost with the database. */
const BEFORE = 5
const LOST = 20
/** Francs that no test reaches by accident. */
const FAR = 1_000_000_000_000

/** Copies the database while nothing runs on it, and puts the copy back as often as the test wants. */
async function copyOf({ sql }: LiveInstallation) {
  const admin = openPool({ url: process.env.TEST_DATABASE_URL!, connections: 1, name: 'test of an old copy' })
  const [row] = await sql<{ name: string }[]>`select current_database() as name`
  const { name } = row!
  const kept = `${name}_kept`
  const copy = async (from: string, to: string) => {
    await admin`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${from}`
    await admin`create database ${admin(to)} template ${admin(from)}`
  }
  await admin.unsafe('set statement_timeout = 0')
  await copy(name, kept)
  return {
    async putBack(): Promise<void> {
      await admin`drop database ${admin(name)} with (force)`
      await copy(kept, name)
    },
    async [Symbol.asyncDispose]() {
      await admin`drop database ${admin(kept)} with (force)`
      await admin.end({ timeout: 1 })
    },
  }
}

async function untilAllEnded({ sql }: LiveInstallation): Promise<void> {
  await waitFor(async () => (await readOpenOrders(sql)).length === 0, {
    deadline_ms: 60_000,
    what: 'everything to end',
  }).catch(async (error) => assert.fail(`${error.message} ${JSON.stringify((await readOpenOrders(sql)).slice(0, 5))}`))
}

/** The telephones that were paid more than once, by the twin's own journal. */
function paidTwice({ twin }: LiveInstallation): string[] {
  const paid = Map.groupBy(twin.journal(), ({ msisdn }) => msisdn!.slice(-10))
  return [...paid].flatMap(([msisdn, { length }]) => (length > 1 ? [msisdn] : []))
}

/** The operations in the database by status, of payouts or payments. */
async function countOf({ sql }: LiveInstallation, table: 'payouts' | 'payments'): Promise<Record<string, number>> {
  const rows = await sql<{ status: string; count: number }[]>`
    select status, count(*)::integer as count from ${sql(table)} group by 1 order by 1`
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Forgets the answers of the first time: the database does not know them any more. */
function forgotten(requests: readonly KeyedRequest[]): KeyedRequest[] {
  return requests.map(({ asked }) => ({ asked, acknowledged: null, unanswered: 0 }))
}

test('a database put back under live payouts and keys repeated: no order is executed twice, and each is booked', {
  skip,
}, async (t) => {
  await using live = await openLiveInstallation(openSeed(t), 3)
  live.twin.script({ outcome: 'succeed' })
  let service = await live.start()
  const before = Array.from({ length: BEFORE }, live.newPayout)
  await confirmAll(service.address, before)
  await untilAllEnded(live)
  await service.stop()

  await using copy = await copyOf(live)
  service = await live.start()
  const payouts = Array.from({ length: LOST }, live.newPayout)
  // Payers of pawaPay and MTN approve at once. Wave's payers follow a link.
  const payments = Array.from({ length: LOST }, live.newPayment).filter(
    ({ asked }) => (asked.body as { operator: string }).operator !== 'wave_ci',
  )
  const requests = [...payouts, ...payments]
  await confirmAll(service.address, requests)
  await untilAllEnded(live)
  await service.stop()
  const paid = live.twin.journal().length
  assert.equal(paid, BEFORE + requests.length)
  assert.deepEqual(await countOf(live, 'payouts'), { succeeded: BEFORE + LOST })

  await copy.putBack()
  assert.deepEqual(await countOf(live, 'payouts'), { succeeded: BEFORE }, 'the others are lost')
  service = await live.start()
  const repeated = forgotten(requests)
  await confirmAll(service.address, [...before, ...repeated])
  await untilAllEnded(live)
  for (const [at, { acknowledged }] of repeated.entries()) {
    const [now, first] = [acknowledged!, requests[at]!.acknowledged!].map((one) => (one.json() as { id: string }).id)
    assert.notEqual(now, first, 'the service remembers nothing of the first time')
  }
  assert.deepEqual(paidTwice(live), [])
  assert.equal(live.twin.journal().length, paid)
  assert.deepEqual(await countOf(live, 'payouts'), { succeeded: BEFORE + LOST })
  assert.deepEqual(await countOf(live, 'payments'), { succeeded: payments.length })
  assert.equal((await live.bandama('audit')).ok, true)
  await service.stop()

  // The control: under another reference key, as after a backup from before it, the operators execute every payout again.
  await copy.putBack()
  await live.sql`alter table order_reference_key disable trigger order_reference_key_fixed`
  await live.sql`update order_reference_key set key = sha256(key)`
  service = await live.start()
  await confirmAll(service.address, forgotten(payouts))
  await untilAllEnded(live)
  assert.equal(paidTwice(live).length, LOST, 'so that the test sees what it is about')
  await service.stop()
})

test('requests and batches keep their orders: an approval or an execution that was lost is done again as the same orders', {
  skip,
}, async (t) => {
  await using live = await openLiveInstallation(openSeed(t), 1)
  live.twin.script({ outcome: 'succeed' })
  const { merchant_id, newKey } = await newMerchant(live.sql)
  const tenant = { merchant_id, livemode: true }
  await addFunds(live.sql, tenant, FAR)
  await setCaps(live.sql, tenant, { operation: 1_000, day: FAR })
  const { key } = await newKey('live', 'payout')
  let numbers = 0
  const line = (amount: number) => {
    const { operator, prefix } = liveOperators[numbers % liveOperators.length]!
    numbers += 1
    return {
      amount,
      beneficiary: { operator, msisdn: `${prefix}99${String(numbers).padStart(6, '0')}`, name: 'Awa Koné' },
    }
  }
  const post = (path: string, body?: unknown): Asked => ({
    method: 'POST',
    path,
    key,
    idempotency_key: randomUUID(),
    body,
  })
  const idOf = (answer: Answer, status: number): string => {
    assert.equal(answer.status, status, answer.text)
    return (answer.json() as { id: string }).id
  }
  const approve = (id: string) => live.bandama('request', 'approve', '--id', id, '--as', 'chef@example.com')
  const execute = async (service: Service, id: string) =>
    idOf(await ask(service.address, post(`/v1-payout-batches/${id}/execute`)), 200)

  let service = await live.start()
  const held = idOf(await ask(service.address, post('/v1-payouts', line(2_000))), 202)
  const drafted = idOf(
    await ask(service.address, post('/v1-payout-batches', { lines: [line(500), line(500), line(500)] })),
    201,
  )
  await service.stop()

  await using copy = await copyOf(live)
  const laterRequest = post('/v1-payouts', line(3_000))
  const laterBatch = post('/v1-payout-batches', { lines: [line(600), line(600), line(600)] })
  /** Does everything of which the copy knows only the request and the draft. */
  const doAll = async () => {
    service = await live.start()
    await approve(held)
    await execute(service, drafted)
    await approve(idOf(await ask(service.address, laterRequest), 202))
    await execute(service, idOf(await ask(service.address, laterBatch), 201))
    await untilAllEnded(live)
    await service.stop()
  }
  await doAll()
  assert.equal(live.twin.journal().length, 8)
  await copy.putBack()
  assert.deepEqual(await countOf(live, 'payouts'), {})
  await doAll()
  assert.deepEqual(paidTwice(live), [])
  assert.equal(live.twin.journal().length, 8)
  assert.deepEqual(await countOf(live, 'payouts'), { succeeded: 8 })

  // A request that was held before is the same order when it needs no approval any more.
  await copy.putBack()
  await setCaps(live.sql, tenant, { operation: FAR, day: FAR })
  service = await live.start()
  idOf(await ask(service.address, laterRequest), 201)
  await untilAllEnded(live)
  assert.deepEqual(paidTwice(live), [])
  await service.stop()
})

test('payouts of a key that was used again while payouts were stopped leave as two orders', { skip }, async (t) => {
  await using live = await openLiveInstallation(openSeed(t), 1)
  live.twin.script({ outcome: 'succeed' })
  const service = await live.start()
  await live.bandama('payouts', 'stop', '--all', '--as', 'ama@example.com')
  const payouts = Array.from({ length: 6 }, live.newPayout)
  await confirmAll(service.address, payouts)
  await live.sql`delete from idempotency_keys`
  await confirmAll(service.address, forgotten(payouts))
  await resumeByTwo(live.sql, { scope: 'all' })
  await untilAllEnded(live)
  assert.equal(live.twin.journal().length, 12)
  await service.stop()
})

test('a key that is used again after its retention is another order', { skip }, async (t) => {
  await using live = await openLiveInstallation(openSeed(t), 1)
  live.twin.script({ outcome: 'succeed' })
  const service = await live.start()
  const requests = Array.from({ length: 3 }, () => [live.newPayout(), live.newPayment()])
    .flat()
    .filter(({ asked }) => asked.path === '/v1-payouts' || (asked.body as { operator: string }).operator !== 'wave_ci')
  await confirmAll(service.address, requests)
  await untilAllEnded(live)
  await live.sql`delete from idempotency_keys`
  await confirmAll(service.address, forgotten(requests))
  await untilAllEnded(live)
  assert.equal(live.twin.journal().length, requests.length * 2, 'each was executed twice, as it was asked twice')
  const [row] = await live.sql<{ references: number; sends: number }[]>`
    select count(distinct reference)::integer as references, count(*)::integer as sends from sends`
  assert.deepEqual(row, { references: requests.length * 2, sends: requests.length * 2 })
  await service.stop()
})
