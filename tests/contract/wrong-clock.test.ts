import assert from 'node:assert/strict'
import { test } from 'node:test'
import { machineMilliseconds } from '../../src/platform/clock.ts'
import { openInstallation, payment } from '../harness/installation.ts'
import { startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'
import { ask } from './ask.ts'

// A machine whose clock is wrong by half a minute signs webhooks that merchants will refuse soon.

const fast = { NODE_OPTIONS: '--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+60000' }

test('a process whose clock is a minute fast says so and serves, but sends no webhook, and another worker sends them', async () => {
  await using receiver = await startReceiver()
  await using installation = await openInstallation({ processes: [], own: 'has a wrong clock' })
  const { merchant_id, key } = await installation.newMerchant()
  const wrong = await installation.start({ env: fast })
  const ready = await fetch(`${wrong.address}/readyz`)
  assert.deepEqual(
    [ready.status, await ready.json()],
    [200, { ok: true, checks: { database: true, clock: false, staying: true } }],
  )
  const of = ['--merchant', String(merchant_id), '--mode', 'test']
  await installation.bandama('endpoint', 'create', ...of, '--url', `${receiver.url}/webhooks`)
  const made = await ask(wrong.address, payment(key, { amount: 100, counterparty: { msisdn: '0700000000' } }))
  const { id: payment_id } = made.json() as { id: string }
  // Its worker does all other work: the payment succeeds.
  await waitFor(async () => {
    const [row] = await installation.db.sql`select status from payments where id = ${payment_id}`
    return row?.status === 'succeeded'
  })
  await installation.start({ args: ['--only', 'worker'] })
  const received = await waitFor(
    () => receiver.requests.some(({ body }) => body.includes('payment.succeeded')) && receiver.requests,
  )
  for (const { headers, body } of received) {
    const t = Number(/^t=(\d+),/.exec(String(headers['service-signature']))![1])
    assert.ok(Math.abs(t - machineMilliseconds() / 1_000) < 30, `${t}: ${body}`)
  }
})
