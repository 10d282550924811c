import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Answer, Asked } from '../contract/ask.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { addFunds } from '../harness/merchant.ts'
import { checkBooks, checkPayouts, readWhole, waitForPayouts } from '../harness/oracle.ts'
import { openSeed } from '../harness/seed.ts'
import { act, batch, FEE, idOf, newPayoutMerchant, outcome, payout, tally } from './payout-merchant.ts'

// Two processes answer, and none sends until the end, so only the lock decides.

/** The rounds of five hundred payouts at once. The night has two hundred. */
const ROUNDS = Number(process.env.FUNDS_ROUNDS ?? 40)

let installation: Installation

before(async () => {
  // No worker sends, so no batch ends while its execution waits.
  installation = await openInstallation({
    env: { BATCH_WAIT_SECONDS: '0' },
    processes: [
      ['--only', 'api'],
      ['--only', 'api'],
    ],
  })
})

after(() => installation[Symbol.asyncDispose]())

/** Makes all requests at once, to both processes in turn. */
function askAll(asked: readonly Asked[]): Promise<Answer[]> {
  return Promise.all(asked.map((one, at) => installation.ask(one, at % 2)))
}

test('concurrent payouts are accepted exactly as far as the balance covers them, round after round', {
  timeout: 300_000,
}, async (t) => {
  const { sql } = installation.db
  const COVERED = 10
  /** The number of concurrent payouts: a merchant's worst day. */
  const SIZE = 500
  let merchant = await newPayoutMerchant(sql, { funds: 0 })
  let refused = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    // Merchants that never had a balance, and one whose account has a long past.
    if (round % 20 === 0) merchant = await newPayoutMerchant(sql, { funds: 0 })
    const amount = 1_000 + round
    await addFunds(sql, merchant, COVERED * (amount + FEE))
    const answers = await askAll(Array.from({ length: SIZE }, () => payout(merchant, { amount })))
    const expected = { '201': COVERED, '409 insufficient_funds': SIZE - COVERED }
    assert.deepEqual(tally(answers), expected, `round ${round}`)
    refused += SIZE - COVERED
    const [row] = await sql<{ balance: number; kept: number }[]>`
      select balance,
             (select count(*) from idempotency_keys where merchant_id = a.merchant_id)::int as kept
        from accounts a
       where merchant_id = ${merchant.merchant_id} and livemode = false and account = 'transfer'`
    assert.deepEqual({ ...row }, { balance: 0, kept: COVERED * ((round % 20) + 1) })
  }
  // The audit walks every prefix of every account in the order of its commits.
  await checkBooks(sql)
  t.diagnostic(`${ROUNDS} rounds of ${SIZE} payouts at once; ${ROUNDS * COVERED} accepted, ${refused} refused`)
})

test('payouts and batches that share a balance never take more than it holds', async (t) => {
  const { sql } = installation.db
  const seed = openSeed(t)
  for (let round = 0; round < 10; round += 1) {
    const amount = 700
    const units = seed.between(1, 70)
    const merchant = await newPayoutMerchant(sql, { funds: units * (amount + FEE) + seed.between(0, amount) })
    const msisdns = Array.from({ length: 20 }, (_, at) => `07000010${String(at).padStart(2, '0')}`)
    const batches = await askAll([batch(merchant, { amount, msisdns }), batch(merchant, { amount, msisdns })])
    assert.deepEqual(tally(batches), { '201': 2 })
    const singles = Array.from({ length: 40 }, () => payout(merchant, { amount }))
    const executions = batches.map((made) => act(merchant, idOf(made), 'execute'))
    const order = seed.between(0, 2)
    const answers = await Promise.all([
      ...(order === 0 ? executions : []).map((one, at) => installation.ask(one, at)),
      ...singles.map((one, at) => installation.ask(one, at % 2)),
      ...(order === 0 ? [] : executions).map((one, at) => installation.ask(one, at)),
    ])
    const executed = answers.filter((answer) => answer.status === 200)
    assert.equal(executed.length, 2)
    const sent = executed.flatMap((answer) => (answer.json() as { lines: { payout_id: string | null }[] }).lines)
    const accepted = sent.filter(({ payout_id }) => payout_id !== null).length + (tally(answers)['201'] ?? 0)
    assert.equal(accepted, units, `round ${round}: ${JSON.stringify(tally(answers))}`)
    for (const answer of answers) assert.match(outcome(answer), /^(?:200|201|409 insufficient_funds)$/)
  }
  await checkBooks(sql)
})

