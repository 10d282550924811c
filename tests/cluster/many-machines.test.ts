import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { newPayoutMerchant } from '../faults/payout-merchant.ts'
import { openTestDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { installOn, type KeptInstallation } from '../harness/installation.ts'
import { addEndpoint, newMerchant } from '../harness/merchant.ts'
import { checkMoney, checkPayouts, waitForEnds, waitForPayouts } from '../harness/oracle.ts'
import { startReceiver } from '../harness/receiver.ts'
import { openSeed } from '../harness/seed.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkAcknowledged, checkEvents, eventsUnderWay } from './many-machines-books.ts'
import { type BalancedLoad, startBalancedLoad } from './many-machines-load.ts'

const redis = process.env.TEST_REDIS_URL ?? ''
const skip = redis === '' ? 'TEST_REDIS_URL is not set: there is no Redis to share counts through' : false

const CLIENTS = 24
const PAUSE_MS = 120
/** The test may use a kept connection once more before it notices that the other end is dead. */
const HEARD_MS = 100
/** The time after the last kill within which all work ends by itself. A delivery that a dead worker held waits half of it. */
const RECOVERY_MS = 60_000

test('after a kill of one of two API and one of two worker machines under load, only the requests that they were answering fail, and nothing is lost or done twice', {
  skip,
  timeout: 115_000,
}, async (t) => {
  const seed = openSeed(t)
  await using db = await openTestDatabase()
  const { sql } = db
  await using receiver = await startReceiver()
  const installation = await installOn(db.url, { REDIS_URL: redis })
  const merchant = await newMerchant(sql, {
    commission: 100,
    endpoint: { url: receiver.url, secret_key: installation.secret_key },
  })
  const payer = await newPayoutMerchant(sql, { funds: 1_000_000_000 })
  await addEndpoint(sql, payer, { url: receiver.url, secret_key: installation.secret_key })
  await using machines = new Machines(installation)
  const [first, second] = [await machines.startApi(await freePort()), await machines.startApi(await freePort())]
  const [worker, other] = [await machines.startWorker(), await machines.startWorker()]
  const load = startBalancedLoad({
    addresses: [first.address, second.address],
    seed,
    collector: merchant.key,
    payer,
    clients: CLIENTS,
    pause_ms: PAUSE_MS,
  })
  await using _stopped = { [Symbol.asyncDispose]: load.stop }
  await goOn(load)

  // Kills a worker during its jobs. The other worker goes on, and does the jobs that the dead one held.
  const killed = await killInTheMiddle(sql, worker)
  const done = await countEnds(sql)
  await waitFor(async () => (await countEnds(sql)) > done, { what: 'the other worker' })
  await machines.startWorker()

  // Kills an API process during its requests.
  await goOn(load)
  await waitFor(() => load.underWay(first.address) >= 6, { what: 'requests under way' })
  const inFlight = load.underWay(first.address)
  assert.deepEqual(await first.kill('SIGKILL'), { code: null, signal: 'SIGKILL' })
  const killedAt = performance.now()
  await goOn(load)
  await machines.startApi(Number(new URL(first.address).port))
  await goOn(load)

  // Replaces the other two as for a new version: they get a signal to stop, and no client may notice.
  const exchangedAt = performance.now()
  await Promise.all([second.stop(), other.stop()])
  await Promise.all([machines.startApi(Number(new URL(second.address).port)), machines.startWorker()])
  await goOn(load)
  await load.stop()

  assert.ok(killed.jobs > 0, 'the worker held jobs when it was killed')
  const cut = load.sent.filter(({ outcome }) => outcome === 'cut')
  assert.ok(cut.length > 0, 'the API was answering when it was killed')
  assert.deepEqual(
    cut.filter(({ address, began }) => address !== first.address || began > killedAt + HEARD_MS),
    [],
    'nothing failed but what the killed machine was answering',
  )
  const between = load.sent.filter(({ began, ended }) => began > killedAt && ended < exchangedAt)
  assert.ok(between.length > 100, 'the other machine went on answering')

  await load.confirm()
  assert.deepEqual(load.wrong, [])
  await waitForPayouts(sql, RECOVERY_MS)
  const again = await waitForEnds(sql, RECOVERY_MS)
  await checkAcknowledged(sql, load.requests)
  await checkMoney(sql, installation)
  const payouts = await checkPayouts(sql)
  const { events, twice } = await checkEvents(sql, receiver, killed.events, RECOVERY_MS)
  await machines.stop()
  const count = (kind: string) => load.requests.filter((request) => request.kind === kind).length
  t.diagnostic(
    `${count('payment')} payments (${again} sent again), ${count('payout')} payouts ${JSON.stringify(payouts)}; the worker was ` +
      `killed holding ${killed.jobs} jobs, the API answering ${inFlight} requests (${cut.length} cut); ${events} events, ` +
      `${twice} of them twice`,
  )
})

/** The machines of an installation. All end with the test, whatever its result. */
class Machines {
  #all: Service[] = []
  #installation: KeptInstallation

  constructor(installation: KeptInstallation) {
    this.#installation = installation
  }

  async startApi(port: number): Promise<Service> {
    const service = await this.#installation.start({ args: ['--only', 'api'], env: { PORT: String(port) } })
    this.#all.push(service)
    return service
  }

  async startWorker(): Promise<Service> {
    const service = await this.#installation.start({ args: ['--only', 'worker'] })
    this.#all.push(service)
    return service
  }

  /** Signals the running machines to stop. @throws if one does not stop in order */
  async stop(): Promise<void> {
    await Promise.all(this.#all.filter(runs).map((service) => service.stop()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((service) => service[Symbol.asyncDispose]()))
  }
}

function runs({ pid }: Service): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Lets the load run for a while, because a kill proves something only under load. */
async function goOn(load: BalancedLoad): Promise<void> {
  const before = load.acknowledged()
  await waitFor(() => load.acknowledged() > before + 100, { what: 'a hundred answers' })
}

/** The number of ended payments and payouts. */
async function countEnds(sql: Sql): Promise<number> {
  const [row] = await sql<{ ends: number }[]>`
    select count(*) as ends from events where type in ('payment.succeeded', 'payout.succeeded')`
  return row!.ends
}

/**
 * Kills a worker while it holds jobs: it is frozen at some moment, looked at, and let go on when it was idle.
 * @returns how many jobs it held, and the events that were being delivered
 */
async function killInTheMiddle(sql: Sql, service: Service): Promise<{ jobs: number; events: Set<string> }> {
  return await waitFor(
    async () => {
      process.kill(service.pid, 'SIGSTOP')
      const [held] = await sql<{ jobs: number }[]>`
        select count(*) as jobs from jobs where locked_by like ${`%-${service.pid}-%`}`
      const events = await eventsUnderWay(sql)
      if (held!.jobs === 0 || events.length === 0) {
        process.kill(service.pid, 'SIGCONT')
        return null
      }
      assert.deepEqual(await service.kill('SIGKILL'), { code: null, signal: 'SIGKILL' })
      return { jobs: held!.jobs, events: new Set(events) }
    },
    { what: 'a moment at which the worker holds jobs and deliveries' },
  )
}
