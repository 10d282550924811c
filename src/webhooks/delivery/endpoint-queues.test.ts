import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownTime } from '../../../tests/harness/own-time.ts'
import { createLog } from '../../platform/log.ts'
import type { EndpointQueue } from './endpoint-queue.ts'
import { type Attempted, EndpointQueues } from './endpoint-queues.ts'

const endpoint = (name: string) => ({ merchant_id: 1, livemode: false, endpoint_id: name })
const log = createLog('silent', 'test')
const written = Promise.resolve()
const succeeded: Attempted = { outcome: 'succeeded', duration_ms: 5, written }
const failed: Attempted = { outcome: 'failed', duration_ms: 5, written }
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Queues over so many due things for each endpoint, with what was given back. */
function openQueues(due: number, attempt: (queue: EndpointQueue<number>, item: number) => Promise<Attempted>) {
  const left = new Map<string, number[]>()
  const dueFor = (queue: EndpointQueue<number>) => {
    const { endpoint_id } = queue.endpoint
    if (!left.has(endpoint_id)) left.set(endpoint_id, [...Array(due).keys()])
    return left.get(endpoint_id)!
  }
  const givenBack: number[] = []
  let takes = 0
  const queues = new EndpointQueues<number>({
    async take(queue, slots) {
      takes += 1
      await turn()
      return dueFor(queue)
        .splice(0, slots)
        .map((item) => ({ item, taken_at: performance.now() }))
    },
    async giveBack(items) {
      givenBack.push(...items)
    },
    attempt,
    log,
  })
  return { queues, givenBack, left, takes: () => takes }
}

test('two hundred endpoints that hang do not slow down eight hundred good ones', async () => {
  const release = Promise.withResolvers<Attempted>()
  let hanging = 0
  let done = 0
  const { queues } = openQueues(50, async (queue) => {
    if (queue.endpoint.endpoint_id.startsWith('hangs')) {
      hanging += 1
      return release.promise
    }
    await turn()
    done += 1
    return succeeded
  })
  await Promise.all(Array.from({ length: 200 }, (_, at) => queues.wake(endpoint(`hangs ${at}`))))
  await Promise.all(Array.from({ length: 800 }, (_, at) => queues.wake(endpoint(`good ${at}`))))
  while (done < 800 * 50) await turn()
  assert.equal(hanging, 400, 'two for each')
  assert.equal(queues.underWay(), 400)
  release.resolve(succeeded)
  await queues.idle()
})

test('when the whole process is busy, queues have their turn one after the other', async () => {
  const gates: PromiseWithResolvers<Attempted>[] = []
  const started = new Map<string, number>()
  const { queues } = openQueues(4, async ({ endpoint: { endpoint_id } }) => {
    started.set(endpoint_id, (started.get(endpoint_id) ?? 0) + 1)
    const gate = Promise.withResolvers<Attempted>()
    gates.push(gate)
    return gate.promise
  })
  await Promise.all(Array.from({ length: 600 }, (_, at) => queues.wake(endpoint(`${at}`))))
  assert.equal(queues.underWay(), 1_000)
  assert.equal(started.size, 500)
  for (let tried = 0; tried < gates.length; tried += 1) {
    gates[tried]!.resolve(succeeded)
    await turn()
    assert.ok(queues.underWay() <= 1_000)
  }
  await queues.idle()
  assert.equal(started.size, 600)
  assert.ok([...started.values()].every((count) => count === 4))
})

test('beyond eight at once an endpoint has one more with each round of fast answers, and eight again when they grow slow', async () => {
  let duration_ms = 5
  let slow = 0
  let open = 0
  let most = 0
  let answered = 0
  const { queues } = openQueues(10_000, async () => {
    open += 1
    most = Math.max(most, open)
    await turn()
    open -= 1
    answered += 1
    if (slow === 0) return { outcome: 'succeeded', duration_ms, written }
    slow -= 1
    return { outcome: 'succeeded', duration_ms: 1_400, written }
  })
  void queues.wake(endpoint('a'))
  while (answered < 6) await turn()
  assert.equal(most, 8)
  while (answered < 100) await turn()
  assert.ok(most > 10 && most < 20, `${most} after a hundred`)
  while (answered < 1_000) await turn()
  assert.equal(most, 32)
  slow = 2
  while (slow > 0) await turn()
  most = 0
  while (answered < 1_100) await turn()
  assert.equal(most, 32, 'two slow answers are not the mean')
  duration_ms = 600
  while (answered < 1_300) await turn()
  most = 0
  while (answered < 2_000) await turn()
  assert.ok(most > 4 && most <= 8, `${most} when slow`)
  await queues.close()
})

