import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openInstallation } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { checkBooks, checkRefundEvents, checkRefunds, waitForRefunds } from '../harness/oracle.ts'
import { openSeed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { askRefund, collectMany } from './refund-requests.ts'

const KILLS = 6
const PAYMENTS = 60

test('refunds end once each, however often the worker is killed at random', { timeout: 300_000 }, async (t) => {
  const seed = openSeed(t)
  await using installation = await openInstallation({
    processes: [
      ['--only', 'api'],
      ['--only', 'worker'],
    ],
  })
  const { sql } = installation.db
  const merchant = await newMerchant(sql, { commission: 100 })
  const payments = await collectMany(installation.services[0]!.address, merchant, sql, PAYMENTS)
  let worker = installation.services[1]!

  // Parts are asked for while the worker dies and comes back; those that fail are asked for again.
  let stopped = false
  let asked = 0
  const team = (async () => {
    while (!stopped) {
      await askRefund(sql, seed.pick(payments), seed.between(1, 9)).catch((error: Error) => {
        // The rest of the payment is already being refunded.
        assert.match(error.message, /already_refunded|amount_above_remaining/)
      })
      asked += 1
      await sleep(seed.between(5, 40))
    }
  })()
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = asked
    await waitFor(() => asked > before + 10, { what: 'refunds to be asked for' })
    await sleep(seed.between(0, 300))
    const { signal } = await worker.kill('SIGKILL')
    assert.equal(signal, 'SIGKILL', 'it did not end by itself before')
    // The books hold at every moment, not only at rest.
    await checkBooks(sql)
    worker = await installation.start({ args: ['--only', 'worker'] })
  }
  stopped = true
  await team
  await waitForRefunds(sql, 60_000)
  const counts = await checkRefunds(sql)
  await checkRefundEvents(sql)
  assert.ok((counts.succeeded ?? 0) > 20 && (counts.failed ?? 0) > 5, JSON.stringify(counts))
  t.diagnostic(JSON.stringify({ asked, ...counts }))
})
