import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { untilWaiting } from '../../../tests/harness/hold.ts'
import { perform } from '../../../tests/harness/perform.ts'
import { startReceiver } from '../../../tests/harness/receiver.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { assertSigned, openWebhooks, readAttempts } from '../../../tests/harness/webhooks.ts'
import { machineMilliseconds } from '../../platform/clock.ts'
import { createEgress } from '../../platform/egress/post.ts'
import { Secret } from '../../values/secret.ts'
import { rotateSecret } from '../endpoints/rotate-secret.ts'
import { replayEvent } from '../replay.ts'
import { decideAttempt } from './attempt-delivery.ts'
import { recordAttempts, takeDeliveries } from './attempt-store.ts'

const delivered = { kind: 'answered', status: 200, excerpt: '', retry_after_seconds: null, duration_ms: 1 } as const

test('an event arrives signed over its very bytes, under both names of the brand', async () => {
  await using receiver = await startReceiver({ status: 204 })
  await using hooks = await openWebhooks({
    brand: { name: 'Ma Banque', header_prefix: 'Service', legacy_header_prefix: 'Legacy', key_prefix: 'mab' },
  })
  const { secret } = await hooks.endpoint(`${receiver.url}/hooks?shop=1`)
  // By the database it is an hour earlier: the time of a signature is this machine's, at this attempt.
  const now = machineMilliseconds()
  hooks.clock.adjust(now - 3_600_000, now)
  const [id] = await hooks.emit()
  await hooks.runJobs()

  const [request, ...more] = receiver.requests
  assert.equal(more.length, 0)
  assertSigned(request!, secret)
  assert.deepEqual([request!.method, request!.path], ['POST', '/hooks?shop=1'])
  assert.equal(request!.headers['service-event-id'], id)
  assert.equal(request!.headers['legacy-event-id'], id)
  assert.equal(request!.headers['user-agent'], 'Ma-Banque-Webhooks/1.0')
  assert.equal(request!.headers['content-type'], 'application/json')
  assert.equal(request!.headers['service-signature-previous'], undefined)
  // The header with the id is not signed: receivers go by the body.
  const body = JSON.parse(request!.body.toString())
  assert.deepEqual([body.id, body.data.status], [id, 'succeeded'])
  const [event] = await hooks.sql<{ body: string }[]>`select body from events`
  assert.equal(request!.body.toString(), event!.body)

  const [delivery] = await hooks.deliveries()
  assert.deepEqual([delivery!.status, delivery!.attempts, delivery!.next_attempt_at], ['delivered', 1, null])
  const attempts = await readAttempts(hooks.sql, hooks.tenant, delivery!.id)
  assert.deepEqual(
    attempts.map(({ number, status_code, error }) => [number, status_code, error]),
    [[1, 204, null]],
  )
})

test('any 2xx delivers; every other answer and no answer are tried again', async () => {
  const answers = [200, 201, 202, 204, 299, 301, 302, 307, 308, 400, 401, 404, 429, 500, 503]
  await using receiver = await startReceiver(({ path }) => {
    const status = Number(path.slice(1))
    return Number.isNaN(status) ? { fault: 'drop' } : { status, headers: { location: receiver.url } }
  })
  await using hooks = await openWebhooks()
  const urls = new Map<string, string>()
  for (const answer of [...answers, 'drop']) {
    urls.set((await hooks.endpoint(`${receiver.url}/${answer}`)).endpoint_id, String(answer))
  }
  await hooks.emit()
  await hooks.runJobs()
  for (const { endpoint_id, status, attempts } of await hooks.deliveries()) {
    const answer = urls.get(endpoint_id)!
    assert.deepEqual([status, attempts], [answer.startsWith('2') ? 'delivered' : 'pending', 1], answer)
  }
  assert.ok(
    receiver.requests.every(({ path }) => path !== '/'),
    'no redirect was followed',
  )
})