test('forty endpoints that had thirty-two at once and hang together leave room for the others', async () => {
  const release = Promise.withResolvers<Attempted>()
  const answered = new Map<string, number>()
  let hanging = false
  const { queues } = openQueues(2_000, async ({ endpoint: { endpoint_id } }) => {
    if (hanging && endpoint_id !== 'good') return release.promise
    await turn()
    answered.set(endpoint_id, (answered.get(endpoint_id) ?? 0) + 1)
    return succeeded
  })
  const names = Array.from({ length: 40 }, (_, at) => `hangs ${at}`)
  for (const name of names) void queues.wake(endpoint(name))
  while (!names.every((name) => (answered.get(name) ?? 0) > 600)) await turn()
  hanging = true
  // Each attempt that does not hang ends in a turn.
  for (let turns = 0; turns < 200; turns += 1) await turn()
  assert.ok(queues.underWay() >= 500 && queues.underWay() < 900, `${queues.underWay()} hang`)
  void queues.wake(endpoint('good'))
  while ((answered.get('good') ?? 0) < 2_000) await turn()
  release.resolve(failed)
  await queues.close()
})

test('a fast endpoint has dozens of attempts taken at once; after a failure the untried ones are given back', async () => {
  let answer = succeeded
  const { queues, givenBack, left, takes } = openQueues(1_000, async () => {
    await turn()
    return answer
  })
  void queues.wake(endpoint('a'))
  while ((left.get('a')?.length ?? 1_000) > 500) await turn()
  assert.ok(takes() < 20, `asked ${takes()} times for 500`)
  answer = failed
  const before = givenBack.length
  while (givenBack.length === before) await turn()
  assert.ok(givenBack.length >= 8, `${givenBack.length}`)
  await queues.close()
})

test('deliveries that are being claimed when the process stops go back untried', async () => {
  let tried = 0
  const { queues, givenBack } = openQueues(10, async () => {
    tried += 1
    return succeeded
  })
  void queues.wake(endpoint('a'))
  await queues.close()
  assert.equal(tried, 0)
  assert.deepEqual(givenBack, [0, 1])
  await assert.rejects(queues.wake(endpoint('a')), /stops/)
})

test('a wake-up during the last look causes another look', async () => {
  const looks = [[], [7]]
  const tried: number[] = []
  const waiting: (() => void)[] = []
  const queues = new EndpointQueues<number>({
    async take() {
      const found = looks.shift() ?? []
      await new Promise<void>((resolve) => waiting.push(resolve))
      return found.map((item) => ({ item, taken_at: performance.now() }))
    },
    giveBack: async () => {},
    async attempt(_queue, item) {
      tried.push(item)
      return succeeded
    },
    log,
  })
  const first = queues.wake(endpoint('a'))
  const second = queues.wake(endpoint('a'))
  const ticking = setInterval(() => {
    for (const resolve of waiting.splice(0)) resolve()
  }, 1)
  await Promise.all([first, second])
  await queues.idle()
  clearInterval(ticking)
  assert.deepEqual(tried, [7])
})

test('an endpoint that fails is left alone for longer and longer, nobody waits for it, and a success ends the pause at once', async (t) => {
  const pass = ownTime(t)
  let answer = failed
  let tried = 0
  const { queues, takes } = openQueues(1_000, async () => {
    tried += 1
    return answer
  })
  const attempts = async (count: number) => {
    while (tried < count) await turn()
  }
  await queues.wake(endpoint('a'))
  await attempts(2)
  for (let call = 0; call < 100; call += 1) await queues.wake(endpoint('a'))
  assert.deepEqual([takes(), tried], [1, 2], 'calls during the pause take nothing and return')
  for (const [ms, before] of [
    [100, 2],
    [200, 4],
    [400, 6],
  ] as const) {
    await pass(ms - 1)
    assert.equal(tried, before, `before ${ms} ms`)
    await pass(1)
    await attempts(before + 2)
  }

  answer = succeeded
  await pass(800)
  // The rest goes without a pause: no time passes.
  await attempts(1_000)
  await queues.idle()
})

test('an attempt that succeeds ends the pause that another one began', async (t) => {
  // No time passes, so no pause ends by itself.
  ownTime(t)
  const underWay: PromiseWithResolvers<Attempted>[] = []
  const { queues } = openQueues(1_000, async () => {
    const gate = Promise.withResolvers<Attempted>()
    underWay.push(gate)
    return gate.promise
  })
  await queues.wake(endpoint('a'))
  for (let round = 0; round < 50; round += 1) {
    while (underWay.length < 2) await turn()
    const [good, ...bad] = underWay.splice(0)
    for (const gate of bad) gate.resolve(failed)
    await turn()
    good!.resolve(succeeded)
  }
  const closed = queues.close()
  for (const gate of underWay) gate.resolve(failed)
  await closed
})

test('a fault of ours stops the queue and not the process, and the next call starts it again', async () => {
  let broken = true
  let tried = 0
  const { queues } = openQueues(6, async () => {
    if (broken) throw new Error('no key')
    tried += 1
    return succeeded
  })
  await queues.wake(endpoint('a'))
  await queues.idle()
  assert.equal(tried, 0)
  broken = false
  await queues.wake(endpoint('a'))
  await queues.idle()
  assert.ok(tried >= 2, `${tried}`)
})
