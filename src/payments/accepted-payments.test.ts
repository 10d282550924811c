import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { openPool, openTestDatabase } from '../../tests/harness/database.ts'
import { createClock } from '../platform/clock.ts'
import { createEngine } from '../platform/commands/engine.ts'
import { createOwnerLocks } from '../platform/owner-locks.ts'
import type { Caller } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import { createPaymentCommand } from './create-payment.ts'

/** Whether a packet only wakes the workers. It is sent after the commit and delays no answer. */
const wakesWorkers = (bytes: Buffer | string) => bytes.includes('jobs_money')

/** A proxy in front of a server that counts round trips: requests that follow an answer. */
async function openRelay(url: string) {
  const target = new URL(url)
  let asked = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let answered = true
    client.on('data', (bytes) => {
      if (answered && !wakesWorkers(bytes)) asked += 1
      answered = false
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      answered = true
      client.write(bytes)
    })
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const relayed = new URL(url)
  relayed.host = `127.0.0.1:${address.port}`
  return {
    url: relayed.href,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

test('payments accepted in one batch cost one round trip to the database', async () => {
  await using db = await openTestDatabase()
  await using relay = await openRelay(db.url)
  const sql = openPool({ url: relay.url, connections: 1, name: 'test' })
  try {
    const engine = createEngine({ sql, clock: createClock(), locks: createOwnerLocks() })
    const create = engine.run(createPaymentCommand(() => assert.fail('no session takes part')))
    let made = 0
    const accept = async () => {
      made += 1
      const caller: Caller = {
        merchant_id: 1,
        livemode: false,
        key_id: 'key_1',
        scope: 'collect',
        merchant_active: true,
      }
      const result = await create({
        caller,
        idempotency: { key: `accepted-${made}`, fingerprint: Buffer.alloc(32) },
        request: {
          amount: 1_000,
          operator: 'orange_ci',
          msisdn: Msisdn.parse('0700000001')!,
          merchant_reference: `order ${made}`,
          description: null,
          metadata: '{}',
          simulate: null,
        },
        fees: { amount_collected: 1_000, fee_amount: 0, net_amount: 1_000 },
        order_reference: randomUUID(),
        blocked: null,
        unchecked: null,
      })
      assert.equal(result.kind, 'created')
    }
    // The first call opens the connection and prepares the statements.
    await accept()
    const before = relay.asked()
    // Few enough that the batcher does not split them into two halves.
    await Promise.all(Array.from({ length: 20 }, accept))
    assert.equal(relay.asked() - before, 1)
  } finally {
    await sql.end({ timeout: 1 })
  }
})
