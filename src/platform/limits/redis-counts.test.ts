import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { Registry } from 'prom-client'
import { freePort } from '../../../tests/harness/free-port.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { createClock } from '../clock.ts'
import { createLog } from '../log.ts'
import { createLimits, type Hit, type Limits } from './windows.ts'

const url = process.env.TEST_REDIS_URL ?? ''
const skip = url === '' ? 'TEST_REDIS_URL is not set: there is no Redis to share counts through' : false

const secret = Buffer.alloc(32, 1)
const NOON = Date.UTC(2026, 7, 25, 12)

type Counted = Limits & { registry: Registry }

/** The limits of one process, at a time that does not move, closed at the end of the test. */
async function openLimits(t: TestContext, redisUrl = url, max = 5): Promise<Counted> {
  const registry = new Registry()
  const limits = createLimits({
    redis_url: redisUrl,
    payer_attempts: { max, window_seconds: 600, secret },
    clock: { ...createClock(), now: () => new Date(NOON), milliseconds: () => NOON },
    log: createLog('silent', 'test'),
    registry,
  })
  t.after(() => limits.close())
  await limits.ready()
  return { ...limits, registry }
}

/** A line to Redis that a test can cut or fill with silence. */
class Line {
  #server: Server | null = null
  #sockets = new Set<Socket>()
  #port: number
  #silent = false

