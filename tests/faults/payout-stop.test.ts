import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../contract/ask.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { createKey } from '../harness/keys.ts'
import { checkPayouts, waitForPayouts } from '../harness/oracle.ts'
import { resumeByTwo, stopPayouts } from '../harness/payout-stops.ts'
import { waitFor } from '../harness/wait-for.ts'
import { act, batch, idOf, newPayoutMerchant, payout, tally } from './payout-merchant.ts'

let installation: Installation

before(async () => {
  const env = { BATCH_WAIT_SECONDS: '0' }
  installation = await openInstallation({
    env,
    processes: [
      ['--only', 'api'],
      ['--only', 'worker'],
      ['--only', 'worker'],
    ],
  })
})

after(() => installation[Symbol.asyncDispose]())

test('two seconds after a stop under load no payout leaves; all are sent when the stop is lifted', async (t) => {
  const { db, ask, bandama } = installation
  const { sql } = db
  const merchant = await newPayoutMerchant(sql, { funds: 100_000_000 })
  const msisdns = Array.from({ length: 100 }, (_, at) => `0500${String(at).padStart(4, '0')}00`)
  const drafts = await Promise.all([1, 2].map(() => ask(batch(merchant, { amount: 200, msisdns }))))

  // Payouts keep coming, before, during and after the command.
  const answers: Promise<Answer>[] = []
  let coming = true
  const load = (async () => {
    while (coming) {
      answers.push(...Array.from({ length: 10 }, () => ask(payout(merchant, { amount: 100 }))))
      await sleep(60)
    }
  })()
  await using _load = {
    async [Symbol.asyncDispose]() {
      coming = false
      await load
    },
  }
  const sent = () => countOrders('2000-01-01')
  await waitFor(async () => (await sent()) > 20, { what: 'payouts to flow' })
  const executed = drafts.map((draft) => ask(act(merchant, idOf(draft), 'execute')))
  await bandama('payouts', 'stop', '--all', '--as', 'chef@example.com')
  const [{ stopped_at } = { stopped_at: '' }] = await sql<
    { stopped_at: string }[]
  >`select clock_now()::text as stopped_at`
  assert.deepEqual(tally(await Promise.all(executed)), { '200': 2 })
  const waiting = async () => {
    const [row] = await sql<{ count: number }[]>`select count(*) from payouts where status = 'created'`
    return row!.count
  }
  await waitFor(async () => (await waiting()) >= 200, { what: '200 payouts to wait' })
  const end = performance.now() + 3_000
  await waitFor(() => performance.now() > end)
  coming = false
  await load
  assert.deepEqual(tally(await Promise.all(answers)), { '201': answers.length }, 'payouts are accepted all the same')

  const [late] = await sql<{ count: number; latest_ms: number }[]>`
    select count(*) filter (where taken_at > ${stopped_at}::timestamptz + interval '2 seconds') as count,
           (extract(epoch from max(taken_at) - ${stopped_at}::timestamptz) * 1000)::int as latest_ms
      from simulator_orders`
  assert.equal(late!.count, 0, `the last one was sent ${late!.latest_ms} ms after the stop`)
  // A minute later the sweep reads all waiting payouts, and leaves them waiting.
  const sentBefore = await sent()
  await db.moveClock('61 seconds')
  await waitFor(
    async () => (await sql`select from instructions where next_check_at <= clock_now() limit 1`).length === 0,
    { what: 'the sweep to have looked at everything' },
  )
  assert.equal(await sent(), sentBefore)
  assert.ok((await waiting()) >= 200)

  // Collections go on.
  const { key } = await createKey(sql, merchant, { key_prefix: 'bdm', scope: 'collect' })
  const body = { amount: 100, counterparty: { msisdn: '0700000000' } }
  const asked = { path: '/v1-payments', key: key.reveal(), idempotency_key: randomUUID(), body }
  assert.equal((await ask(asked)).status, 201)
  await waitFor(async () => (await sql`select from payments where status = 'succeeded'`).length === 1, {
    what: 'a collection to succeed while payouts are stopped',
  })

  const before = await waiting()
  await bandama('payouts', 'resume', '--all', '--as', 'chef@example.com')
  await bandama('payouts', 'resume', '--all', '--as', 'other@example.com')
  await waitForPayouts(sql)
  const counts = await checkPayouts(sql)
  assert.deepEqual(counts, { succeeded: answers.length + 200 })
  t.diagnostic(`${sentBefore} sent, the last ${late!.latest_ms} ms after the stop; ${before} waited`)

  async function countOrders(since: string): Promise<number> {
    const [row] = await sql<{ count: number }[]>`
      select count(*) from simulator_orders where direction = 'payout' and taken_at > ${since}::timestamptz`
    return row!.count
  }
})

test('a stop for one merchant or one operator holds back no other payout', async () => {
  const { db, ask } = installation
  const { sql } = db
  const [stopped, free] = await Promise.all([1, 2].map(() => newPayoutMerchant(sql, { funds: 1_000_000 })))
  const merchantOnly = { scope: 'merchant', merchant_id: stopped!.merchant_id } as const
  const operatorOnly = { scope: 'operator', operator: 'mtn_ci' } as const
  await stopPayouts(sql, merchantOnly, actor('chef@example.com'))
  await stopPayouts(sql, operatorOnly, actor('chef@example.com'))
  const made = await Promise.all([
    ...Array.from({ length: 10 }, () => ask(payout(stopped!, { amount: 100, msisdn: '0700000000' }))),
    ...Array.from({ length: 10 }, () => ask(payout(free!, { amount: 100, msisdn: '0700000000' }))),
    ...Array.from({ length: 10 }, () => ask(payout(free!, { amount: 100, msisdn: '0500000000' }))),
  ])
  const ids = made.map(idOf)
  const statuses = async (wanted: string[]) => {
    const rows = await sql<{ status: string }[]>`select distinct status from payouts where id = any(${wanted})`
    return rows.map(({ status }) => status)
  }
  await waitFor(async () => (await statuses(ids.slice(10, 20))).join() === 'succeeded')
  assert.deepEqual(await statuses(ids.slice(0, 10)), ['created'])
  assert.deepEqual(await statuses(ids.slice(20)), ['created'])
  await resumeByTwo(sql, merchantOnly)
  await waitFor(async () => (await statuses(ids.slice(0, 10))).join() === 'succeeded')
  assert.deepEqual(await statuses(ids.slice(20)), ['created'])
  await resumeByTwo(sql, operatorOnly)
  await waitForPayouts(sql)
  await checkPayouts(sql)
})
