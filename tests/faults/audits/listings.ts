import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { listingChecks } from '../../../src/app/audit/listing-checks.ts'
import { createFillListings } from '../../../src/listings/fill-listings.ts'
import { machineMilliseconds } from '../../../src/platform/clock.ts'
import type { Sql } from '../../../src/platform/postgres/database.ts'
import type { TestDatabase } from '../../harness/database.ts'
import type { Installation } from '../../harness/installation.ts'
import { waitFor } from '../../harness/wait-for.ts'
import { newPayoutMerchant, payout } from '../payout-merchant.ts'
import { type Harm, testHarms, wrongIn } from './harm.ts'

// The audit compares lists and charts with the operations. These tests break each of its checks once.

/** The merchants whose operations are counted here. */
let ids: number[] = []

/** Payments and payouts that succeed and fail. */
export async function liveListings(installation: Installation): Promise<void> {
  const { sql } = installation.db
  const { key, merchant_id } = await installation.newMerchant()
  const pay = (msisdn: string) => installation.pay(key, { amount: 1_000, counterparty: { msisdn } })
  const sender = await newPayoutMerchant(sql, { funds: 20_000 })
  ids = [merchant_id, sender.merchant_id]
  for (const end of ['0000', '0001']) {
    assert.equal((await pay(`070000${end}`)).status, 201)
    assert.equal((await installation.ask(payout(sender, { amount: 500, msisdn: `070000${end}` }))).status, 201)
  }
  const ended = async () =>
    (
      await sql`
        select from payments where merchant_id = any(${ids}) and status in ('created', 'pending')
         union all
        select from payouts where merchant_id = any(${ids}) and status in ('created', 'processing')`
    ).length === 0
  await waitFor(ended, { what: 'every operation to have an outcome' })
}

/** Runs both passes of the worker over all operations. Waits until the millisecond of the last row is over, because more rows of it could come. */
async function listAll(sql: Sql): Promise<void> {
  const last = machineMilliseconds()
  await waitFor(() => machineMilliseconds() > last, { what: 'the next millisecond' })
  await createFillListings({ sql, listed_after_ms: 0 })(new AbortController().signal)
}

/** Tests the lists two hours later: the audit does not require both passes of the worker for operations of the last hour. */
export function testListings(db: () => TestDatabase): void {
  before(() => db().moveClock('2 hours'))

  test('the audit passes undamaged lists, however far the worker has come', async () => {
    const { sql } = db()
    assert.deepEqual(await wrongIn(sql), [], 'before the worker listed anything')
    await listAll(sql)
    assert.deepEqual(await wrongIn(sql), [], 'when all is listed')
    const [counted] = await sql<{ count: number }[]>`
      select sum(count)::integer as count from daily_figures where merchant_id = any(${ids})`
    assert.equal(counted!.count, 4)
  })

  testHarms(() => db().sql, { checks: listingChecks, guarded: ['payments', 'payouts'], harms })
}

const [summed, listed] = listingChecks.map(({ check }) => check) as [string, string]

/** Each way in which a figure or a row of both kinds can be wrong. */
const harms: [string, Harm][] = [
  [summed, (tx) => tx`update daily_figures set count = count + 1 where kind = 'payment' and status = 'failed'`],
  [summed, (tx) => tx`update daily_figures set amount = amount - 1 where kind = 'payout' and status = 'succeeded'`],
  [
    summed,
    (tx) => tx`update daily_figures set fee_amount = fee_amount + 1 where kind = 'payout' and status = 'succeeded'`,
  ],
  [summed, (tx) => tx`update daily_figures set day = day - 1 where kind = 'payment' and status = 'succeeded'`],
  [
    summed,
    (tx) => tx`
      update daily_figures set operator = 'moov_ci'
       where kind = 'payment' and status = 'succeeded' and merchant_id = any(${ids})`,
  ],
  [summed, (tx) => tx`update daily_figures set livemode = not livemode where kind = 'payout'`],
  [summed, (tx) => tx`delete from daily_figures where kind = 'payout' and status = 'failed'`],
  [summed, (tx) => tx`delete from listed_operations where kind = 'payment' and status = 'succeeded'`],
  [listed, (tx) => tx`delete from listed_operations where kind = 'payout' and status = 'succeeded'`],
  [
    listed,
    (tx) =>
      tx`update listed_operations set status = 'created', version = 0 where kind = 'payment' and status = 'failed'`,
  ],
  [listed, (tx) => tx`update listed_operations set last4 = '9999' where kind = 'payout'`],
  [listed, (tx) => tx`update payments set operator = 'moov_ci' where status = 'failed'`],
  [
    listed,
    (tx) => tx`insert into listed_operations (merchant_id, livemode, kind, id, version, status, amount)
                      select merchant_id, livemode, kind, 'txn_0', version, status, amount from listed_operations limit 1`,
  ],
]
