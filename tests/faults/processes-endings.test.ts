import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { type Answer, ask } from '../contract/ask.ts'
import { openTestDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { openSeed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { waitForEnds } from './books.ts'
import { faultsOf, isGone, linesOf, payment, pidOf } from './children.ts'
import { newMerchant, openInstallation } from './installation.ts'
import { startLoad } from './load.ts'

const CONNECTIONS = 16
const ENDS_MS = 30_000

// Each has a database and a port of its own; the first waits for a patience of forty seconds.
describe('processes that end', { concurrency: 2 }, () => {
  test('a process that hangs when it is to stop is killed when patience ends, and the others end in order: the next takes the port', {
    timeout: 180_000,
  }, async () => {
    await using db = await openTestDatabase()
    const installation = await openInstallation(db.url)
    await using service = await installation.start(['--processes', '2'])
    const [api, worker] = ['api-1', 'worker-1'].map((name) => pidOf(service, name)) as [number, number]
    process.kill(api, 'SIGSTOP')
    assert.deepEqual(await service.kill('SIGTERM'), { code: 1, signal: null })
    await waitFor(() => isGone(api), { deadline_ms: 5_000, what: 'the one that hung to go' }).catch((error) => {
      process.kill(api, 'SIGKILL')
      throw error
    })
    await waitFor(() => isGone(worker), { deadline_ms: 15_000, what: 'the worker to go' })
    assert.ok(linesOf(service).some(({ process, msg }) => process === 'worker-1' && msg === 'process stopped'))
    await using next = await installation.start(['--processes', '2'])
    assert.equal((await ask(installation.address, { path: '/readyz' })).status, 200)
    await next.stop()
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
    await waitFor(() => load.acknowledgements > 50 && load.connected === CONNECTIONS, {
      deadline_ms: 20_000,
      what: 'the load',
    })

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

  test('a parent that is killed takes its processes along, each after what it has under way, and the next takes its port', {
    timeout: 60_000,
  }, async () => {
    await using db = await openTestDatabase()
    const installation = await openInstallation(db.url)
    const { key } = await newMerchant(db.sql, installation.secret_key, null)
    await using service = await installation.start(['--processes', '2'])
    const children = ['api-1', 'worker-1'].map((name) => pidOf(service, name))
    // Over connections that are there: one that still waits to be let in has nothing under way, and is cut.
    await Promise.all(Array.from({ length: 20 }, () => ask(installation.address, { path: '/readyz' })))
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

  test('a process that dies while the database is away is tried again until it is back, and the others stay', {
    timeout: 60_000,
  }, async () => {
    await using db = await openTestDatabase()
    await using line = await openLine(db.session_url)
    const installation = await openInstallation(line.url)
    const { key } = await newMerchant(db.sql, installation.secret_key, null)
    await using service = await installation.start(['--processes', '2'])
    const worker = pidOf(service, 'worker-1')
    line.cut()
    process.kill(worker, 'SIGKILL')
    const deaths = () => linesOf(service).filter(({ msg }) => msg === 'a process ended and will be replaced')
    await waitFor(() => deaths().length >= 2, { deadline_ms: 30_000, what: 'a start without a database' })
    assert.ok(deaths().every((line) => line.process === 'worker-1'))
    assert.match(JSON.stringify(deaths()[1]), /"exit_code":1,"reason":"The connection to the database was lost\."/)
    await line.open()
    await waitFor(() => pidOf(service, 'worker-1') !== worker, { deadline_ms: 30_000, what: 'another worker' })
    await waitFor(async () => (await ask(installation.address, { path: '/readyz' })).status === 200, {
      deadline_ms: 10_000,
      what: 'readiness',
    })
    await ask(installation.address, payment(key))
    await waitForEnds(db.sql, ENDS_MS)
    await service.stop()
  })
})

/** A line to the database's server that a test can cut. */
async function openLine(database_url: string) {
  const { hostname, port: server_port } = new URL(database_url)
  const port = await freePort()
  const sockets = new Set<Socket>()
  const url = new URL(database_url)
  url.host = `127.0.0.1:${port}`
  let server: Server | null = null
  const line = {
    url: url.href,
    async open() {
      server = createServer((near) => {
        const far = connect(Number(server_port), hostname)
        for (const [from, to] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(from)
          from.on('error', () => {}).on('close', () => to.destroy())
          from.pipe(to)
        }
      }).listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    cut() {
      server?.close()
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    async [Symbol.asyncDispose]() {
      line.cut()
    },
  }
  await line.open()
  return line
}
