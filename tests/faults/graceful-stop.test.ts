import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { openTestDatabase } from '../harness/database.ts'
import { installOn } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { checkAcknowledged, checkEvents, checkMoney, waitForEnds } from '../harness/oracle.ts'
import { startReceiver } from '../harness/receiver.ts'
import { openSeed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { confirm, startLoad, type Wanted, wantedPayment } from './load.ts'

const STOPS = 6
const CONNECTIONS = 32
/** The time within which a service ends after the signal to stop. */
const STOP_MS = 10_000

test('a service that stops under load fails no request, tells its clients that it is stopping, and leaves its work to the next process', async (t) => {
  const seed = openSeed(t)
  await using db = await openTestDatabase()
  await using receiver = await startReceiver()
  const installation = await installOn(db.url)
  const merchant = await newMerchant(db.sql, {
    commission: 100,
    endpoint: { url: receiver.url, secret_key: installation.secret_key },
  })
  const { address } = installation
  let service = await installation.start()
  await using _last = { [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
  // Shorter pauses than the two seconds that an idle connection is given to send what it is writing.
  const load = startLoad({ address, key: merchant.key, seed, connections: CONNECTIONS })
  await using _stopped = { [Symbol.asyncDispose]: load.stop }
  const stops_ms: number[] = []
  const seen: number[] = []
  const halves: Wanted[] = []

  for (let stop = 0; stop < STOPS; stop += 1) {
    const before = load.acknowledgements
    // The system cuts a connection that the service has not accepted before it stops listening.
    await waitFor(() => load.acknowledgements > before + 50 && load.connected === CONNECTIONS, {
      what: 'the load',
    })
    await sleep(seed.between(50, 500))
    const half = await sendHalf(address, merchant.key)
    const visitor = new Client(address)
    assert.equal(await visit(visitor, '/readyz'), 200)
    const asked = performance.now()
    const ending = service.kill('SIGTERM')
    seen.push(await readinessAfter(visitor))
    halves.push(await half.finish())
    assert.deepEqual(await ending, { code: 0, signal: null })
    stops_ms.push(performance.now() - asked)
    assert.deepEqual(await leftBehind(db.sql), { jobs: 0, leases: 0 })
    service = await installation.start()
  }
  await load.stop()
  assert.ok(Math.max(...stops_ms) < STOP_MS, `stopped after ${stops_ms.map(Math.round)} ms`)
  assert.equal(load.cut, 0, 'no connection was cut after bytes were sent')
  assert.deepEqual(
    [...load.answers.keys()].filter((status) => status >= 500),
    [],
  )
  assert.ok(load.unanswered > 0, 'some came while nobody listened')
  assert.deepEqual(new Set(seen), new Set([503]), 'readiness while stopping')

  await confirm(load, { address, key: merchant.key })
  assert.equal(await waitForEnds(db.sql), 0, 'nothing had to be sent again after a stop in order')
  await checkAcknowledged(db.sql, { wanted: [...load.wanted, ...halves], wrong: load.wrong })
  await checkMoney(db.sql, installation)
  await checkEvents(db.sql, receiver, merchant)
  t.diagnostic(
    `stopped ${STOPS} times, after ${stops_ms.map(Math.round).join(', ')} ms; ${load.wanted.length} payments`,
  )
})

/** Sends half of the body of a payment. `finish` sends the rest. @throws unless the answer is 201 */
async function sendHalf(address: string, key: string): Promise<{ finish(): Promise<Wanted> }> {
  const wanted = wantedPayment(1_500)
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const head = [
    'POST /v1-payments HTTP/1.1',
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${key}`,
    `Idempotency-Key: ${wanted.idempotency_key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(wanted.text)}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${wanted.text.slice(0, 10)}`)
  return {
    async finish() {
      socket.write(wanted.text.slice(10))
      // To the end of the connection: a service that stops closes it after its answer.
      const chunks: Buffer[] = []
      for await (const chunk of socket) chunks.push(chunk as Buffer)
      const [, status, acknowledged] =
        /^HTTP\/1\.1 (\d+) [\s\S]*?\r\n\r\n([\s\S]*)$/.exec(Buffer.concat(chunks).toString('utf8')) ?? []
      assert.equal(status, '201', 'a request that was being written is answered')
      return { ...wanted, acknowledged: acknowledged! }
    },
  }
}

async function visit(visitor: Client, path: string): Promise<number> {
  const { statusCode, body } = await visitor.request({ method: 'GET', path })
  await body.dump()
  return statusCode
}

/** Asks for readiness on a connection from before the signal until the service has read the signal, and returns its answer then. */
async function readinessAfter(visitor: Client): Promise<number> {
  try {
    return await waitFor(async () => {
      const status = await visit(visitor, '/readyz')
      return status !== 200 && status
    })
  } finally {
    await visitor.destroy()
  }
}

/** Rows for which the next service would have to wait: jobs and deliveries that the old one still holds. */
async function leftBehind(sql: Sql) {
  const [row] = await sql<{ jobs: number; leases: number }[]>`
    select (select count(*) from jobs where locked_by is not null) as jobs,
           (select count(*) from deliveries where lease_until is not null) as leases`
  return row!
}
