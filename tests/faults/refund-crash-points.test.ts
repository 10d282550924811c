import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CrashPoint } from '../../src/platform/crash-point.ts'
import { openInstallation } from '../harness/installation.ts'
import { addEndpoint, newMerchant } from '../harness/merchant.ts'
import { livemode } from '../harness/mode.ts'
import { checkRefundEvents, checkRefunds, waitForRefunds } from '../harness/oracle.ts'
import { startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'
import { askRefund, collectMany } from './refund-requests.ts'

// The tests kill the service at each dangerous moment of a refund, and restart it.

/** The crash points that refunds reach, and the pass on which the process dies there. */
const points: [point: CrashPoint, time: number][] = [
  ['after_intent_commit', 1],
  ['before_send', 4],
  ['after_send', 4],
  ['after_response_before_commit', 2],
  ['during_callback_commit', 3],
  ['after_webhook_2xx_before_commit', 3],
]

const PAYMENTS = 12

/**
 * Two parts of each payment, so that the second is decided on what the first may still turn out to be. pawaPay refuses a refund of a payment
 * while another is under way, so in live mode all of it goes back at once.
 */
const PARTS = livemode ? [1_000] : [400, 600]

describe('a service killed while it refunds', { concurrency: 3 }, () => {
  for (const [point, time] of points) {
    // No order is under way then, in either mode.
    if (livemode && point === 'after_webhook_2xx_before_commit') continue
    test(`${point}:${time}: nothing goes back twice, nothing is lost, everything ends`, async (t) => {
      await using receiver = await startReceiver()
      await using installation = await openInstallation({ own: 'moves the clock' })
      const { sql, moveClock } = installation.db
      const merchant = await newMerchant(sql, { commission: 100 })
      const before = installation.services[0]!
      const payments = await collectMany(before.address, merchant, sql, PAYMENTS)
      await before.stop()
      await addEndpoint(sql, merchant, { url: receiver.url, secret_key: before.secret_key })
      for (const amount of PARTS) await Promise.all(payments.map((id) => askRefund(sql, id, amount)))

      const env = { CRASH_POINTS: 'on', CRASH_AT: `${point}:${time}` }
      const said = await installation.start({ env }).then(
        async (dying) => {
          const ending = await waitFor(() => Promise.race([dying.ended, null]), { what: point })
          assert.equal(ending.signal, 'SIGKILL')
          return dying.output()
        },
        // The process finds the fatal work at its start, so it may die before it reports ready.
        (error: Error) => error.message,
      )
      assert.match(said, new RegExp(`crash point ${point}: SIGKILL`))

      await installation.start()
      await waitForRefunds(sql, 90_000)
      // A delivery that the dead process held is free again when its lease ends.
      await moveClock('31 seconds')
      const undelivered = () => sql`select from deliveries where status <> 'delivered' limit 1`
      const what = 'every event to arrive'
      await waitFor(async () => (await undelivered()).length === 0, { what })
      const counts = await checkRefunds(sql)
      assert.equal(
        Object.values(counts).reduce((sum, count) => sum + count, 0),
        PARTS.length * PAYMENTS,
      )
      await checkRefundEvents(sql)
      const events = await sql<{ id: string }[]>`
        select e.id
          from events e
          join deliveries d on (d.merchant_id, d.event_id) = (e.merchant_id, e.id)
         where e.merchant_id = ${merchant.merchant_id}`
      const received = new Set(receiver.requests.map(({ headers }) => String(headers['service-event-id'])))
      assert.deepEqual(received, new Set(events.map(({ id }) => id)))
      t.diagnostic(JSON.stringify({ ...counts, copies: receiver.requests.length }))
    })
  }
})