  constructor(port: number) {
    this.#port = port
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`
  }

  open(): Promise<void> {
    const target = new URL(url)
    const server = createServer((near) => {
      const far = connect(Number(target.port || 6379), target.hostname)
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => other.destroy())
        socket.on('data', (bytes) => this.#silent || other.write(bytes))
      }
    })
    this.#server = server
    return new Promise((resolve) => void server.listen(this.#port, '127.0.0.1', resolve))
  }

  silence(silent: boolean): void {
    this.#silent = silent
  }

  cut(): void {
    this.#server?.close()
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }
}

async function openLine(t: TestContext): Promise<Line> {
  const line = new Line(await freePort())
  await line.open()
  t.after(() => line.cut())
  return line
}

/** Milliseconds that something took, less those by which a timer beside it was late because this process had no turn. */
async function timed<Result>(work: () => Result | Promise<Result>): Promise<{ result: Result; took: number }> {
  const began = performance.now()
  const late = sleep(50).then(() => performance.now() - began - 50)
  const result = await work()
  const took = performance.now() - began
  return { result, took: took - (await late) }
}

/**
 * Counts through Redis, afresh until no question to it was given up: a Redis that had no turn for 50 ms is counted without,
 * which is another promise.
 */
async function unhurried<Result>(of: readonly Counted[], count: () => Promise<Result>): Promise<Result> {
  for (let round = 0; ; round += 1) {
    const before = await failuresOf(of)
    const result = await count()
    if (round === 4 || (await failuresOf(of)) === before) return result
    await waitFor(async () => of.every((limits) => limits.hit('key', randomUUID(), 1) instanceof Promise), {
      what: 'Redis to be used again',
    })
  }
}

async function failuresOf(of: readonly Counted[]): Promise<string> {
  const told = await Promise.all(of.map(({ registry }) => registry.metrics()))
  return told.map((text) => /^bandama_limits_redis_failures_total (\d+)/m.exec(text)?.[1]).join()
}

test('two processes together let exactly the cap pass', { skip }, async (t) => {
  const processes = [await openLimits(t), await openLimits(t)]
  const hits = await unhurried(processes, () => {
    const id = randomUUID()
    return Promise.all(Array.from({ length: 600 }, (_, at) => processes[at % 2]!.hit('key', id, 300)))
  })
  assert.equal(hits.filter((hit) => hit.passed).length, 300)
  assert.deepEqual(new Set(hits.filter((hit) => hit.passed).map((hit) => hit.remaining)).size, 300)
})

test('of the calls that two processes take exactly the cap passes, and one given back passes in the other', {
  skip,
}, async (t) => {
  const processes = [await openLimits(t), await openLimits(t)]
  const [one, two] = processes as [Counted, Counted]
  const passed = await unhurried(processes, async () => {
    const id = randomUUID()
    const take = (by: Counted) => by.take('sign_in', id, 10)
    const taken = await Promise.all(Array.from({ length: 10 }, (_, at) => take(at % 2 ? one : two)))
    const more = [await take(one)]
    await taken[0]?.()
    more.push(await take(two), await take(one))
    return [...taken, ...more].map((giveBack) => giveBack !== null)
  })
  assert.deepEqual(passed, [...Array(10).fill(true), false, true, false])
})

test('a process sees the count of another without counting itself', { skip }, async (t) => {
  const [one, two] = [await openLimits(t), await openLimits(t)] as const
  const remaining = await unhurried([one, two], async () => {
    const id = randomUUID()
    const look = async () => (await two.look('key', id, 10)).remaining
    const before = await look()
    await one.hit('key', id, 10)
    return [before, await look(), await look()]
  })
  assert.deepEqual(remaining, [10, 9, 9])
})

test('a count in Redis expires by itself, and not before its minute ends', { skip }, async (t) => {
  const limits = await openLimits(t)
  const id = randomUUID()
  await limits.hit('address', id, 300)
  const redis = new Redis(url)
  t.after(() => redis.disconnect())
  const seconds = await redis.ttl(`limit:address:${NOON / 60_000}:${id}`)
  assert.ok(seconds > 60 && seconds <= 120, `${seconds} s`)
})

test('the attempts of a payer are counted over all processes, and no number reaches Redis', { skip }, async (t) => {
  const [one, two] = [await openLimits(t), await openLimits(t)]
  let number = ''
  const taken = await unhurried([one, two], () => {
    // A number nobody else has tried: the last digits are drawn.
    number = `07${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`
    const msisdn = Msisdn.stored(`+225${number}`)
    return Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 ? one : two).payerAttempts.take(false, msisdn)))
  })
  assert.equal(taken.filter((passed) => passed).length, 5)
  const redis = new Redis(url)
  t.after(() => redis.disconnect())
  const keys = await redis.keys('*')
  assert.ok(keys.some((key) => key.startsWith('attempts:')))
  assert.deepEqual(
    keys.filter((key) => key.includes(number.slice(2))),
    [],
  )
})

test('an attempt given back by one process may be made through another, once', { skip }, async (t) => {
  const [one, two] = [await openLimits(t, url, 1), await openLimits(t, url, 1)]
  const taken = await unhurried([one, two], async () => {
    const msisdn = Msisdn.stored(`+22507${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`)
    const take = (by: Counted) => by.payerAttempts.take(false, msisdn)
    await one.payerAttempts.giveBack(false, msisdn)
    const before = [await take(one), await take(two)]
    for (let times = 0; times < 3; times += 1) await one.payerAttempts.giveBack(false, msisdn)
    await waitFor(() => take(two), { what: 'the attempt' })
    return [...before, await take(one)]
  })
  assert.deepEqual(taken, [true, false, false])
})

test('a Redis that is killed is replaced by memory at once, and used again when it is back', { skip }, async (t) => {
  const line = await openLine(t)
  const [limits, other] = [await openLimits(t, line.url), await openLimits(t)]
  const id = randomUUID()
  await other.hit('key', id, 10)
  assert.equal((await limits.hit('key', id, 10)).remaining, 8)

  line.cut()
  for (let left = 9; left >= 0; left -= 1) {
    const { result, took } = await timed(() => limits.hit('key', id, 10))
    assert.equal(result.remaining, left)
    assert.ok(took < 150, `${took} ms`)
  }
  assert.equal((await limits.hit('key', id, 10)).passed, false)
  assert.equal(limits.hit('key', id, 10) instanceof Promise, false)

  await line.open()
  const back = await waitFor(
    async () => {
      const hit = await limits.hit('key', id, 10)
      return hit.passed && hit
    },
    { what: 'Redis' },
  )
  assert.equal(back.remaining, 7)
})

test('a Redis that falls silent holds up a request by 50 ms, and the next ones not at all', { skip }, async (t) => {
  const line = await openLine(t)
  const limits = await openLimits(t, line.url)
  const id = randomUUID()
  await limits.hit('key', id, 1_000)
  line.silence(true)
  const first = await Promise.all(Array.from({ length: 50 }, () => timed(() => limits.hit('key', id, 1_000))))
  assert.ok(
    first.every(({ took }) => took < 150),
    `${Math.max(...first.map(({ took }) => took))} ms`,
  )
  assert.equal(Math.min(...first.map(({ result }) => result.remaining)), 950)
  // For three seconds, in which the silent connection is given up and others are tried, nobody waits.
  const end = performance.now() + 3_000
  while (performance.now() < end) {
    assert.equal(limits.hit('key', id, 1_000_000) instanceof Promise, false)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  line.silence(false)
  await waitFor(() => limits.hit('key', id, 1_000) instanceof Promise, { what: 'Redis' })
  assert.match(await limits.registry.metrics(), /bandama_limits_redis_failures_total 50\b/)
})

test('without its Redis the service starts all the same, within about a second', { skip }, async (t) => {
  const line = await openLine(t)
  line.cut()
  const { result: limits, took } = await timed(() => openLimits(t, line.url))
  assert.ok(took < 5_000, `${took} ms`)
  assert.equal((limits.hit('key', 'a', 1) as Hit).passed, true)
})
