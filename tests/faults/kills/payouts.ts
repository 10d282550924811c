import assert from 'node:assert/strict'
import type { CrashPoint } from '../../../src/platform/crash-point.ts'
import type { Sql } from '../../../src/platform/postgres/database.ts'
import { ask } from '../../contract/ask.ts'
import { addEndpoint } from '../../harness/merchant.ts'
import { livemode } from '../../harness/mode.ts'
import { readWhole } from '../../harness/oracle.ts'
import { type Receiver, startReceiver } from '../../harness/receiver.ts'
import { waitFor } from '../../harness/wait-for.ts'
import { askFor, confirmAll, type KeyedRequest, keyedRequest } from '../keyed-requests.ts'
import { act, batch, idOf, newPayoutMerchant, outcome, type PayoutMerchant, payout } from '../payout-merchant.ts'
import type { Moment, Work } from './moment.ts'

// The dangerous moments of payouts, once during payouts and once during a batch.

/** The crash points that each kind of work reaches, and the pass on which the process dies there. */
const points: { point: CrashPoint; payouts: number | null; batch: number | null }[] = [
  // The first, before others leave events that are still to be delivered.
  { point: 'after_webhook_2xx_before_commit', payouts: 10, batch: 10 },
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

/** The requests of a merchant, and the payouts that come of them. */
type Requests = Pick<Work, 'run' | 'confirm'> & { payouts: number }

function payoutsOf(merchant: PayoutMerchant): Requests {
  const requests = numbers(24).map((msisdn) => keyedRequest(payout(merchant, { amount: 500, msisdn })))
  return {
    payouts: requests.length,
    run: (address) => Promise.all(requests.map((one) => askFor(address, one))),
    confirm: (address) => confirmAll(address, requests),
  }
}

function batchOf(merchant: PayoutMerchant): Requests {
  const made: KeyedRequest = keyedRequest(batch(merchant, { amount: 500, msisdns: numbers(20) }))
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

/** The moments of a landing, or of the night. */
export function payoutMoments(): Moment[] {
  return points.flatMap(({ point, ...times }) =>
    (['payouts', 'batch'] as const).flatMap((by): Moment[] => {
      const time = times[by]
      if (time === null || isOfTheNight(point, by) || (livemode && WITHOUT_ORDER.includes(point))) return []
      const requestsOf = by === 'payouts' ? payoutsOf : batchOf
      return [
        {
          point,
          time,
          by,
          async prepare({ db: { sql }, secret_key }) {
            if (point === 'after_webhook_2xx_before_commit') {
              const others = () => sql`select from deliveries where status <> 'delivered' limit 1`
              await waitFor(async () => (await others()).length === 0, { what: 'the events of others to arrive' })
            }
            const receiver = await startReceiver()
            const merchant = await newPayoutMerchant(sql, { funds: 1_000_000 })
            await addEndpoint(sql, merchant, { url: receiver.url, secret_key })
            const { payouts, ...requests } = requestsOf(merchant)
            return {
              ...requests,
              async check() {
                const made = await sql`select from payouts where merchant_id = ${merchant.merchant_id}`
                assert.equal(made.length, payouts, 'one payout for each that was asked for')
                await checkEvents(sql, merchant, receiver, point)
                await receiver[Symbol.asyncDispose]()
              },
            }
          },
        },
      ]
    }),
  )
}

/** Checks that there is one event for each move, and that each reached the merchant. */
async function checkEvents(
  sql: Sql,
  { merchant_id }: PayoutMerchant,
  { requests }: Receiver,
  point: CrashPoint,
): Promise<void> {
  const uneven = await readWhole(
    sql,
    (tx) => tx`
      select subject_id, type
        from (select payout_id as subject_id, 'payout.' || to_status as type, count(*) as moves
                from payout_transitions_log where merchant_id = ${merchant_id} group by 1, 2) m
        full join (select subject_id, type, count(*) as events
                     from events where merchant_id = ${merchant_id} and type like 'payout.%' group by 1, 2) e
          using (subject_id, type)
       where m.moves is distinct from e.events`,
  )
  assert.deepEqual([...uneven], [], 'one event for each move')
  const events = await sql<{ id: string }[]>`select id from events where merchant_id = ${merchant_id}`
  const received = new Set(requests.map(({ headers }) => String(headers['service-event-id'])))
  assert.deepEqual(received, new Set(events.map(({ id }) => id)))
  if (point === 'after_webhook_2xx_before_commit') {
    assert.ok(requests.length > events.length, 'what was not noted as taken came again')
  }
}
