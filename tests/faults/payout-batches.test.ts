import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Answer } from '../contract/ask.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { checkPayouts, readWhole, waitForPayouts } from '../harness/oracle.ts'
import { openSeed } from '../harness/seed.ts'
import { act, batch, FEE, idOf, newPayoutMerchant, type PayoutMerchant, tally } from './payout-merchant.ts'

let installation: Installation

before(async () => {
  const env = { BATCH_WAIT_SECONDS: '60' }
  installation = await openInstallation({ env, processes: [['--only', 'api'], []] })
})

after(() => installation[Symbol.asyncDispose]())

async function newBatch(merchant: PayoutMerchant, msisdns: string[], amount = 500): Promise<string> {
  const answer = await installation.ask(batch(merchant, { amount, msisdns }))
  assert.equal(answer.status, 201, answer.text)
  return idOf(answer)
}

/** Milliseconds, more than an execution waits for its lines. */
const PATIENCE_MS = 75_000

/** Makes one call many times at once, to both processes in turn. */
function actAll(merchant: PayoutMerchant, batch_id: string, what: ('execute' | 'cancel')[]): Promise<Answer[]> {
  return Promise.all(
    what.map((one, at) => installation.ask({ ...act(merchant, batch_id, one), patience_ms: PATIENCE_MS }, at % 2)),
  )
}

test('one of fifty concurrent executions succeeds, and each line is sent once', async () => {
  const { sql } = installation.db
  const merchant = await newPayoutMerchant(sql, { funds: 1_000_000 })
  for (let round = 0; round < 5; round += 1) {
    const batch_id = await newBatch(
      merchant,
      Array.from({ length: 30 }, (_, at) => `0500${round}0${String(at).padStart(2, '0')}00`),
    )
    const answers = await actAll(
      merchant,
      batch_id,
      Array.from({ length: 50 }, () => 'execute'),
    )
    assert.deepEqual(tally(answers), { '200': 1, '409 batch_not_executable': 49 })
    const executed = answers.find(({ status }) => status === 200)!
    assert.equal((executed.json() as { status: string }).status, 'termine')
    assert.deepEqual(tally(await actAll(merchant, batch_id, ['execute', 'cancel'])), {
      '409 batch_not_executable': 1,
      '409 batch_not_cancellable': 1,
    })
  }
  const { succeeded } = await checkPayouts(sql)
  assert.equal(succeeded, 150)
})

test('one of concurrent executions and cancellations wins, and a cancelled batch never sends anything', async (t) => {
  const { sql } = installation.db
  const seed = openSeed(t)
  const BATCHES = 50
  const merchant = await newPayoutMerchant(sql, { funds: BATCHES * 2 * (500 + FEE) })
  const outcomes = await Promise.all(
    Array.from({ length: BATCHES }, async () => {
      const batch_id = await newBatch(merchant, ['0700005500', '0700005501'])
      const cancelFirst = seed.chance(0.5)
      const pair = cancelFirst ? (['cancel', 'execute'] as const) : (['execute', 'cancel'] as const)
      const answers = await actAll(merchant, batch_id, [...pair, ...pair, ...pair])
      const won = answers.filter(({ status }) => status === 200)
      assert.equal(won.length, 1, JSON.stringify(tally(answers)))
      const { status } = won[0]!.json() as { status: string }
      return { batch_id, cancelled: status === 'annule' }
    }),
  )
  await waitForPayouts(sql)
  const cancelled = outcomes.filter((outcome) => outcome.cancelled).map(({ batch_id }) => batch_id)
  assert.ok(cancelled.length > 0 && cancelled.length < BATCHES, `${cancelled.length} of ${BATCHES} were cancelled`)
  const [row] = await readWhole(
    sql,
    (tx) => tx<{ payouts: number; touched: number; used: number; executed: number }[]>`
      select (select count(*) from payouts where batch_id = any(${cancelled})) as payouts,
             (select count(*) from payout_batch_lines
               where batch_id = any(${cancelled}) and (status <> 'cancelled' or payout_id is not null)) as touched,
             (select sum(amount)::bigint from payout_cap_usage where subject_id = any(${cancelled})) as used,
             (select count(*) from payouts where merchant_id = ${merchant.merchant_id} and status = 'succeeded') as executed`,
  )
  assert.deepEqual({ ...row }, { payouts: 0, touched: 0, used: 0, executed: 2 * (BATCHES - cancelled.length) })
  // The funds of the cancelled batches are still there, to the franc.
  const [account] = await sql<{ balance: number }[]>`
    select balance from accounts where merchant_id = ${merchant.merchant_id} and account = 'transfer' and not livemode`
  assert.equal(account!.balance, cancelled.length * 2 * (500 + FEE))
  await checkPayouts(sql)
  t.diagnostic(`${cancelled.length} of ${BATCHES} were cancelled, the others executed`)
})
