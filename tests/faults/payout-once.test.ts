import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Answer, Asked } from '../contract/ask.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { checkPayouts, readWhole, waitForPayouts } from '../harness/oracle.ts'
import { batch, beneficiary, FEE, idOf, newPayoutMerchant, outcome, payout, tally } from './payout-merchant.ts'

let installation: Installation

before(async () => {
  installation = await openInstallation({
    processes: [
      ['--only', 'api'],
      ['--only', 'api'],
    ],
  })
})

after(() => installation[Symbol.asyncDispose]())

function askAll(asked: readonly Asked[]): Promise<Answer[]> {
  return Promise.all(asked.map((one, at) => installation.ask(one, at % 2)))
}

/** The ways in which people write one number. */
const writings = (digits: string) => [
  digits,
  `+225${digits}`,
  `00225${digits}`,
  `225 ${digits.replace(/../g, '$& ').trim()}`,
]

test('one number that payouts, batches and the book add a hundred times at once has one entry', async () => {
  const { sql } = installation.db
  const CALLS = 100
  const merchant = await newPayoutMerchant(sql, { funds: 1_000_000_000 })
  for (let round = 0; round < 10; round += 1) {
    const forms = writings(`07001${String(round).padStart(3, '0')}77`)
    const asked = Array.from({ length: CALLS }, (_, at): Asked => {
      const msisdn = forms[at % forms.length]!
      if (at % 10 === 0) return batch(merchant, { amount: 100, msisdns: [msisdn, forms[0]!] })
      if (at % 2 === 0) return payout(merchant, { amount: 100, msisdn })
      return {
        path: '/v1-beneficiaries',
        key: merchant.key,
        body: { ...beneficiary(msisdn), operator: 'orange_ci', label: `Ouvrier ${at}` },
      }
    })
    const answers = await askAll(asked)
    for (const answer of answers) assert.match(outcome(answer), /^20[01]$/)
    const created = answers.filter(({ status }, at) => asked[at]!.path === '/v1-beneficiaries' && status === 201)
    const entries = await sql<{ id: string; active: boolean }[]>`
      select id, active from beneficiaries where merchant_id = ${merchant.merchant_id} and msisdn = ${forms[1]!}`
    assert.deepEqual([entries.length, entries[0]?.active], [1, true], `round ${round}`)
    assert.ok(created.length <= 1, `${created.length} calls were told that they created it`)
    const [row] = await readWhole(
      sql,
      (tx) => tx<{ payouts: number; lines: number; elsewhere: number }[]>`
        select count(*) filter (where source = 'payout') as payouts, count(*) filter (where source = 'line') as lines,
               count(*) filter (where beneficiary_id <> ${entries[0]!.id}) as elsewhere
          from (select 'payout' as source, beneficiary_id, msisdn from payouts
                 union all
                select 'line', beneficiary_id, msisdn from payout_batch_lines) d
         where msisdn = ${forms[1]!}`,
    )
    assert.deepEqual({ ...row }, { payouts: 40, lines: 20, elsewhere: 0 })
  }
})

for (const { path, make } of [
  {
    path: '/v1-payouts',
    make: (merchant: Awaited<ReturnType<typeof newPayoutMerchant>>, idempotency_key: string, amount: number) =>
      payout(merchant, { amount, idempotency_key, reference: 'salaire' }),
  },
  {
    path: '/v1-payout-batches',
    make: (merchant: Awaited<ReturnType<typeof newPayoutMerchant>>, idempotency_key: string, amount: number) => ({
      ...batch(merchant, { amount, idempotency_key, msisdns: ['0700003001', '0700003002', '0700003003'] }),
    }),
  },
]) {
  test(`one key sent a hundred times at once to ${path} has one effect and one answer`, async () => {
    const { sql } = installation.db
    const ROUNDS = 10
    const merchant = await newPayoutMerchant(sql, { funds: ROUNDS * (500 + FEE) })
    let inProgress = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const asked = make(merchant, randomUUID(), 500)
      const answers = await askAll(Array.from({ length: 200 }, () => asked))
      const counts = tally(answers)
      const known = (counts['201'] ?? 0) + (counts['409 idempotency_in_progress'] ?? 0)
      assert.equal(known, 200, JSON.stringify(counts))
      inProgress += counts['409 idempotency_in_progress'] ?? 0
      const texts = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text))
      assert.equal(texts.size, 1, 'every success is the same, byte for byte')
      const replays = await askAll([asked, asked])
      for (const replay of replays) assert.equal(replay.text, [...texts][0])
    }
    assert.ok(inProgress > 0, 'some met the one that was under way')
    const [row] = await readWhole(
      sql,
      (tx) => tx<{ effects: number; kept: number; used: number }[]>`
        select (select count(*) from payouts where merchant_id = ${merchant.merchant_id})
               + (select count(*) from payout_batches where merchant_id = ${merchant.merchant_id}) as effects,
               (select count(*) from idempotency_keys where merchant_id = ${merchant.merchant_id}) as kept,
               (select count(*) from payout_cap_usage where merchant_id = ${merchant.merchant_id}) as used`,
    )
    assert.deepEqual({ ...row }, { effects: ROUNDS, kept: ROUNDS, used: ROUNDS })
  })
}

test('of different concurrent requests with one key, one is done and the others are refused with the reason', async () => {
  const { sql } = installation.db
  const merchant = await newPayoutMerchant(sql, { funds: 1_000_000 })
  for (let round = 0; round < 10; round += 1) {
    const idempotency_key = randomUUID()
    const asked = Array.from({ length: 100 }, (_, at) =>
      at % 4 === 3
        ? batch(merchant, { amount: 100, msisdns: ['0700003001'], idempotency_key })
        : payout(merchant, { amount: 100 + (at % 4), idempotency_key }),
    )
    const answers = await askAll(asked)
    for (const answer of answers) {
      assert.match(outcome(answer), /^(?:201|409 idempotency_in_progress|422 idempotency_key_reused)$/)
    }
    assert.equal(new Set(answers.filter(({ status }) => status === 201).map(idOf)).size, 1)
  }
})

test('a payout requested many times, with three concurrent jobs, is sent once', async () => {
  const { sql } = installation.db
  const tripled = await sql`
    insert into jobs (queue, kind, payload, run_at)
    select queue, kind, payload, run_at
      from jobs
     cross join generate_series(1, 2)
     where kind = 'send-instructions'`
  assert.ok(tripled.count > 0)
  await using _worker = await installation.start({ args: ['--only', 'worker'] })
  await waitForPayouts(sql, 60_000)
  const { succeeded, ...others } = await checkPayouts(sql)
  assert.deepEqual(others, {})
  const [row] = await readWhole(sql, (tx) => tx<{ orders: number }[]>`select count(*) as orders from simulator_orders`)
  assert.equal(row!.orders, succeeded)
})
