import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from '../../../tests/harness/receiver.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { assertSigned, openWebhooks, payments, readAttempts } from '../../../tests/harness/webhooks.ts'
import { machineMilliseconds } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { bindJob, startWorker } from '../../platform/queue/worker.ts'
import { emitEvents } from '../emit.ts'
import { deliverJob, deliverNewJob } from '../jobs.ts'
import { replayEvent } from '../replay.ts'
import { RETRY_DELAYS_SECONDS } from './retry-schedule.ts'

/** Moves the clock to a few seconds before, then to just after, the next attempt, and runs what is due. Returns the wait. */
async function liveThroughNextWait(hooks: Awaited<ReturnType<typeof openWebhooks>>, movedBy: { seconds: number }) {
  const [delivery] = await hooks.deliveries()
  const wait = delivery!.wait_seconds!
  const before = delivery!.attempts
  await hooks.db.moveClock(`${movedBy.seconds + wait - 6} seconds`)
  assert.equal(await hooks.deliverer.sweep(), 0, 'not yet due')
  movedBy.seconds += wait + 0.1
  await hooks.db.moveClock(`${movedBy.seconds} seconds`)
  await hooks.deliverer.sweep()
  await hooks.runJobs()
  assert.equal((await hooks.deliveries())[0]!.attempts, before + 1)
  return wait
}

test('an endpoint that always fails is tried on the schedule over three days, then not; and can be told again', async () => {
  await using receiver = await startReceiver({ status: 503 })
  let chance = 0
  await using hooks = await openWebhooks({ random: () => (chance = (chance + 0.31) % 1) })
  const { secret } = await hooks.endpoint(receiver.url)
  const [id] = await hooks.emit()
  await hooks.runJobs()

  const movedBy = { seconds: 0 }
  const waits: number[] = []
  for (const delay of RETRY_DELAYS_SECONDS) {
    const wait = await liveThroughNextWait(hooks, movedBy)
    // The measured wait lacks the time between the write and our read.
    assert.ok(wait > delay * 0.9 - 2 && wait <= delay * 1.1, `${wait} s for ${delay} s`)
    waits.push(wait)
  }
  assert.ok(new Set(waits.map((wait, at) => Math.round((wait / RETRY_DELAYS_SECONDS[at]!) * 50))).size > 3, 'spread')
  const [delivery] = await hooks.deliveries()
  assert.deepEqual([delivery!.status, delivery!.attempts, delivery!.next_attempt_at], ['failed', 13, null])
  assert.equal((await readAttempts(hooks.sql, hooks.tenant, delivery!.id)).length, 13)

  assert.equal(receiver.requests.length, 13)
  for (const request of receiver.requests) {
    assertSigned(request, secret)
    assert.equal(request.headers['service-event-id'], id)
    assert.deepEqual(request.body, receiver.requests[0]!.body)
  }

  receiver.answer({ status: 500 })
  const replayed = await replayEvent(hooks.sql, hooks.tenant, id!)
  assert.ok(replayed.kind === 'replayed')
  await hooks.runJobs()
  const [again] = await hooks.deliveries()
  assert.deepEqual([again!.status, again!.attempts, again!.scheduled_attempts], ['pending', 14, 1])
  assert.ok(Math.abs(again!.wait_seconds! - 10) <= 1.5, 'a whole new schedule')
  receiver.answer({ status: 200 })
  await liveThroughNextWait(hooks, movedBy)
  assert.equal((await hooks.deliveries())[0]!.status, 'delivered')
  assertSigned(receiver.requests.at(-1)!, secret)
  assert.deepEqual(receiver.requests.at(-1)!.body, receiver.requests[0]!.body)
})

test('the job of a retry comes when the retry is due, and many of one endpoint share it', async () => {
  await using receiver = await startReceiver({ status: 500 })
  await using hooks = await openWebhooks()
  await hooks.endpoint(receiver.url)
  await hooks.emit(30)
  await hooks.runJobs()
  const jobs = await hooks.sql<{ late: number }[]>`
    select extract(epoch from j.run_at - d.first_due)::float8 as late
      from jobs j, (select min(next_attempt_at) as first_due from deliveries) d`
  assert.ok(jobs.length >= 1 && jobs.length < 30, `${jobs.length} jobs`)
  for (const { late } of jobs) assert.ok(late >= 0 && late < 5, `${late} s after`)
  const [alone] = await hooks.sql<{ count: number }[]>`
    select count(*)::int as count
      from deliveries d
     where not exists (select from jobs j where j.run_at >= d.next_attempt_at)`
  assert.equal(alone!.count, 0)
})

