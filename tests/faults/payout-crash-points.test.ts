import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CrashPoint } from '../../src/platform/crash-point.ts'
import { ask } from '../contract/ask.ts'
import { openInstallation } from '../harness/installation.ts'
import { addEndpoint } from '../harness/merchant.ts'
import { livemode } from '../harness/mode.ts'
import { checkPayouts, readWhole, waitForPayouts } from '../harness/oracle.ts'
import { startReceiver } from '../harness/receiver.ts'
import { startService } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { askFor, confirmAll, keyedRequest } from './keyed-requests.ts'
import { act, batch, idOf, newPayoutMerchant, outcome, type PayoutMerchant, payout } from './payout-merchant.ts'

// The tests kill the service at each dangerous moment, once during payouts and once during a batch, and restart it.

/** The crash points that each kind of work reaches, and the pass on which the process dies there. */
const points: { point: CrashPoint; payouts: number | null; batch: number | null }[] = [
  { point: 'after_hold_insert', payouts: 1, batch: null },
  { point: 'mid_batch_line', payouts: null, batch: 1 },
  // A batch reaches this point when it is made and when it is executed.
  { point: 'after_commit_before_ack', payouts: 1, batch: 1 },
  { point: 'after_commit_before_ack', payouts: null, batch: 2 },
  { point: 'after_intent_commit', payouts: 1, batch: 1 },
  { point: 'before_send', payouts: 10, batch: 10 },
  { point: 'after_send', payouts: 10, batch: 10 },
  { point: 'after_response_before_commit', payouts: 2, batch: 2 },
  { point: 'during_callback_commit', payouts: 5, batch: 5 },
  { point: 'after_webhook_2xx_before_commit', payouts: 10, batch: 10 },
]

/** Moments at which no order is under way. They are the same in live mode, which leaves them out. */
const WITHOUT_ORDER: readonly CrashPoint[] = [
  'after_hold_insert',
  'mid_batch_line',
  'after_commit_before_ack',
  'after_webhook_2xx_before_commit',
]

/**
 * The moments at which a batch has work of its own. Otherwise its payouts go to an operator as all others do, so a landing kills a batch at
 * these moments only, on the simulator, and the night at all of them in both modes.
 */
const OF_A_BATCH: readonly CrashPoint[] = [
  'mid_batch_line',
  'after_commit_before_ack',
  'before_send',
  'during_callback_commit',
]
const isOfTheNight = (point: CrashPoint, kind: 'payouts' | 'batch') =>
  process.env.KILLS === undefined && kind === 'batch' && (livemode || !OF_A_BATCH.includes(point))

/** Numbers with every end of the simulator, except the silent one, for whose hour the last check would have to wait. */
function numbers(count: number): string[] {
  const ends = ['0000', '0001', '0000', '0004', '0005', '0006']
  return Array.from({ length: count }, (_, at) => `07${String(at).padStart(4, '0')}${ends[at % ends.length]}`)
}

type Work = {
  /** Makes the requests until the process dies or all are made. A further call makes the same requests. */
  run(address: string): Promise<void>
  /** Checks after the last start that every request has its answer. */
  confirm(address: string): Promise<void>
  payouts: number
}

function payoutsOf(merchant: PayoutMerchant): Work {
  const requests = numbers(24).map((msisdn) => keyedRequest(payout(merchant, { amount: 500, msisdn })))
  return {
    payouts: requests.length,
    run: async (address) => {
      await Promise.all(requests.map((one) => askFor(address, one)))
    },
    confirm: (address) => confirmAll(address, requests),
  }
}

