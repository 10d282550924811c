import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listingChecks } from '../../src/app/audit/listing-checks.ts'
import { audit } from '../../src/app/audit.ts'
import { createFillListings } from '../../src/listings/fill-listings.ts'
import { machineMilliseconds } from '../../src/platform/clock.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { type Harm, testHarms } from './harm.ts'
import { newPayoutMerchant, payout } from './payout-merchant.ts'

// The audit compares lists and charts with the operations. These tests break each of its checks once.

let installation: Installation

/** Runs both passes of the worker over all operations. Waits until the millisecond of the last row is over, because more rows of it could come. */
async function listAll(): Promise<void> {
  const last = machineMilliseconds()
  await waitFor(() => machineMilliseconds() > last, { what: 'the next millisecond' })
  await createFillListings({ sql: installation.db.sql, listed_after_ms: 0 })(new AbortController().signal)
}

before(async () => {
  installation = await openInstallation({ own: 'moves the clock' })
  const { sql } = installation.db
  const { key } = await installation.newMerchant()
  const pay = (msisdn: string) => installation.pay(key, { amount: 1_000, counterparty: { msisdn } })
  const sender = await newPayoutMerchant(sql, { funds: 20_000 })
  for (const end of ['0000', '0001']) {
    assert.equal((await pay(`070000${end}`)).status, 201)
    assert.equal((await installation.ask(payout(sender, { amount: 500, msisdn: `070000${end}` }))).status, 201)
  }
  const ended = async () =>
    (
      await sql`select from payments where status in ('created', 'pending')
                 union all select from payouts where status in ('created', 'processing')`
    ).length === 0
  await waitFor(ended, { what: 'every operation to have an outcome' })
  // With the service stopped, only these tests change the rows below.
  await installation.services[0]!.stop()
  // The audit does not require both passes of the worker for operations of the last hour.
  await installation.db.moveClock('2 hours')
})

after(() => installation[Symbol.asyncDispose]())

const auditPassesUndamaged = async (when: string) => {
  const { checks } = await audit(installation.db.sql)
  assert.deepEqual(
    checks.filter(({ wrong }) => wrong > 0),
    [],
    when,
  )
}

test('the audit passes undamaged lists, however far the worker has come', async () => {
  await auditPassesUndamaged('before the worker listed anything')
  await listAll()
  await auditPassesUndamaged('when all is listed')
  const [counted] = await installation.db.sql<
    { count: number }[]
  >`select sum(count)::integer as count from daily_figures`
  assert.equal(counted!.count, 4)
})

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
  [summed, (tx) => tx`update daily_figures set operator = 'moov_ci' where kind = 'payment' and status = 'succeeded'`],
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

testHarms(() => installation.db.sql, listingChecks, ['payments', 'payouts'], harms)