test('410 ends nothing: the event is tried again and delivered once the receiver takes it', async () => {
  await using receiver = await startReceiver((_request, rank) => ({ status: rank < 2 ? 410 : 200 }))
  await using hooks = await openWebhooks()
  await hooks.endpoint(receiver.url)
  await hooks.emit()
  await hooks.runJobs()
  const movedBy = { seconds: 0 }
  for (const delay of RETRY_DELAYS_SECONDS.slice(0, 2)) {
    const wait = await liveThroughNextWait(hooks, movedBy)
    assert.ok(wait > delay - 2 && wait <= delay, `${wait} s for ${delay} s`)
  }
  const [delivery] = await hooks.deliveries()
  assert.deepEqual([delivery!.status, delivery!.attempts], ['delivered', 3])
})

test('a receiver gets no attempt before the time in its Retry-After', async () => {
  await using receiver = await startReceiver({ status: 429, headers: { 'retry-after': '25' } })
  await using hooks = await openWebhooks()
  await hooks.endpoint(receiver.url)
  await hooks.emit()
  await hooks.runJobs()
  const [delivery] = await hooks.deliveries()
  assert.ok(delivery!.wait_seconds! > 23 && delivery!.wait_seconds! <= 25, `${delivery!.wait_seconds}`)
})

test('an endpoint that has only failed for five days is disabled and its events kept until it is enabled', async () => {
  await using receiver = await startReceiver({ status: 500 })
  await using hooks = await openWebhooks()
  const { endpoint_id } = await hooks.endpoint(receiver.url)
  const endpoint = async () => {
    const [row] = await hooks.sql<{ status: string; failing_since: Date | null }[]>`
      select status, failing_since from endpoints where id = ${endpoint_id}`
    return row!
  }
  await hooks.emit()
  await hooks.runJobs()
  assert.notEqual((await endpoint()).failing_since, null)

  // One success in between, and the five days start anew.
  await hooks.db.moveClock('3 days')
  receiver.answer({ status: 200 })
  await hooks.emit()
  await hooks.runJobs()
  assert.equal((await endpoint()).failing_since, null)
  receiver.answer({ status: 500 })
  await hooks.sql`select make_log_days('delivery_attempts', null, 15)`
  await hooks.emit()
  await hooks.runJobs()
  await hooks.db.moveClock('7 days 23 hours')
  await hooks.emit(2)
  await hooks.runJobs()
  assert.equal((await endpoint()).status, 'enabled')

  await hooks.db.moveClock('8 days 1 minute')
  await hooks.emit()
  await hooks.runJobs()
  assert.equal((await endpoint()).status, 'disabled')
  // An attempt that was on its way meanwhile may still have planned its next one: the sweep holds that too.
  await hooks.deliverer.sweep()
  const waiting = (await hooks.deliveries()).filter(({ status }) => status !== 'delivered')
  assert.deepEqual(
    waiting.map(({ status, next_attempt_at }) => [status, next_attempt_at]),
    [1, 2, 3, 4].map(() => ['held', null]),
  )

  const sent = receiver.requests.length
  await hooks.emit()
  await hooks.deliverer.sweep()
  await hooks.runJobs()
  assert.equal(receiver.requests.length, sent, 'a disabled endpoint is not called')

  receiver.answer({ status: 200 })
  assert.equal((await hooks.enable(endpoint_id)).kind, 'done')
  await hooks.runJobs()
  assert.equal(receiver.requests.length, sent + waiting.length + 1)
  const told = await hooks.deliveries()
  assert.ok(told.every(({ status }) => status === 'delivered'))
  const held = told.filter(({ id }) => waiting.some((delivery) => delivery.id === id))
  assert.ok(
    held.every(({ scheduled_attempts }) => scheduled_attempts === 1),
    'each on a whole new schedule',
  )
  assert.deepEqual(await endpoint(), { status: 'enabled', failing_since: null })
})

test('a delivery under way when its endpoint is disabled is held, or delivered if it arrived', async () => {
  await using hooks = await openWebhooks()
  let endpoint_id = ''
  await using receiver = await startReceiver(({ body }) => ({
    status: body.toString().includes('"txn_0"') ? 200 : 500,
    delay_ms: 100,
  }))
  endpoint_id = (await hooks.endpoint(receiver.url)).endpoint_id
  await hooks.emit(2)
  const running = hooks.runJobs()
  await waitFor(() => receiver.requests.length === 2)
  await hooks.disable(endpoint_id)
  await running
  const deliveries = await hooks.deliveries()
  assert.deepEqual(deliveries.map(({ status, attempts }) => [status, attempts]).sort(), [
    ['delivered', 1],
    ['held', 1],
  ])
})

