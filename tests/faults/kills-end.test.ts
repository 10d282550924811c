import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { newCollector } from '../contract/collector.ts'
import { openInstallation, payment } from '../harness/installation.ts'
import { checkPayouts, readWhole } from '../harness/oracle.ts'
import { openSeed, type Seed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { askFor, confirmAll, type KeyedRequest, keyedRequest } from './keyed-requests.ts'
import { newPayoutMerchant, payout } from './payout-merchant.ts'

// The test kills the service ten times during three hundred requests and restarts it. All operations end by themselves, and none twice.

const INSTALLATIONS = 2
const KILLS = 5
const PAYMENTS = 200
const PAYOUTS = 100
const MERCHANTS = 10
/** Sends under way when the service is killed. */
const UNDER_WAY = 15
const ENDS_MS = 90_000

/** Ends of numbers: payers who pay, and recipients who get their money or do not. */
const PAYERS = ['0000', '0000', '0004', '0005']
const RECIPIENTS = ['0000', '0000', '0001', '0004', '0005', '0006']

describe('killed under 300 requests', { concurrency: INSTALLATIONS }, () => {
  for (let number = 1; number <= INSTALLATIONS; number += 1) {
    test(`${KILLS} times (${number}): every operation ends within 90 s without a person, and none is executed twice`, {
      // Every end may take its whole time.
      timeout: 2 * KILLS * ENDS_MS,
    }, async (t) => {
      const seed = openSeed(t)
      await using installation = await openInstallation({ processes: [] })
      const { sql } = installation.db
      const collectors = await Promise.all(Array.from({ length: MERCHANTS }, () => newCollector(installation)))
      const senders = await Promise.all(
        Array.from({ length: MERCHANTS }, () => newPayoutMerchant(sql, { funds: 100_000_000 })),
      )
      const number = (ends: readonly string[]) =>
        `07${String(seed.between(0, 9_999)).padStart(4, '0')}${seed.pick(ends)}`
      const newPayment = () => {
        const counterparty = { msisdn: number(PAYERS) }
        const { key } = seed.pick(collectors).merchant
        const asked = payment(key, { amount: seed.between(100, 5_000), counterparty })
        return keyedRequest({ ...asked, idempotency_key: asked.idempotency_key! })
      }
      const newPayout = () =>
        keyedRequest(payout(seed.pick(senders), { amount: seed.between(100, 5_000), msisdn: number(RECIPIENTS) }))

      const requests: KeyedRequest[] = []
      const slowest: number[] = []
      let neverHeld = 0
      let service = await installation.start()
      for (let kill = 0; kill < KILLS; kill += 1) {
        const burst = [...Array.from({ length: PAYMENTS }, newPayment), ...Array.from({ length: PAYOUTS }, newPayout)]
        requests.push(...burst)
        const { address } = service
        const asking = Promise.all(burst.map((one) => askFor(address, one)))
        await untilSending(sql, seed)
        const { signal } = await service.kill('SIGKILL')
        assert.equal(signal, 'SIGKILL', 'it did not end by itself before')
        await asking
        neverHeld += await countNeverHeld(sql)

        service = await installation.start()
        const restarted = performance.now()
        await confirmAll(service.address, burst)
        await waitFor(async () => (await readOpen(sql)).length === 0, {
          deadline_ms: ENDS_MS - (performance.now() - restarted),
          what: 'everything to end',
        }).catch(async (error) => assert.fail(`${error.message} ${JSON.stringify((await readOpen(sql)).slice(0, 5))}`))
        slowest.push(Math.round(performance.now() - restarted))
      }
      assert.ok(neverHeld > 0, 'something was committed as sending, and never came to its operator')
      await service.stop()
      const again = await check(sql, requests.length)
      assert.ok(again >= neverHeld, `${again} of ${neverHeld} were sent again`)
      t.diagnostic(`${neverHeld} never held, ${again} sent again; all ended ${slowest.join(', ')} ms after the restart`)
    })
  }
})

/** Waits until enough sends are under way, and then for a random moment. */
async function untilSending(sql: Sql, seed: Seed): Promise<void> {
  const sending = async () => {
    const [row] = await sql<{ sending: number }[]>`
      select count(*) as sending from instructions where next_check_at is not null and state = 'sending'`
    return row!.sending >= UNDER_WAY
  }
  await waitFor(sending, { what: 'sends to be under way' })
  await sleep(seed.between(0, 20))
}

/** Instructions whose send is committed and that their operator does not hold. */
async function countNeverHeld(sql: Sql): Promise<number> {
  const rows = await readWhole(
    sql,
    (tx) => tx`
      select from instructions i
       where i.state = 'sending'
         and not exists (select from simulator_orders o
                          where (o.merchant_id, o.livemode, o.reference) = (i.merchant_id, i.livemode, i.reference))`,
  )
  return rows.length
}

function readOpen(sql: Sql) {
  return readWhole(
    sql,
    (tx) => tx`
      select id, status from payments where status in ('created', 'pending')
       union all
      select id, status from payouts where status in ('created', 'processing', 'indeterminate')`,
  )
}

/** Checks in the operator's own journal that each request was executed once, without a person. Returns the number of repeated sends. */
async function check(sql: Sql, requests: number): Promise<number> {
  await checkPayouts(sql)
  const [row] = await readWhole(
    sql,
    (tx) => tx<Record<string, number>[]>`
      select (select count(*) from payments) + (select count(*) from payouts) as requests,
             (select count(*) from instructions) as instructions,
             (select count(*) from simulator_orders) as orders,
             (select count(distinct reference) from simulator_orders) as references,
             (select count(*) from payments where status <> 'succeeded') as unpaid,
             (select count(*) from anomalies) as anomalies,
             (select count(*) from instructions where sent_again > 0) as again`,
  )
  const { again, ...counts } = row!
  assert.deepEqual(counts, {
    requests,
    instructions: requests,
    orders: requests,
    references: requests,
    unpaid: 0,
    anomalies: 0,
  })
  return again!
}
