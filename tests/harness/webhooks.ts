import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { Registry } from 'prom-client'
import { createClock } from '../../src/platform/clock.ts'
import { createEgress } from '../../src/platform/egress/post.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { Secret } from '../../src/values/secret.ts'
import { createDeliverer, type DelivererOptions } from '../../src/webhooks/delivery/deliver.ts'
import { emitEvents, type NewEvent } from '../../src/webhooks/emit.ts'
import type { EndpointKey } from '../../src/webhooks/endpoints/endpoint.ts'
import { disableEndpoint, enableEndpoint } from '../../src/webhooks/endpoints/switch-endpoint.ts'
import { createMerchant } from './create-merchant.ts'
import { openTestDatabase } from './database.ts'
import { createEndpoint } from './endpoints.ts'
import { perform } from './perform.ts'
import type { ReceivedRequest } from './receiver.ts'

export const brand = { name: 'Bandama', header_prefix: 'Service', legacy_header_prefix: 'Legacy', key_prefix: 'bdm' }

/** Opens a database with one merchant and the delivery of its events. Jobs run only when the test runs them. */
export async function openWebhooks(changes: Partial<DelivererOptions> = {}) {
  const db = await openTestDatabase()
  const egress = createEgress({ allow: ['127.0.0.0/8'] })
  const clock = createClock()
  const secretKey = new Secret('a test key of more than thirty-two characters')
  const log = createLog('silent', 'test')
  const sql = db.sql
  const another = (more: Partial<DelivererOptions> = {}) =>
    createDeliverer({
      sql,
      secretKey,
      brand,
      egress,
      log,
      clock,
      registry: new Registry(),
      random: () => 0.5,
      deadline_ms: 2_000,
      // Short, because tests run through days of failures. Other tests are about the pauses.
      pause_max_ms: 20,
      ...changes,
      ...more,
    })
  const deliverer = another()
  const merchant_id = await createMerchant(sql, 'Boutique')
  const tenant: Tenant = { merchant_id, livemode: false }

  return {
    db,
    sql,
    egress,
    clock,
    secretKey,
    deliverer,
    tenant,
    another,
    /** Registers an endpoint and returns it with its secret. */
    async endpoint(url: string, { event_types = [] as string[], of = tenant } = {}) {
      const created = await createEndpoint({ sql, secretKey, egress, clock }, of, { url, event_types, test: false })
      assert.ok(created.kind === 'created', JSON.stringify(created))
      return { ...of, endpoint_id: created.endpoint_id, secret: created.secret.reveal() }
    },
    /** Enables an endpoint, or disables it. */
    enable: (id: string, within: Tenant = tenant) => perform(enableEndpoint, { sql, clock }, { id, within }),
    disable: (id: string, within: Tenant = tenant) => perform(disableEndpoint, { sql, clock }, { id, within }),
    /** Emits events of this many payments, each in its new status, in one transaction. Returns the events' ids. */
    emit(count = 1, more: Partial<NewEvent> = {}) {
      return sql.begin((tx) => emitEvents(tx, payments(tenant, count, more), clock.now()))
    },
    /** Runs every job that is due by the queue's clock, and those that follow, until none is due or under way. */
    async runJobs(by = deliverer) {
      for (let round = 0; round < 100; round += 1) {
        const due = await takeDueJobs(sql)
        if (due.length === 0) return
        await Promise.all(due.map((endpoint) => by.deliver(endpoint)))
        await by.idle()
      }
      throw new Error('Jobs go on bringing jobs.')
    },
    deliveries: () => readDeliveries(sql),
    async [Symbol.asyncDispose]() {
      await deliverer.close()
      await egress.close()
      await db[Symbol.asyncDispose]()
    },
  }
}

export type Webhooks = Awaited<ReturnType<typeof openWebhooks>>

export function payments(tenant: Tenant, count: number, more: Partial<NewEvent> = {}): NewEvent[] {
  return Array.from({ length: count }, (_, at) => ({
    ...tenant,
    type: 'payment.succeeded',
    subject_id: `txn_${at}`,
    data: { id: `txn_${at}`, object: 'payment', status: 'succeeded', description: 'Attiéké \u0000 "deux"\n✓' },
    ...more,
  }))
}

async function takeDueJobs(sql: Sql): Promise<EndpointKey[]> {
  const rows = await sql<{ payload: EndpointKey | { endpoints: EndpointKey[] } }[]>`
    delete from jobs where run_at <= now() returning payload`
  return rows.flatMap(({ payload }) => ('endpoints' in payload ? payload.endpoints : [payload]))
}

function readDeliveries(sql: Sql) {
  return sql<
    {
      id: string
      event_id: string
      endpoint_id: string
      status: string
      attempts: number
      scheduled_attempts: number
      next_attempt_at: Date | null
      wait_seconds: number | null
    }[]
  >`
    select id, event_id, endpoint_id, status, attempts, scheduled_attempts, next_attempt_at,
           extract(epoch from next_attempt_at - clock_now())::float8 as wait_seconds
      from deliveries
     order by id`
}

/** Checks that the request has a signature of exactly these bytes, from the time of its sending, in both headers. */
export function assertSigned(request: ReceivedRequest, secret: string, header = 'Signature'): void {
  const signature = String(request.headers[`service-${header.toLowerCase()}`])
  assert.equal(request.headers[`legacy-${header.toLowerCase()}`], signature)
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? []
  assert.ok(t !== undefined, signature)
  assert.ok(Math.abs(request.at / 1_000 - Number(t)) < 5, 'signed for this attempt')
  const expected = createHmac('sha256', secret).update(`${t}.`).update(request.body).digest('hex')
  assert.equal(v1, expected)
}

/** Reads the attempts of a delivery, oldest first. */
export function readAttempts(sql: Sql, { merchant_id, livemode }: Tenant, delivery_id: string) {
  type Attempt = { number: number; status_code: number | null; error: string | null; response_excerpt: string | null }
  return sql<(Attempt & { attempted_at: Date })[]>`
    select number, attempted_at, status_code, error, response_excerpt
      from delivery_attempts
     where merchant_id = ${merchant_id} and livemode = ${livemode} and delivery_id = ${delivery_id}
     order by attempted_at, number`
}
