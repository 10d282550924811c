import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { countWaiting, hold } from '../harness/hold.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkBatch, checkPayout } from './payout-answers.ts'
import { newSender, PATIENCE, payout, type Sender } from './sender.ts'

// One merchant sends all the calls that its limits allow at once; another merchant is served as if it were alone.

let installation: Installation
before(async () => {
  installation = await openInstallation({
    env: { PAYOUT_CAP_DAY: '1000000000', BATCH_WAIT_SECONDS: '0' },
    processes: [['--only', 'api']],
  })
})
after(() => installation[Symbol.asyncDispose]())

const LINES = 500

/** A batch of payouts to so many people, the same in every batch. */
function batchOf(lines: number) {
  const to = (at: number) => ({ msisdn: `07${String(at).padStart(4, '0')}1234`, operator: 'orange_ci', name: 'Awa' })
  return { lines: Array.from({ length: lines }, (_, at) => ({ amount: 100, beneficiary: to(at) })) }
}

async function pay(sender: Sender): Promise<void> {
  const body = { amount: 500, counterparty: { msisdn: newPayer() } }
  assert.equal((await installation.pay(sender.merchant.key, body)).status, 201)
}

/** How many of these are not answered yet. */
function counting(answers: readonly Promise<unknown>[]): { left: () => number } {
  let left = answers.length
  for (const answer of answers) answer.finally(() => (left -= 1)).catch(() => {})
  return { left: () => left }
}

test('hundreds of batches made at once keep no other merchant waiting, and each is made or refused', async () => {
  const [busy, neighbour] = [await newSender(installation), await newSender(installation)]
  const storm = Array.from({ length: 120 }, () => busy.prepare(batchOf(LINES), { patience_ms: 30_000 }))
  const storming = counting(storm)
  for (let at = 0; at < 10; at += 1) {
    await pay(neighbour)
    checkPayout(await neighbour.send(payout(100)), 201)
  }
  assert.ok(storming.left() > 0, 'the neighbour was served while the batches were made')
  const statuses = Map.groupBy(await Promise.all(storm), ({ status }) => status)
  const made = statuses.get(201)?.length ?? 0
  const refused = statuses.get(429) ?? []
  assert.equal(made + refused.length, storm.length, `answered ${[...statuses.keys()]}`)
  for (const answer of refused) {
    assert.equal(answer.headers['retry-after'], '1')
    assert.ok(answer.headers['ratelimit-limit'] !== undefined)
  }
  const [row] = await installation.db.sql<{ count: number }[]>`
    select count(*)::integer as count from payout_batches where merchant_id = ${busy.tenant.merchant_id}`
  assert.equal(row!.count, made, 'what was refused was not made, and what was made was not refused')
})

test("of calls that lock one merchant's rows one waits for the lock, and the others take no connection", async () => {
  const [held, neighbour] = [await newSender(installation), await newSender(installation)]
  const { sql } = installation.db
  await using holder = await hold(
    sql,
    (tx) => tx`select from accounts where merchant_id = ${held.tenant.merchant_id} for update`,
  )
  const waiting = Array.from({ length: 12 }, () => held.prepare(batchOf(1)))
  await waitFor(async () => (await countWaiting(sql, { name: 'bandama api' })) === 1, PATIENCE)
  for (let at = 0; at < 5; at += 1) {
    checkBatch(await neighbour.prepare(batchOf(1)), 201)
    assert.equal(await countWaiting(sql, { name: 'bandama api' }), 1)
  }
  await holder.letGo()
  for (const answer of await Promise.all(waiting)) assert.ok([201, 500].includes(answer.status), answer.text)
})

test('payouts and payments of a merchant with thousands under way take turns with those of others on their way to the operator', async () => {
  const [busy, neighbour] = [
    await newSender(installation, { funds: 10_000_000 }),
    await newSender(installation, { funds: 10_000_000 }),
  ]
  for (let made = 0; made < 6; made += 1) {
    const { id } = checkBatch(await busy.prepare(batchOf(LINES)), 201)
    checkBatch(await busy.execute(id), 200, { status: 'en_cours' })
  }
  for (let made = 0; made < 5; made += 1) await Promise.all(Array.from({ length: 200 }, () => pay(busy)))
  const { id } = checkPayout(await neighbour.send(payout(100)), 201)
  await pay(neighbour)
  await using _worker = await installation.start({ args: ['--only', 'worker'] })
  const { sql } = installation.db
  const open = async (table: string, { tenant }: Sender) => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::integer as count from ${sql(table)}
       where merchant_id = ${tenant.merchant_id} and status in ('created', 'processing', 'pending')`
    return row!.count
  }
  await neighbour.untilPayout(id, 'succeeded')
  const left = await open('payouts', busy)
  assert.ok(left > 1_500, `${left} of 3 000 payouts were still under way`)
  await waitFor(async () => (await open('payments', neighbour)) === 0, PATIENCE)
  await waitFor(async () => (await open('payouts', busy)) === 0, { deadline_ms: 60_000 })
})
