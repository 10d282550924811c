import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { machineMilliseconds } from '../../src/platform/clock.ts'
import { openTestDatabase } from '../harness/database.ts'
import { installOn } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { openSeed, type Seed } from '../harness/seed.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'

const redis = process.env.TEST_REDIS_URL ?? ''
const skip = redis === '' ? 'TEST_REDIS_URL is not set: there is no Redis to share counts through' : false

const RATE = 300
const CALLS = 400
const MINUTE_MS = 60_000
/** All calls are made within this, so that they fall into one minute of the clock. */
const CALLS_MS = 15_000
/** A Redis that is slower than a request can wait is left aside, and each process counts alone: then it tells nothing. */
const ROUNDS = 10

test('two API processes together admit exactly the rate of a key', { skip, timeout: 300_000 }, async (t) => {
  const seed = openSeed(t)
  await using db = await openTestDatabase()
  const installation = await installOn(db.url, {
    REDIS_URL: redis,
    RATE_PER_KEY: String(RATE),
    RATE_PER_ADDRESS: '1000000',
  })
  await using first = await installation.start({ args: ['--only', 'api'] })
  await using second = await installation.start({ args: ['--only', 'api'], env: { PORT: '0' } })
  const services = [first, second]
  for (let round = 1; ; round += 1) {
    const { key } = await newMerchant(db.sql, { commission: 100 })
    await untilMinuteLeaves(CALLS_MS)
    await waitFor(() => shareCounts(services), { what: 'shared counts' })
    const before = timesAlone(services)
    const began = performance.now()
    const answers = await callTogether([first.address, second.address], key, seed)
    if (timesAlone(services) > before && round < ROUNDS) continue
    assert.ok(performance.now() - began < CALLS_MS, 'all calls were made in one minute')
    const passed = answers.filter(({ status }) => status === 404)
    const refused = answers.filter(({ status }) => status === 429)
    assert.deepEqual([passed.length, refused.length], [RATE, CALLS - RATE])
    assert.ok(new Set(passed.map(({ process }) => process)).size === 2, 'both processes let some pass')
    assert.ok(refused.every(({ remaining }) => remaining === '0'))
    return
  }
})

/** How often one of these processes began to count without the other, its Redis being too slow. */
function timesAlone(services: readonly Service[]): number {
  return services
    .map((service) => service.output().split('limits: Redis unavailable').length - 1)
    .reduce((a, b) => a + b)
}

/** Whether they count together now. Asked with a call to each, because it is by calls that they notice. */
async function shareCounts(services: readonly Service[]): Promise<boolean> {
  await Promise.all(services.map(({ address }) => fetch(`${address}/v1-payments/txn_none`)))
  return services.every((service) => {
    const said = service.output()
    return said.lastIndexOf('limits: Redis unavailable') <= said.lastIndexOf('limits: Redis available again')
  })
}

async function untilMinuteLeaves(milliseconds: number): Promise<void> {
  const left = MINUTE_MS - (machineMilliseconds() % MINUTE_MS)
  // And a little more, because the service goes by the database's clock.
  if (left < milliseconds + 1_000) await sleep(left + 500)
}

/** All calls at once, shared out between the processes by chance. */
async function callTogether(addresses: readonly string[], key: string, seed: Seed) {
  const pools = addresses.map((address) => new Pool(address, { connections: 100, pipelining: 1 }))
  try {
    // Connections first: four hundred at once would keep a busy machine from hearing its Redis.
    await Promise.all(pools.flatMap((pool) => Array.from({ length: 100 }, () => greet(pool))))
    return await Promise.all(
      Array.from({ length: CALLS }, async () => {
        const process = seed.between(0, pools.length - 1)
        const { statusCode, headers, body } = await pools[process]!.request({
          method: 'GET',
          path: '/v1-payments/txn_none',
          headers: { authorization: `Bearer ${key}` },
        })
        await body.dump()
        return { process, status: statusCode, remaining: headers['ratelimit-remaining'] }
      }),
    )
  } finally {
    await Promise.all(pools.map((pool) => pool.close()))
  }
}

async function greet(pool: Pool): Promise<void> {
  const { body } = await pool.request({ method: 'GET', path: '/healthz' })
  await body.dump()
}
