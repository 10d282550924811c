import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actor } from '../../tests/harness/actor.ts'
import { untilWaiting } from '../../tests/harness/hold.ts'
import { startReceiver } from '../../tests/harness/receiver.ts'
import { openWebhooks } from '../../tests/harness/webhooks.ts'
import type { EventType } from './event-types.ts'
import { replayEndpoint } from './replay-endpoint.ts'

const AWA = actor('awa@example.com')

test('deliveries that an endpoint did not take are sent again, while the results of its attempts are written', async () => {
  await using receiver = await startReceiver({ status: 503 })
  await using hooks = await openWebhooks()
  const endpoint = await hooks.endpoint(receiver.url)
  await hooks.emit(3)
  await hooks.runJobs()
  const [first] = await hooks.deliveries()
  await hooks.sql`update deliveries set status = 'failed', next_attempt_at = null where id = ${first!.id}`

  // As one that writes results: deliveries first, and their endpoint after.
  const locked = Promise.withResolvers<void>()
  const lockEndpoint = Promise.withResolvers<void>()
  const writing = hooks.sql.begin(async (tx) => {
    await tx`select from deliveries where id = ${first!.id} for no key update`
    locked.resolve()
    await lockEndpoint.promise
    await tx`update endpoints set failing_since = null where id = ${endpoint.endpoint_id}`
  })
  await locked.promise
  const replaying = replayEndpoint(hooks.sql, endpoint, AWA)
  await untilWaiting(hooks.sql)
  lockEndpoint.resolve()
  await writing
  assert.deepEqual(await replaying, { kind: 'replayed', deliveries: 3 })

  receiver.answer({ status: 200 })
  await hooks.runJobs()
  assert.deepEqual(
    (await hooks.deliveries()).map(({ status }) => status),
    ['delivered', 'delivered', 'delivered'],
  )
})

test('nothing is replayed to a disabled endpoint, nor to one of another merchant', async () => {
  await using receiver = await startReceiver({ status: 503 })
  await using hooks = await openWebhooks()
  const endpoint = await hooks.endpoint(receiver.url)
  await hooks.emit()
  await hooks.runJobs()
  const elsewhere = { ...endpoint, livemode: true }
  assert.deepEqual(await replayEndpoint(hooks.sql, elsewhere, AWA), { kind: 'refused', code: 'resource_not_found' })
  await hooks.disable(endpoint.endpoint_id)
  assert.deepEqual(await replayEndpoint(hooks.sql, endpoint, AWA), { kind: 'refused', code: 'endpoint_disabled' })
  assert.deepEqual(
    (await hooks.deliveries()).map(({ status }) => status),
    ['held'],
  )
})

test('a person sends the events of one kind to one endpoint again, delivered ones too', async () => {
  await using first = await startReceiver({ status: 200 })
  await using second = await startReceiver({ status: 200 })
  await using hooks = await openWebhooks()
  const endpoint = await hooks.endpoint(first.url)
  await hooks.endpoint(second.url)
  await hooks.emit(2)
  await hooks.runJobs()
  const taken = [first.requests.length, second.requests.length]
  const [{ type }] = (await hooks.sql`select type from events limit 1`) as unknown as [{ type: EventType }]
  const filters = { types: [type], subject_ids: null, created_from: null, created_before: null }
  const never = { ...filters, created_before: new Date(0) }
  assert.deepEqual(await replayEndpoint(hooks.sql, endpoint, AWA, never), { kind: 'replayed', deliveries: 0 })
  assert.deepEqual(await replayEndpoint(hooks.sql, endpoint, AWA, filters), { kind: 'replayed', deliveries: 2 })
  await hooks.runJobs()
  assert.deepEqual([first.requests.length, second.requests.length], [taken[0]! + 2, taken[1]])
})