test('an event written while its endpoint was being enabled is freed by the sweep', async () => {
  await using receiver = await startReceiver()
  await using hooks = await openWebhooks()
  const { endpoint_id } = await hooks.endpoint(receiver.url)
  await hooks.disable(endpoint_id)
  await hooks.sql.begin(async (tx) => {
    await emitEvents(tx, payments(hooks.tenant, 2), hooks.clock.now())
    await hooks.enable(endpoint_id)
  })
  await hooks.runJobs()
  assert.equal(receiver.requests.length, 0)
  await hooks.deliverer.sweep()
  await hooks.runJobs()
  assert.equal(receiver.requests.length, 2)
})

test('a replay sends an event to each of its endpoints, delivered or not; a disabled one gets it later', async () => {
  await using receiver = await startReceiver()
  await using hooks = await openWebhooks()
  const first = await hooks.endpoint(`${receiver.url}/1`)
  const second = await hooks.endpoint(`${receiver.url}/2`)
  const [id] = await hooks.emit()
  await hooks.runJobs()
  assert.equal(receiver.requests.length, 2)

  await hooks.disable(second.endpoint_id)
  const replayed = await replayEvent(hooks.sql, hooks.tenant, id!)
  assert.ok(replayed.kind === 'replayed')
  assert.deepEqual(replayed.deliveries.map(({ status }) => status).sort(), ['held', 'pending'])
  await hooks.runJobs()
  assert.equal(receiver.requests.length, 3)
  assertSigned(receiver.requests[2]!, first.secret)
  assert.deepEqual(receiver.requests[2]!.body, receiver.requests[0]!.body)
  await hooks.enable(second.endpoint_id)
  await hooks.runJobs()
  assert.equal(receiver.requests[3]!.path, '/2')
})

test('a merchant cannot replay events or switch endpoints of another merchant or mode', async () => {
  await using hooks = await openWebhooks()
  const { endpoint_id } = await hooks.endpoint('http://127.0.0.1:9/')
  const [id] = await hooks.emit()
  const [delivery] = await hooks.deliveries()
  const { merchant_id } = hooks.tenant
  for (const tenant of [
    { merchant_id, livemode: true },
    { merchant_id: merchant_id + 1, livemode: false },
  ]) {
    const results = [
      await replayEvent(hooks.sql, tenant, id!),
      await hooks.disable(endpoint_id, tenant),
      await hooks.enable(endpoint_id, tenant),
    ]
    for (const result of results) assert.deepEqual(result, { kind: 'refused', code: 'resource_not_found' })
  }
  const [after] = await hooks.deliveries()
  assert.deepEqual({ ...after, wait_seconds: 0 }, { ...delivery, wait_seconds: 0 })
})

test('with the queue running, an event is sent at once and its retry when it is due', async () => {
  await using receiver = await startReceiver((_request, rank) => ({ status: rank === 0 ? 500 : 200 }))
  // The first retry after nine seconds rather than ten: this test waits for the queue's own time.
  await using hooks = await openWebhooks({ random: () => 0 })
  const { secret } = await hooks.endpoint(receiver.url)
  const log = createLog('silent', 'test')
  const worker = await startWorker({
    sql: hooks.db.sql,
    jobs: [bindJob(deliverJob, hooks.deliverer.deliver), bindJob(deliverNewJob, hooks.deliverer.deliverNew)],
    log,
  })
  try {
    const emitted_at = machineMilliseconds()
    await hooks.emit()
    await waitFor(() => receiver.requests.length === 1, { what: 'the first attempt' })
    assert.ok(receiver.requests[0]!.at - emitted_at < 2_000, `${receiver.requests[0]!.at - emitted_at} ms`)
    await waitFor(() => receiver.requests.length === 2, { what: 'the retry' })
    const wait = receiver.requests[1]!.at - receiver.requests[0]!.at
    assert.ok(wait >= 8_900 && wait < 13_000, `${wait} ms`)
    for (const request of receiver.requests) assertSigned(request, secret)
    await hooks.deliverer.idle()
    assert.equal((await hooks.deliveries())[0]!.status, 'delivered')
  } finally {
    await worker.stop()
  }
})
