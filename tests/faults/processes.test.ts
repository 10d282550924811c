import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { divide } from '../../src/app/processes/divide.ts'
import { ask } from '../contract/ask.ts'
import { openTestDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { openSeed } from '../harness/seed.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkAcknowledged, checkMoney, waitForEnds } from './books.ts'
import { faultsOf, isGone, linesOf, payment, pidOf } from './children.ts'
import { newMerchant, openInstallation } from './installation.ts'
import { confirm, startLoad } from './load.ts'

const CONNECTIONS = 16
const ENDS_MS = 30_000

/** Kills the process of this name as a fault would, and resolves when another has taken its place. */
async function killAndAwait(service: Service, name: string): Promise<void> {
  const pid = pidOf(service, name)
  process.kill(pid, 'SIGKILL')
  await waitFor(() => pidOf(service, name) !== pid, { deadline_ms: 20_000, what: `another ${name}` })
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
  const ofApi = /^http_\w+\{.*process="api-1".*\} [1-9]/m
  const ofWorker = /^oldest_due_seconds\{.*process="worker-1".*\}/m
  const figures = await waitFor(
    async () => {
      const text = await (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text()
      // A process that is too busy to say its figures in a second is left out of them.
      return ofApi.test(text) && ofWorker.test(text) && text
    },
    { deadline_ms: 15_000, what: 'the figures of both' },
  )
  assert.match(figures, /^service_process_deaths_total\{process="api-1"\} 2$/m)
  assert.match(figures, /^service_process_deaths_total\{process="worker-1"\} 1$/m)
  assert.match(figures, /^service_process_ready\{process="api-1"\} 1$/m)

  await confirm(load, { address, key: merchant.key })
  await waitForEnds(db.sql, ENDS_MS)
  await checkAcknowledged(db.sql, load)
  await checkMoney(db.sql, installation)
  await service.stop()
  t.diagnostic(`${load.wanted.length} payments, ${load.cut} requests cut by three kills`)
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

test("unasked, a service on a server of one's own has an API and a worker apart where there is more than one core", async () => {
  await using db = await openTestDatabase()
  const installation = await openInstallation(db.url, { METRICS_PORT: '0' })
  await using service = await installation.start(null)
  const { processes = ['all'] } = linesOf(service).find(({ msg }) => msg === 'ready')!
  const shares = divide('auto', {
    roles: { api: true, worker: true },
    cores: availableParallelism(),
    counts_shared: false,
  })
  assert.deepEqual(
    processes,
    shares.map(({ name }) => name),
  )
  assert.equal((await ask(installation.address, { path: '/readyz' })).status, 200)
  await service.stop()
})

test('when a process cannot start, the service says why, ends with its exit code and leaves nobody behind', async () => {
  await using db = await openTestDatabase()
  const installation = await openInstallation(db.url, { PORT: '0', METRICS_PORT: '0', CRASH_AT: 'a point' })
  // Told when its output is closed, which its children share: so they are gone as well.
  await assert.rejects(
    installation.bandama('serve', '--processes', '3'),
    (failure: { code: number; stderr: string }) => {
      assert.equal(failure.code, 1)
      assert.match(
        failure.stderr,
        /^(?:api|worker)-\d could not start: CRASH_AT is for tests only, and needs CRASH_POINTS=on\.\n$/,
      )
      return true
    },
  )
})

test('a port that is taken is said in one line, by one process and by several, and nobody is left behind', async () => {
  await using db = await openTestDatabase()
  const taken = createServer().listen(0, '127.0.0.1')
  try {
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const free = { HOST: '127.0.0.1', PORT: '0', METRICS_PORT: '0' }
    const starts = [
      { processes: '1', setting: 'PORT' },
      { processes: '2', setting: 'PORT' },
      { processes: '1', setting: 'METRICS_PORT' },
    ]
    for (const { processes, setting } of starts) {
      const settings = { ...free, [setting]: String(port) }
      const installation = await openInstallation(db.url, settings)
      await assert.rejects(installation.bandama('serve', '--processes', processes), {
        code: 1,
        stderr: `${setting}: another program listens on port ${port} of 127.0.0.1. Set ${setting} to another port.\n`,
      })
    }
  } finally {
    taken.close()
  }
})

test('two processes for requests share a port, and without Redis the log says once how limits are counted then', async () => {
  await using db = await openTestDatabase()
  const installation = await openInstallation(db.url)
  const { address } = installation
  await using service = await installation.start(['--only', 'api', '--processes', '2'], { PUBLIC_URL: address })
  const headers = { connection: 'close' }
  assert.equal((await ask(address, { path: '/readyz', headers })).status, 200)
  const killed = pidOf(service, 'api-1')
  process.kill(killed, 'SIGKILL')
  // Until it is gone it may still take a connection, and that one is cut.
  await waitFor(() => isGone(killed), { deadline_ms: 5_000, what: 'the killed process to be gone' })
  for (let time = 0; time < 20; time += 1) {
    assert.equal((await ask(address, { path: '/healthz', headers })).status, 200)
  }
  const warned = linesOf(service).filter(({ level }) => level === 'warn')
  assert.deepEqual(
    warned.map(({ msg }) => msg),
    ['without REDIS_URL each API process counts limits for itself'],
  )
  await service.stop()
})