function batchOf(merchant: PayoutMerchant): Work {
  const made = keyedRequest(batch(merchant, { amount: 500, msisdns: numbers(20) }))
  const execute = (address: string) => ask(address, act(merchant, idOf(made.acknowledged!), 'execute'))
  return {
    payouts: 20,
    run: async (address) => {
      await askFor(address, made)
      if (made.acknowledged !== null) await execute(address).catch(() => null)
    },
    confirm: async (address) => {
      await confirmAll(address, [made])
      // Executed before or now: the state under the lock makes the call idempotent.
      assert.match(outcome(await execute(address)), /^(?:200|409 batch_not_executable)$/)
    },
  }
}

describe('a service that is killed', { concurrency: 6 }, () => {
  for (const { point, ...times } of points) {
    if (livemode && WITHOUT_ORDER.includes(point)) continue
    for (const kind of ['payouts', 'batch'] as const) {
      const time = times[kind]
      if (time === null || isOfTheNight(point, kind)) continue
      test(`${point}:${time}, by ${kind}: nothing is lost, nothing is sent twice, everything ends`, async (t) => {
        await using receiver = await startReceiver()
        await using installation = await openInstallation({ env: { BATCH_WAIT_SECONDS: '0' }, processes: [] })
        const { sql } = installation.db
        const merchant = await newPayoutMerchant(sql, { funds: 1_000_000 })
        const work = kind === 'payouts' ? payoutsOf(merchant) : batchOf(merchant)

        const env = { CRASH_POINTS: 'on', CRASH_AT: `${point}:${time}` }
        const first = await installation.start({ env })
        await addEndpoint(sql, merchant, { url: receiver.url, secret_key: first.secret_key })
        await work.run(first.address)
        const ending = await waitFor(() => Promise.race([first.ended, null]), { what: point })
        assert.equal(ending.signal, 'SIGKILL')
        assert.match(first.output(), new RegExp(`crash point ${point}: SIGKILL`))

        const second = await installation.start()
        await work.confirm(second.address)
        await waitForPayouts(sql, 60_000)
        // A delivery that the dead process held is free again when its lease ends.
        await installation.db.moveClock('31 seconds')
        const undelivered = () => sql`select from deliveries where status <> 'delivered' limit 1`
        const what = 'every event to arrive'
        await waitFor(async () => (await undelivered()).length === 0, { what })
        const counts = await checkPayouts(sql)
        const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
        assert.equal(total, work.payouts, 'one payout for each that was asked for')
        await checkEvents()
        t.diagnostic(JSON.stringify({ ...counts, copies: receiver.requests.length }))

        /** One event for each move, and each reached the merchant. */
        async function checkEvents() {
          const uneven = await readWhole(
            sql,
            (tx) => tx`
              select subject_id, type
                from (select payout_id as subject_id, 'payout.' || to_status as type, count(*) as moves
                        from payout_transitions_log group by 1, 2) m
                full join (select subject_id, type, count(*) as events
                             from events where type like 'payout.%' group by 1, 2) e using (subject_id, type)
               where m.moves is distinct from e.events`,
          )
          assert.deepEqual([...uneven], [], 'one event for each move')
          const events = await sql<{ id: string }[]>`select id from events where merchant_id = ${merchant.merchant_id}`
          const received = new Set(receiver.requests.map(({ headers }) => String(headers['service-event-id'])))
          assert.deepEqual(received, new Set(events.map(({ id }) => id)))
          if (point === 'after_webhook_2xx_before_commit') {
            assert.ok(receiver.requests.length > events.length, 'what was not noted as taken came again')
          }
        }
      })
    }
  }
})

test('a crash point without its switch, or one that does not exist, stops the start', async () => {
  await using installation = await openInstallation({ processes: [] })
  const { url } = installation.db
  for (const wrong of [
    { CRASH_AT: 'before_send' },
    { CRASH_AT: 'before_send:0', CRASH_POINTS: 'on' },
    { CRASH_AT: 'whenever', CRASH_POINTS: 'on' },
  ]) {
    const env = { ...wrong, SECRET_KEY: installation.secret_key }
    await assert.rejects(startService({ url, env }), /CRASH_AT/)
  }
})