test('of concurrent payouts worth twice the 24-hour cap, half is sent, half waits for a person, and all count', async () => {
  const { sql } = installation.db
  const PAYOUTS = 200
  const amount = 1_000
  const day = (PAYOUTS / 2) * amount
  for (let round = 0; round < 3; round += 1) {
    const merchant = await newPayoutMerchant(sql, { funds: 10 * day, day })
    const answers = await askAll(Array.from({ length: PAYOUTS }, () => payout(merchant, { amount })))
    assert.deepEqual(tally(answers), { '201': PAYOUTS / 2, '202': PAYOUTS / 2 }, `round ${round}`)
    for (const answer of answers.filter(({ status }) => status === 202)) {
      const { reason, limit } = answer.json() as { reason: string; limit: number }
      assert.deepEqual([reason, limit], ['plafond_24h', day])
    }
    const [row] = await sql<{ used: number; balance: number }[]>`
      select w.used, a.balance
        from payout_cap_totals w
        join accounts a using (merchant_id, livemode)
       where w.merchant_id = ${merchant.merchant_id} and a.account = 'transfer'`
    assert.deepEqual({ ...row }, { used: 2 * day, balance: 10 * day - (PAYOUTS / 2) * (amount + FEE) })
  }
  await checkBooks(sql)
})

test('concurrent payouts and batches of any size never send more than the 24-hour cap', async (t) => {
  const { sql } = installation.db
  const seed = openSeed(t)
  for (let round = 0; round < 10; round += 1) {
    const day = 100_000
    const merchant = await newPayoutMerchant(sql, { funds: 10 * day, day, operation: 9_000 })
    const asked = Array.from({ length: 60 }, (_, at) =>
      at % 12 === 0
        ? batch(merchant, { amount: seed.between(1, 4_000), msisdns: ['0700001000', '0700001001', '0700001002'] })
        : payout(merchant, { amount: seed.between(1, 9_500) }),
    )
    const answers = await askAll(asked)
    let sent = 0
    let all = 0
    for (const answer of answers) {
      assert.match(outcome(answer), /^20[12]$/)
      const made = answer.json() as { status: string; amount?: number; total_amount?: number }
      const amount = made.amount ?? made.total_amount!
      all += amount
      if (answer.status === 201 && made.status !== 'en_attente_validation') sent += amount
    }
    assert.ok(sent <= day, `${sent} of ${day} in round ${round}`)
    assert.ok(all > day, 'the cap was reached')
    const [row] = await sql<{ used: number }[]>`
      select used from payout_cap_totals where merchant_id = ${merchant.merchant_id}`
    assert.equal(row!.used, all)
  }
  await checkBooks(sql)
})

test('a payout counts towards the 24-hour cap for 24 hours, to the second, in both processes', async () => {
  const { sql, moveClock } = installation.db
  const merchant = await newPayoutMerchant(sql, { funds: 100_000, day: 1_000 })
  const pay = async (amount: number) =>
    tally(await askAll([payout(merchant, { amount }), payout(merchant, { amount })]))
  assert.deepEqual(await pay(500), { '201': 2 })
  await moveClock('23 hours 59 minutes 57 seconds')
  // A held payout counts from now on, for its own 24 hours.
  assert.deepEqual(await pay(1), { '202': 2 })
  await moveClock('24 hours 1 second')
  assert.deepEqual(await pay(499), { '201': 2 })
  assert.deepEqual(await pay(1), { '202': 2 })
  await moveClock('0')
  await checkBooks(sql)
})

test('the service sends each accepted payout once, and none that it answered with 202', async () => {
  const { sql } = installation.db
  await using _worker = await installation.start({ args: ['--only', 'worker'] })
  await waitForPayouts(sql, 60_000)
  const { succeeded = 0, ...others } = await checkPayouts(sql)
  assert.deepEqual(others, {})
  const [row] = await readWhole(
    sql,
    (tx) => tx<{ orders: number; payouts: number; approved: number; held: boolean }[]>`
      select (select count(*) from simulator_orders) as orders,
             (select count(*) from payouts) as payouts,
             (select count(*) from payout_requests where payout_id is not null) as approved,
             (select count(*) > 300 from payout_requests) as held`,
  )
  assert.deepEqual({ ...row }, { orders: succeeded, payouts: succeeded, approved: 0, held: true })
})
