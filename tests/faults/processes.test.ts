import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { type Answer, ask } from '../contract/ask.ts'
import { openTestDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkAcknowledged, checkMoney, waitForEnds } from './books.ts'
import { newMerchant, openInstallation } from './installation.ts'
import { confirm, type Load, startLoad } from './load.ts'
import { openSeed } from './seed.ts'

const CONNECTIONS = 16
const ENDS_MS = 30_000

type Line = { pid: number; msg: string; process?: string; level: string }

/** All lines of the log so far. @throws when one of them is not JSON */
function linesOf(service: Service): Line[] {
  const lines = service.output().split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Line)
}

/** The process that bears this name now. */
function pidOf(service: Service, name: string): number {
  return linesOf(service).findLast(({ process, msg }) => process === name && msg === 'process ready')!.pid
}

/** Kills the process of this name as a fault would, and resolves when another has taken its place. */
async function killAndAwait(service: Service, name: string): Promise<void> {
  const pid = pidOf(service, name)
  process.kill(pid, 'SIGKILL')
  await waitFor(() => pidOf(service, name) !== pid, { deadline_ms: 20_000, what: `another ${name}` })
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

test('a process killed under load is replaced: only what it was answering is cut, and nobody is turned away', {
  timeout: 110_000,
}, async (t) => {
  const seed = openSeed(t)
  await using db = await openTestDatabase()
  const metrics_port = await freePort()
  const installation = await openInstallation(db.url, { METRICS_PORT: String(metrics_port) })
  const merchant = await newMerchant(db.sql, installation.secret_key, null)
  await using service = await installation.start(['--processes', '2'])
  const { address } = installation
  const load = startLoad({ address, key: merchant.key, seed, connections: CONNECTIONS, pause_ms: 60 })
  await using _stopped = { [Symbol.asyncDispose]: load.stop }
  const taken = async (more: number) => {
    const before = load.acknowledgements
    await waitFor(() => load.acknowledgements > before + more, { deadline_ms: 20_000, what: 'payments to be taken' })
  }
  const pids = [service.pid, pidOf(service, 'api-1'), pidOf(service, 'worker-1')]
  assert.equal(new Set(pids).size, 3)

  await taken(100)
  await killAndAwait(service, 'api-1')
  await taken(100)
  await killAndAwait(service, 'worker-1')
  await taken(100)
  await killAndAwait(service, 'api-1')
  await taken(100)
  await load.stop()

  assert.ok(load.cut > 0, 'requests were under way when their process was killed')
  assert.ok(load.cut <= 2 * CONNECTIONS, `${load.cut} requests were cut`)
  assert.equal(load.unanswered, load.cut, 'whoever came while it was being replaced waited')
  assert.deepEqual(faultsOf(load), [])
  const figures = await (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text()
  assert.match(figures, /^service_process_deaths_total\{process="api-1"\} 2$/m)
  assert.match(figures, /^service_process_deaths_total\{process="worker-1"\} 1$/m)
  assert.match(figures, /^service_process_ready\{process="api-1"\} 1$/m)
  assert.match(figures, /^http_\w+\{.*process="api-1".*\} [1-9]/m)
  assert.match(figures, /^oldest_due_seconds\{.*process="worker-1".*\}/m)

  await confirm(load, { address, key: merchant.key })
  await waitForEnds(db.sql, ENDS_MS)
  await checkAcknowledged(db.sql, load)
  await checkMoney(db.sql, installation)
  await service.stop()
  t.diagnostic(`${load.wanted.length} payments, ${load.cut} requests cut by three kills`)
})

test('asked to stop, the processes end in order and the parent last, whoever asks again, and nobody is failed', {
  timeout: 60_000,
}, async (t) => {
  const seed = openSeed(t)
  await using db = await openTestDatabase()
  const installation = await openInstallation(db.url)
  const { address } = installation
  const merchant = await newMerchant(db.sql, installation.secret_key, null)
  await using service = await installation.start(['--processes', '2'])
  const children = ['api-1', 'worker-1'].map((name) => pidOf(service, name))
  const load = startLoad({ address, key: merchant.key, seed, connections: CONNECTIONS })
  await using _stopped = { [Symbol.asyncDispose]: load.stop }
  await waitFor(() => load.acknowledgements > 50, { deadline_ms: 20_000, what: 'the load' })

  const ending = service.kill('SIGTERM')
  // As npm passes on what a terminal has sent to the whole group: a second time, and to the children as well.
  for (const pid of [service.pid, ...children]) process.kill(pid, 'SIGINT')
  assert.deepEqual(await ending, { code: 0, signal: null })
  assert.ok(children.every(isGone))
  await load.stop()
  assert.equal(load.cut, 0, 'no connection was cut after bytes were sent')
  assert.deepEqual(faultsOf(load), [])
  const ends = linesOf(service)
    .filter(({ msg }) => msg === 'process stopped' || msg === 'stopped')
    .map((line) => line.process)
  assert.deepEqual(ends, ['api-1', 'worker-1', undefined])
  const [left] = await db.sql<{ jobs: number; workers: number }[]>`
    select (select count(*) from jobs where locked_at is not null) as jobs,
           (select count(*) from workers) as workers`
  assert.deepEqual(left, { jobs: 0, workers: 0 })
})

test('every line of the log says its process, and no secret is in it or in the list of processes', async () => {
  await using db = await openTestDatabase()
  const installation = await openInstallation(db.url)
  const { key } = await newMerchant(db.sql, installation.secret_key, null)
  await using service = await installation.start(['--processes', '2'])
  await ask(installation.address, payment(key))
  await waitForEnds(db.sql, ENDS_MS)
  const pids = ['api-1', 'worker-1'].map((name) => pidOf(service, name))
  for (const { pid, process } of linesOf(service)) {
    assert.equal(process, pid === service.pid ? undefined : ['api-1', 'worker-1'][pids.indexOf(pid)])
  }
  const secrets = [installation.secret_key, db.url]
  for (const pid of [service.pid, ...pids]) {
    const shown = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    assert.ok(!secrets.some((secret) => shown.includes(secret)))
  }
  assert.ok(!secrets.some((secret) => service.output().includes(secret)))
  await service.stop()
})

test('when a process cannot start, the service says why, ends with its exit code and leaves nobody behind', async () => {
  await using db = await openTestDatabase()
  const installation = await openInstallation(db.url)
  await assert.rejects(installation.start(['--processes', '3'], { CRASH_AT: 'a point' }), (error: Error) => {
    assert.match(error.message, /^(?:api|worker)-\d could not start: CRASH_AT is for tests only/m)
    assert.doesNotMatch(error.message, /will be replaced/)
    return true
  })
  const others = await db.sql`
    select application_name from pg_stat_activity
     where datname = current_database() and application_name like 'bandama %'`
  assert.deepEqual([...others], [])
  // Its port is free again.
  await using service = await installation.start(['--processes', '2'])
  await service.stop()
})

test('a parent that is killed takes its processes along, each after what it has under way, and the next takes its port', {
  timeout: 60_000,
}, async () => {
  await using db = await openTestDatabase()
  const installation = await openInstallation(db.url)
  const { key } = await newMerchant(db.sql, installation.secret_key, null)
  await using service = await installation.start(['--processes', '2'])
  const children = ['api-1', 'worker-1'].map((name) => pidOf(service, name))
  const asked = Array.from({ length: 20 }, () => ask(installation.address, payment(key)))
  await Promise.race(asked)
  await service.kill('SIGKILL')
  const answers = await Promise.allSettled(asked)
  assert.ok(answers.every((answer) => answer.status === 'fulfilled' && (answer.value as Answer).status === 201))
  await waitFor(() => children.every(isGone), { deadline_ms: 15_000, what: 'the children to go' })
  assert.equal(linesOf(service).filter(({ msg }) => msg === 'process stopped').length, 2)
  await using next = await installation.start(['--processes', '2'])
  assert.equal((await ask(installation.address, payment(key))).status, 201)
  await next.stop()
})

test('two processes for requests share a port, and without Redis the log says once how limits are counted then', async () => {
  await using db = await openTestDatabase()
  const installation = await openInstallation(db.url)
  await using service = await installation.start(['--only', 'api', '--processes', '2'])
  const { address } = installation
  assert.equal((await ask(address, { path: '/readyz' })).status, 200)
  process.kill(pidOf(service, 'api-1'), 'SIGKILL')
  for (let time = 0; time < 20; time += 1) {
    assert.equal((await ask(address, { path: '/healthz', headers: { connection: 'close' } })).status, 200)
  }
  const warned = linesOf(service).filter(({ level }) => level === 'warn')
  assert.deepEqual(
    warned.map(({ msg }) => msg),
    ['without REDIS_URL each API process counts limits for itself'],
  )
  await service.stop()
})

/** Answers that are the service's fault. A request that is repeated while it is worked on is told so, which is none. */
function faultsOf({ answers }: Load): number[] {
  return [...answers.keys()].filter((status) => status >= 500)
}

let payments = 0

function payment(key: string) {
  payments += 1
  return {
    path: '/v1-payments',
    key,
    idempotency_key: `processes-${payments}`,
    body: { amount: 1_000 + payments, simulate: 'succeed' },
  }
}
