import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createMerchant } from '../../tests/harness/create-merchant.ts'
import { openWebhooks, payments, type Webhooks } from '../../tests/harness/webhooks.ts'
import { emitEvents } from './emit.ts'

let hooks: Webhooks
before(async () => {
  hooks = await openWebhooks()
})
after(() => hooks[Symbol.asyncDispose]())

const URL = 'http://127.0.0.1:9/hooks'

/** A new merchant, so that each test has its own. */
async function newTenant(livemode = false) {
  return { merchant_id: await createMerchant(hooks.sql, 'Boutique'), livemode }
}

async function counts(merchant_id: number) {
  const [row] = await hooks.sql<{ events: number; deliveries: number; jobs: number }[]>`
    select (select count(*)::int from events where merchant_id = ${merchant_id}) as events,
           (select count(*)::int from deliveries where merchant_id = ${merchant_id}) as deliveries,
           (select count(*)::int from jobs
             where exists (select from json_to_recordset(payload -> 'endpoints') as e(merchant_id bigint)
                            where e.merchant_id = ${merchant_id})) as jobs`
  return row
}

test('an event is a delivery for each endpoint that wants it, and one job names them all', async () => {
  const tenant = await newTenant()
  const all = await hooks.endpoint(URL, { of: tenant })
  const some = await hooks.endpoint(URL, { of: tenant, event_types: ['payment.succeeded', 'settlement.paid'] })
  await hooks.endpoint(URL, { of: tenant, event_types: ['payment.failed'] })
  const [first] = await hooks.sql.begin((tx) => emitEvents(tx, payments(tenant, 20), hooks.clock.now()))
  assert.deepEqual(await counts(tenant.merchant_id), { events: 20, deliveries: 40, jobs: 1 })
  const told = (await hooks.deliveries()).filter(({ event_id }) => event_id === first)
  assert.deepEqual(told.map(({ endpoint_id }) => endpoint_id).sort(), [all.endpoint_id, some.endpoint_id].sort())
})

test('one job names the endpoints of many merchants, and no job too many', async () => {
  const tenants = await Promise.all(Array.from({ length: 70 }, () => newTenant()))
  for (const of of tenants) await hooks.endpoint(URL, { of })
  const before = await hooks.sql`select id from jobs`
  await hooks.sql.begin((tx) =>
    emitEvents(
      tx,
      tenants.flatMap((tenant) => payments(tenant, 2)),
      hooks.clock.now(),
    ),
  )
  const jobs = await hooks.sql<{ named: number }[]>`
    select json_array_length(payload -> 'endpoints') as named
      from jobs
     where id <> all(${before.map(({ id }) => id)}::uuid[])
     order by named`
  assert.deepEqual(
    jobs.map(({ named }) => named),
    [6, 64],
  )
})

test('the other mode and other merchants get no event', async () => {
  const tenant = await newTenant()
  const other = await newTenant()
  await hooks.endpoint(URL, { of: other })
  // In live mode only https goes to an allowed block.
  await hooks.endpoint('https://127.0.0.1:9/hooks', { of: { ...tenant, livemode: true } })
  await hooks.sql.begin((tx) => emitEvents(tx, payments(tenant, 1), hooks.clock.now()))
  assert.deepEqual(await counts(tenant.merchant_id), { events: 1, deliveries: 0, jobs: 0 })
  assert.deepEqual(await counts(other.merchant_id), { events: 0, deliveries: 0, jobs: 0 })
})

test('an event of a transaction that is rolled back never was', async () => {
  const tenant = await newTenant()
  await hooks.endpoint(URL, { of: tenant })
  await assert.rejects(
    hooks.sql.begin(async (tx) => {
      await emitEvents(tx, payments(tenant, 3), hooks.clock.now())
      throw new Error('undone')
    }),
    /undone/,
  )
  assert.deepEqual(await counts(tenant.merchant_id), { events: 0, deliveries: 0, jobs: 0 })
})

