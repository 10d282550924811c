import assert from 'node:assert/strict'
import type { CrashPoint } from '../../../src/platform/crash-point.ts'
import { addEndpoint, newMerchant } from '../../harness/merchant.ts'
import { livemode } from '../../harness/mode.ts'
import { startReceiver } from '../../harness/receiver.ts'
import { askRefund, collectMany } from '../refund-requests.ts'
import type { Moment } from './moment.ts'

// The dangerous moments of a refund.

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

/** The moments of refunds in this mode. */
export function refundMoments(): Moment[] {
  // No order is under way then, in either mode.
  const inThisMode = points.filter(([point]) => !livemode || point !== 'after_webhook_2xx_before_commit')
  return inThisMode.map(([point, time]) => ({
    point,
    time,
    by: 'refunds',
    async prepare({ db: { sql }, secret_key }, address) {
      const receiver = await startReceiver()
      const merchant = await newMerchant(sql, { commission: 100 })
      const payments = await collectMany(address, merchant, sql, PAYMENTS)
      await addEndpoint(sql, merchant, { url: receiver.url, secret_key })
      return {
        async run() {
          for (const amount of PARTS) await Promise.all(payments.map((id) => askRefund(sql, id, amount)))
        },
        // Staff ask for them, in this process.
        async confirm() {},
        async check() {
          const made = await sql`select from refunds where merchant_id = ${merchant.merchant_id}`
          assert.equal(made.length, PARTS.length * PAYMENTS)
          const events = await sql<{ id: string }[]>`
            select e.id
              from events e
              join deliveries d on (d.merchant_id, d.event_id) = (e.merchant_id, e.id)
             where e.merchant_id = ${merchant.merchant_id}`
          const received = new Set(receiver.requests.map(({ headers }) => String(headers['service-event-id'])))
          assert.deepEqual(received, new Set(events.map(({ id }) => id)))
          await receiver[Symbol.asyncDispose]()
        },
      }
    },
  }))
}
