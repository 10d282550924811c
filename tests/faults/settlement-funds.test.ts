import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation, payment } from '../harness/installation.ts'
import { checkBooks } from '../harness/oracle.ts'
import { openSeed } from '../harness/seed.ts'
import { idOf, tally } from './payout-merchant.ts'
import {
  availableOf,
  collect,
  inFlightOf,
  newSettlementMerchant,
  type SettlementMerchant,
  settlement,
} from './settlement-merchant.ts'

// Two processes answer, so only the lock decides.

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [[], ['--only', 'api']], own: 'reads whole tables' })
})
after(() => installation[Symbol.asyncDispose]())

/** Makes all requests at once, to both processes in turn. */
function askAll(merchant: SettlementMerchant, amounts: readonly number[]) {
  return Promise.all(amounts.map((amount, at) => installation.ask(settlement(merchant, amount), at % 2)))
}

test('two hundred concurrent settlements are accepted exactly as far as the balance covers them, round after round', async () => {
  const { sql } = installation.db
  const ROUNDS = 20
  const COVERED = 10
  const merchant = await newSettlementMerchant(installation, { available: 0 })
  for (let round = 0; round < ROUNDS; round += 1) {
    const amount = 5_000 + round
    // The rest lacks one franc for another settlement.
    const rest = await availableOf(sql, merchant)
    await collect(installation, merchant, (COVERED + 1) * amount - 1 - rest)
    const size = round < 2 ? 200 : 40
    const answers = await askAll(merchant, Array<number>(size).fill(amount))
    assert.deepEqual(tally(answers), { '202': COVERED, '422 montant_non_eligible': size - COVERED }, `round ${round}`)
    assert.equal(await availableOf(sql, merchant), amount - 1)
  }
  const [row] = await sql<{ settlements: number; amount: number; kept: number }[]>`
    select count(*) as settlements, sum(amount)::bigint as amount,
           (select count(*) from idempotency_keys
             where merchant_id = ${merchant.merchant_id} and status = 202) as kept
      from settlements
     where merchant_id = ${merchant.merchant_id}`
  assert.deepEqual([row!.settlements, row!.kept], [ROUNDS * COVERED, ROUNDS * COVERED])
  assert.equal(await inFlightOf(sql, merchant), row!.amount)
  await checkBooks(sql)
})

test('concurrent settlements of any size, while payers pay, never take more than the balance, and each gets an answer', async (t) => {
  const { sql } = installation.db
  const seed = openSeed(t)
  for (let round = 0; round < 5; round += 1) {
    const merchant = await newSettlementMerchant(installation, { available: 200_000 })
    const amounts = Array.from({ length: 80 }, () => seed.between(4_000, 12_000))
    const [answers] = await Promise.all([
      askAll(merchant, amounts),
      installation.ask(payment(merchant.collect_key, { amount: 50_000, simulate: 'succeed' })),
    ])
    const accepted = amounts.filter((_, at) => answers[at]!.status === 202)
    const {
      '202': count,
      '422 montant_non_eligible': short = 0,
      '422 sous_le_plancher': low = 0,
      ...others
    } = tally(answers)
    assert.deepEqual([others, count], [{}, accepted.length])
    assert.equal(low, amounts.filter((amount) => amount < 5_000).length)
    assert.ok(short > 0, 'the balance was reached')
    const taken = accepted.reduce((sum, amount) => sum + amount, 0)
    assert.equal(await inFlightOf(sql, merchant), taken)
    assert.ok(taken <= 250_000)
  }
  await checkBooks(sql)
})

test('settlements and fillings of the transfer balance draw on one balance, and never take a franc twice', async () => {
  const { sql } = installation.db
  const merchant = await newSettlementMerchant(installation, { available: 100_000 })
  const words = ['--merchant', String(merchant.merchant_id), '--mode', 'test', '--amount', '60000']
  const [moved, ...answers] = await Promise.all([
    installation.bandama('transfer', ...words).then(
      () => 60_000,
      () => 0,
    ),
    ...Array.from({ length: 40 }, async (_, at) => {
      // Requests one after another while the command starts.
      const outcomes = []
      for (let time = 0; time < 3; time += 1) outcomes.push(await installation.ask(settlement(merchant, 5_000), at % 2))
      return outcomes
    }),
  ])
  const accepted = answers.flat().filter(({ status }) => status === 202)
  assert.equal(new Set(accepted.map(idOf)).size, accepted.length)
  assert.equal(await availableOf(sql, merchant), 100_000 - moved - accepted.length * 5_000)
  await checkBooks(sql)
})