test('the body is an event with its id, type, version, time, mode and data, and can never change', async () => {
  const tenant = await newTenant()
  const [id] = await hooks.sql.begin((tx) => emitEvents(tx, payments(tenant, 1), hooks.clock.now()))
  const [row] = await hooks.sql<{ body: string; created_at: Date }[]>`
    select body, created_at from events where merchant_id = ${tenant.merchant_id}`
  const [event] = payments(tenant, 1)
  assert.deepEqual(JSON.parse(row!.body), {
    id,
    object: 'event',
    type: 'payment.succeeded',
    api_version: '2026-08-25',
    created_at: row!.created_at.toISOString(),
    livemode: false,
    data: event!.data,
  })
  await assert.rejects(
    hooks.sql`update events set body = '{}' where merchant_id = ${tenant.merchant_id}`,
    /append-only/,
  )
})

test('events for a disabled endpoint are held, without a job', async () => {
  const tenant = await newTenant()
  const { endpoint_id } = await hooks.endpoint(URL, { of: tenant })
  await hooks.disable(endpoint_id, tenant)
  await hooks.sql.begin((tx) => emitEvents(tx, payments(tenant, 2), hooks.clock.now()))
  assert.deepEqual(await counts(tenant.merchant_id), { events: 2, deliveries: 2, jobs: 0 })
  const mine = (await hooks.deliveries()).filter((delivery) => delivery.endpoint_id === endpoint_id)
  assert.deepEqual(
    mine.map(({ status }) => status),
    ['held', 'held'],
  )
})

test('the number of statements does not depend on the number of events', async () => {
  const tenant = await newTenant()
  for (let count = 0; count < 3; count += 1) await hooks.endpoint(URL, { of: tenant })
  const emitted: number[] = []
  for (const count of [1, 50, 300]) {
    await hooks.sql.begin(async (tx) => {
      let statements = 0
      const counted = new Proxy(tx, {
        apply(run, self, parts) {
          statements += 1
          return Reflect.apply(run, self, parts)
        },
        get(of, name) {
          if (name === 'copy') statements += 1
          return Reflect.get(of, name)
        },
      })
      await emitEvents(counted, payments(tenant, count), hooks.clock.now())
      emitted.push(statements)
    })
  }
  // Four, and the parts of one of them.
  assert.deepEqual(emitted, [10, 10, 10])
})

test('a body of exactly 64 kB is whole, and one byte more takes the short form', async () => {
  const tenant = await newTenant()
  const short_data = { id: 'pob_1', lines_omitted: true }
  const bodyOf = async (text: string, short: Partial<{ short_data: object }> = { short_data }) => {
    const data = { id: 'pob_1', lines: [text] }
    const event = { ...tenant, type: 'payout_batch.finished', subject_id: 'pob_1', data, ...short } as const
    const [id] = await hooks.sql.begin((tx) => emitEvents(tx, [event], hooks.clock.now()))
    const [row] = await hooks.sql<{ body: string }[]>`
      select body from events where merchant_id = ${tenant.merchant_id} and id = ${id!}`
    return row!.body
  }
  const room = 64_000 - Buffer.byteLength(await bodyOf(''))
  for (const [name, text, whole] of [
    ['letters of one byte', 'a'.repeat(room), true],
    ['one letter more', 'a'.repeat(room + 1), false],
    ['letters of two bytes', 'é'.repeat(room / 2), true],
    ['as many characters, of two bytes', 'é'.repeat(room), false],
    ['signs of four bytes', '𝟙'.repeat(room / 4 + 1), false],
    ['characters that JSON escapes', '"'.repeat(room / 2 + 1), false],
  ] as const) {
    const { data } = JSON.parse(await bodyOf(text)) as { data: object }
    assert.deepEqual(data, whole ? { id: 'pob_1', lines: [text] } : short_data, name)
  }
  const { data } = JSON.parse(await bodyOf('a'.repeat(room + 1), {})) as { data: object }
  assert.ok('lines' in data, 'a resource without a short form stays whole')
})