test('a silent receiver counts as no answer after the limit', async () => {
  await using receiver = await startReceiver({ fault: 'hang' })
  await using hooks = await openWebhooks({ deadline_ms: 100 })
  await hooks.endpoint(receiver.url)
  await hooks.emit()
  await hooks.runJobs()
  const [delivery] = await hooks.deliveries()
  const [attempt] = await readAttempts(hooks.sql, hooks.tenant, delivery!.id)
  assert.deepEqual([delivery!.status, attempt!.error, attempt!.status_code], ['pending', 'timeout', null])
})

test("the receiver's answer is kept as text of 4 KB at most", async () => {
  await using receiver = await startReceiver({ status: 500, body: `<script>\u0000\u001b[31m${'é'.repeat(5_000)}` })
  await using hooks = await openWebhooks()
  await hooks.endpoint(receiver.url)
  await hooks.emit()
  await hooks.runJobs()
  const [delivery] = await hooks.deliveries()
  const [attempt] = await readAttempts(hooks.sql, hooks.tenant, delivery!.id)
  assert.match(attempt!.response_excerpt!, /^<script>\[31mé+$/)
  assert.ok(Buffer.byteLength(attempt!.response_excerpt!) <= 4_096)
})

test('for a day after a rotation both secrets sign, then only the new one', async () => {
  await using receiver = await startReceiver()
  await using hooks = await openWebhooks()
  const { endpoint_id, secret } = await hooks.endpoint(receiver.url)
  const rotated = await perform(rotateSecret, hooks, { id: endpoint_id })
  assert.ok(rotated.kind === 'done')
  const next = rotated.result.secret.reveal()
  assert.notEqual(next, secret)

  await hooks.db.moveClock('23 hours 59 minutes')
  await hooks.emit()
  await hooks.runJobs()
  assertSigned(receiver.requests[0]!, next)
  assertSigned(receiver.requests[0]!, secret, 'Signature-Previous')

  await hooks.db.moveClock('24 hours 1 minute')
  await hooks.emit()
  await hooks.runJobs()
  assertSigned(receiver.requests[1]!, next)
  assert.equal(receiver.requests[1]!.headers['service-signature-previous'], undefined)
})

test('two workers after the same deliveries send each of them once', async () => {
  await using receiver = await startReceiver()
  await using hooks = await openWebhooks()
  const endpoint = await hooks.endpoint(receiver.url)
  const ids = await hooks.emit(300)
  const workers = [hooks.deliverer, hooks.another(), hooks.another()]
  await Promise.all(
    workers.map(async (worker) => {
      await Promise.all([worker.deliver(endpoint), worker.deliver(endpoint)])
      await worker.idle()
    }),
  )
  const told = receiver.requests.map(({ headers }) => String(headers['service-event-id']))
  assert.deepEqual(told.sort(), [...ids].sort())
  const deliveries = await hooks.deliveries()
  assert.ok(deliveries.every(({ status, attempts }) => status === 'delivered' && attempts === 1))
})

test('a fast endpoint gets at most thirty-two attempts at once, and two while it fails', async () => {
  let open = 0
  let most = 0
  let status = 200
  await using receiver = await startReceiver(() => {
    open += 1
    most = Math.max(most, open)
    setTimeout(() => {
      open -= 1
    }, 58)
    return { status, delay_ms: 60 }
  })
  await using hooks = await openWebhooks()
  await hooks.endpoint(receiver.url)
  // More than once on a machine that stands still in between, which makes answers slow.
  let emitted = 0
  while (most < 32 && emitted < 3_500) {
    emitted += (await hooks.emit(700)).length
    await hooks.runJobs()
  }
  assert.equal(most, 32)
  assert.equal(receiver.requests.length, emitted)

  status = 500
  await hooks.emit(20)
  await hooks.runJobs()
  most = 0
  await hooks.emit(20)
  await hooks.runJobs()
  assert.ok(most <= 2, `${most} at once`)
})

test('endpoints that hang hold up no other endpoint', async () => {
  await using hanging = await startReceiver({ fault: 'hang' })
  await using good = await startReceiver()
  await using hooks = await openWebhooks({ deadline_ms: 8_000 })
  for (let count = 0; count < 10; count += 1) await hooks.endpoint(`${hanging.url}/${count}`)
  await hooks.endpoint(good.url)
  await hooks.emit(40)
  const running = hooks.runJobs()
  await waitFor(() => good.requests.length === 40, { deadline_ms: 7_900, what: 'the good endpoint to be told' })
  await hooks.deliverer.close()
  assert.ok(hanging.requests.length <= 40, `${hanging.requests.length} attempts hang`)
  await running.catch(() => {})
})

test('a worker that stops gives back what it has not tried, and lets the rest end', async () => {
  await using receiver = await startReceiver({ delay_ms: 50 })
  await using hooks = await openWebhooks()
  const endpoint = await hooks.endpoint(receiver.url)
  await hooks.emit(200)
  const worker = hooks.another()
  await worker.deliver(endpoint)
  await waitFor(() => receiver.requests.length > 20)
  await worker.close()
  await assert.rejects(worker.deliver(endpoint), /stops/)
  const sent = receiver.requests.length
  const [row] = await hooks.sql<{ delivered: number; free: number }[]>`
    select count(*) filter (where status = 'delivered')::int as delivered,
           count(*) filter (where status = 'pending' and lease_until is null)::int as free
      from deliveries`
  assert.deepEqual(row, { delivered: sent, free: 200 - sent })
  await hooks.runJobs()
  assert.equal(receiver.requests.length, 200)
})

test('deliveries of a dead worker go out when their lease ends', async () => {
  await using receiver = await startReceiver()
  await using hooks = await openWebhooks()
  const endpoint = await hooks.endpoint(receiver.url)
  await hooks.emit(3)
  const [taken] = await takeDeliveries(hooks.sql, [{ ...endpoint, slots: 10 }])
  assert.equal(taken!.length, 3)
  await hooks.runJobs()
  assert.equal(receiver.requests.length, 0, 'they belong to the other worker')
  assert.equal(await hooks.deliverer.sweep(), 0)

  await hooks.db.moveClock('31 seconds')
  assert.equal(await hooks.deliverer.sweep(), 1)
  await hooks.runJobs()
  assert.equal(receiver.requests.length, 3)
})

test('of a worker that froze and woke, a failure counts for nothing and a success counts', async () => {
  await using hooks = await openWebhooks()
  const endpoint = await hooks.endpoint('http://127.0.0.1:9/')
  await hooks.emit(1)
  const takeOne = async () => (await takeDeliveries(hooks.sql, [{ ...endpoint, slots: 1 }]))[0]![0]!
  const frozen = await takeOne()
  await hooks.db.moveClock('31 seconds')
  const mine = await takeOne()
  assert.equal(mine.fence, frozen.fence + 1)
  const answered = (status: number) =>
    ({ kind: 'answered', status, excerpt: '', retry_after_seconds: null, duration_ms: 1 }) as const
  const state = async () => {
    const [row] = await hooks.sql<{ status: string; attempts: number; leased: boolean }[]>`
      select status, attempts, lease_until is not null as leased from deliveries`
    return row
  }

  await hooks.sql.begin((tx) => recordAttempts(tx, [decideAttempt(frozen, answered(500), 0.5)]))
  assert.deepEqual(await state(), { status: 'pending', attempts: 0, leased: true })
  await hooks.sql.begin((tx) => recordAttempts(tx, [decideAttempt(frozen, answered(200), 0.5)]))
  assert.deepEqual(await state(), { status: 'delivered', attempts: 1, leased: false })
  await hooks.sql.begin((tx) => recordAttempts(tx, [decideAttempt(mine, answered(500), 0.5)]))
  assert.deepEqual(await state(), { status: 'delivered', attempts: 1, leased: false })
  assert.equal((await readAttempts(hooks.sql, hooks.tenant, mine.id)).length, 3, 'every attempt made is kept')
})

test('results that are written while their events are sent again never wait for one another in a circle', async () => {
  await using hooks = await openWebhooks()
  const endpoints = [await hooks.endpoint('http://127.0.0.1:9/one'), await hooks.endpoint('http://127.0.0.1:9/two')]
  for (const held of endpoints) {
    for (const order of [endpoints, endpoints.toReversed()]) {
      const [event_id] = await hooks.emit(1)
      const taken = await takeDeliveries(
        hooks.sql,
        order.map((endpoint) => ({ ...endpoint, slots: 1 })),
      )
      const attempts = taken.flat().map((delivery) => decideAttempt(delivery, delivered, 0.5))
      assert.equal(attempts.length, 2)
      // One of the two is locked, so each call has got as far as it can when the next one comes.
      const both = await hooks.sql.begin(async (tx) => {
        await tx`
          select from deliveries where event_id = ${event_id!} and endpoint_id = ${held.endpoint_id} for update`
        const replayed = replayEvent(hooks.sql, hooks.tenant, event_id!)
        await untilWaiting(hooks.sql)
        const noted = hooks.sql.begin((own) => recordAttempts(own, attempts))
        await untilWaiting(hooks.sql, { count: 2 })
        return () => Promise.all([replayed, noted])
      })
      assert.equal((await both())[0].kind, 'replayed')
      await hooks.sql`delete from deliveries`
    }
  }
})

test('a lost job is made again by the sweep, and made once', async () => {
  await using receiver = await startReceiver()
  await using hooks = await openWebhooks()
  await hooks.endpoint(receiver.url)
  await hooks.emit(5)
  await hooks.sql`delete from jobs`
  await hooks.deliverer.sweep()
  await hooks.deliverer.sweep()
  const [jobs] = await hooks.sql<{ count: number }[]>`select count(*)::int as count from jobs`
  assert.equal(jobs!.count, 1)
  await hooks.runJobs()
  assert.equal(receiver.requests.length, 5)
  assert.equal(await hooks.deliverer.sweep(), 0)
})

test('with another SECRET_KEY nothing is sent and nothing is lost', async () => {
  await using receiver = await startReceiver()
  await using hooks = await openWebhooks()
  const { endpoint_id, secret } = await hooks.endpoint(receiver.url)
  await hooks.emit(2)
  const wrong = hooks.another({ secretKey: new Secret('another key of more than thirty-two characters') })
  await hooks.runJobs(wrong)
  assert.equal(receiver.requests.length, 0)
  await hooks.db.moveClock('31 seconds')
  await hooks.deliverer.sweep()
  await hooks.runJobs()
  assert.equal(receiver.requests.length, 2)
  for (const request of receiver.requests) assertSigned(request, secret)
  const [endpoint] = await hooks.sql<{ failing_since: Date | null }[]>`
    select failing_since from endpoints where id = ${endpoint_id}`
  assert.equal(endpoint!.failing_since, null)
})

test('an address that became private since is not called', async () => {
  await using receiver = await startReceiver()
  await using hooks = await openWebhooks()
  await hooks.endpoint(receiver.url)
  await hooks.emit()
  await hooks.runJobs(hooks.another({ egress: createEgress({ allow: [] }) }))
  assert.equal(receiver.requests.length, 0)
  const [delivery] = await hooks.deliveries()
  const [attempt] = await readAttempts(hooks.sql, hooks.tenant, delivery!.id)
  assert.deepEqual([attempt!.error, attempt!.status_code], ['refused_address', null])
})

test('attempts are counted by their result, and the first one timed from its event', async () => {
  await using receiver = await startReceiver((_request, rank) => ({ status: rank < 3 ? 200 : 500 }))
  const registry = new Registry()
  await using hooks = await openWebhooks()
  const worker = hooks.another({ registry })
  await hooks.endpoint(receiver.url)
  await hooks.emit(5)
  await hooks.runJobs(worker)
  const text = await registry.metrics()
  assert.match(text, /bandama_webhook_attempts_total\{result="delivered"\} 3\n/)
  assert.match(text, /bandama_webhook_attempts_total\{result="answered_otherwise"\} 2\n/)
  assert.match(text, /bandama_webhook_first_attempt_seconds_count 5\n/)
  assert.match(text, /bandama_webhook_attempts_in_flight 0\n/)
})
