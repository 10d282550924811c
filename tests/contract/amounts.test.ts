import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setFees as setFeeSchedule } from '../harness/fees.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { livemode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment, checkRefusal } from './answers.ts'

let installation: Installation
let merchant: Merchant
before(async () => {
  installation = await openInstallation({ env: { COLLECTION_AMOUNT_MAX: '2000000' } })
  merchant = await installation.newMerchant()
})
after(() => installation[Symbol.asyncDispose]())

/** How an amount may be written in a body, and what the payment's amount then is, or the code of the refusal. */
const spellings: [written: string, meaning: number | string][] = [
  ['1', 1],
  ['100', 100],
  [' 100\n', 100],
  ['1999999', 1_999_999],
  ['2000000', 2_000_000],
  ['2000001', 'amount_above_limit'],
  ['1000000000000', 'amount_above_limit'],
  ['1000000000001', 'invalid_amount'],
  ['9007199254740991', 'invalid_amount'],
  ['9007199254740993', 'invalid_amount'],
  ['9223372036854775807', 'invalid_amount'],
  ['18446744073709551617', 'invalid_amount'],
  [`1${'0'.repeat(400)}`, 'invalid_amount'],
  ['0', 'invalid_amount'],
  ['-0', 'invalid_amount'],
  ['-1', 'invalid_amount'],
  ['-100', 'invalid_amount'],
  ['100.0', 'invalid_amount'],
  ['100.00', 'invalid_amount'],
  ['100.5', 'invalid_amount'],
  ['0.1', 'invalid_amount'],
  ['1e2', 'invalid_amount'],
  ['1E2', 'invalid_amount'],
  ['1e+2', 'invalid_amount'],
  ['10e-1', 'invalid_amount'],
  ['1e400', 'invalid_amount'],
  ['100e0', 'invalid_amount'],
  ['"100"', 'invalid_amount'],
  ['"1e2"', 'invalid_amount'],
  ['""', 'invalid_amount'],
  ['"１００"', 'invalid_amount'],
  ['"100 XOF"', 'invalid_amount'],
  ['true', 'invalid_amount'],
  ['false', 'invalid_amount'],
  ['null', 'invalid_amount'],
  ['[100]', 'invalid_amount'],
  ['[]', 'invalid_amount'],
  ['{}', 'invalid_amount'],
  ['{"amount":100}', 'invalid_amount'],
  ['{"value":100}', 'invalid_amount'],
  // A body that is no JSON has no amount to judge.
  ['0100', 'invalid_body'],
  ['+100', 'invalid_body'],
  ['.5', 'invalid_body'],
  ['100.', 'invalid_body'],
  ['0x64', 'invalid_body'],
  ['1_000', 'invalid_body'],
  ['1 000', 'invalid_body'],
  ['100n', 'invalid_body'],
  ['NaN', 'invalid_body'],
  ['Infinity', 'invalid_body'],
  ['１００', 'invalid_body'],
  ['100,"amount":100', 'invalid_body'],
  ['100,"\\u0061mount":100', 'invalid_body'],
]
for (const [written, meaning] of spellings) {
  test(`amount ${written.length > 40 ? `of ${written.length} digits` : written.trim()} is ${meaning}`, async () => {
    const answer = await installation.pay(merchant.key, undefined, { text: `{"amount":${written}}` })
    if (typeof meaning === 'number') checkPayment(answer, 201, { amount: meaning, amount_collected: meaning })
    else checkRefusal(answer, meaning === 'invalid_body' ? 400 : 422, meaning)
  })
}

test("a merchant's own limit wins over the service's, in both directions", async () => {
  const { sql } = installation.db
  for (const limit of [500, 3_000_000]) {
    const { merchant_id, key } = await installation.newMerchant()
    await sql`update merchants set collection_amount_max = ${limit} where merchant_id = ${merchant_id}`
    checkPayment(await installation.pay(key, { amount: limit }), 201)
    checkRefusal(await installation.pay(key, { amount: limit + 1 }), 422, 'amount_above_limit')
  }
})

type Schedule = { bps?: number; fixed?: number; bearer?: 'merchant' | 'payer' }
const fees: [schedule: Schedule, amount: number, fee: number][] = [
  [{ bps: 100 }, 10_000, 100],
  [{ bps: 250, fixed: 25 }, 10_000, 275],
  [{ bps: 250, fixed: 25, bearer: 'payer' }, 10_000, 275],
  // 1 % of 150 is a franc and a half: half a franc goes up.
  [{ bps: 100, bearer: 'payer' }, 150, 2],
  [{ fixed: 100 }, 60, 60],
  [{ fixed: 100, bearer: 'payer' }, 60, 100],
]
for (const [schedule, amount, fee_amount] of fees) {
  test(`a fee of ${JSON.stringify(schedule)} on ${amount} francs is ${fee_amount}, and is credited as announced`, async () => {
    const { merchant_id, key } = await installation.newMerchant()
    await setFees(merchant_id, schedule)
    const byPayer = schedule.bearer === 'payer'
    const fixed = {
      amount,
      fee_amount,
      amount_collected: byPayer ? amount + fee_amount : amount,
      net_amount: byPayer ? amount : amount - fee_amount,
    }
    const { id } = checkPayment(await installation.pay(key, { amount, simulate: 'succeed' }), 201, fixed)
    await untilSucceeded(key, id)
    checkPayment(await installation.read(key, id), 200, fixed)
    assert.deepEqual(await balancesOf(merchant_id), { available: fixed.net_amount, fees: fee_amount })
  })
}

test('a later fee schedule does not change existing payments', async () => {
  const { merchant_id, key } = await installation.newMerchant()
  await feesByCommand(merchant_id, { bps: 100 })
  const before = { fee_amount: 100, amount_collected: 10_000, net_amount: 9_900 }
  const old = checkPayment(await installation.pay(key, { amount: 10_000, simulate: 'succeed' }), 201, before)
  await feesByCommand(merchant_id, { bps: 500, bearer: 'payer' })
  const after = { fee_amount: 500, amount_collected: 10_500, net_amount: 10_000 }
  checkPayment(await installation.pay(key, { amount: 10_000 }), 201, after)
  await untilSucceeded(key, old.id)
  checkPayment(await installation.read(key, old.id), 200, before)
})

test('a fee schedule is in force from the printed time, and when the command returns', async () => {
  const { merchant_id, key } = await installation.newMerchant()
  const feeNow = async () => {
    const asked_at = Date.now()
    const { fee_amount, created_at } = checkPayment(await installation.pay(key, { amount: 10_000 }), 201)
    return { fee_amount, asked_at, created_at: Date.parse(created_at) }
  }
  await setFees(merchant_id, { bps: 100 })
  for (const bps of [200, 300]) {
    // The merchant is busy, so that every process has its old fees in memory.
    const seen: Awaited<ReturnType<typeof feeNow>>[] = []
    let set: Record<string, unknown> | null = null
    const command = feesByCommand(merchant_id, { bps }).then((answer) => {
      set = answer
    })
    while (set === null) seen.push(await feeNow())
    await command
    // 10 000 francs cost so many francs as hundredths of a percent.
    const next = await feeNow()
    assert.equal(next.fee_amount, bps, 'the next payment costs what was set')
    // On a busy machine no payment may have begun between that moment and the command's return.
    seen.push(next)
    const from = Date.parse(String((set as Record<string, unknown>).effective_from))
    const [before, after] = [
      seen.filter(({ created_at }) => created_at < from),
      // The service's clock and ours differ by some milliseconds.
      seen.filter(({ asked_at }) => asked_at > from + 100),
    ]
    assert.deepEqual([...new Set(before.map(({ fee_amount }) => fee_amount))], [bps - 100])
    // None, when the command returned within these milliseconds.
    assert.deepEqual(new Set([bps, ...after.map(({ fee_amount }) => fee_amount)]), new Set([bps]))
  }
})

test('fees belong to one merchant and to collections', async () => {
  const { merchant_id } = await installation.newMerchant()
  await setFees(merchant_id, { bps: 100 })
  const another = await installation.newMerchant()
  await installation.bandama(
    'fees',
    'set',
    ...merchantOption(another.merchant_id),
    '--service',
    'payout',
    '--bps',
    '100',
  )
  checkPayment(await installation.pay(another.key, { amount: 10_000 }), 201, { fee_amount: 0 })
})

const merchantOption = (merchant_id: number) => ['--merchant', String(merchant_id)]

async function setFees(merchant_id: number, { bps = 0, fixed = 0, bearer = 'merchant' }: Schedule): Promise<void> {
  const schedule = { basis_points: bps, fixed, minimum: 0, maximum: null, bearer, effective_from: null }
  const set = await setFeeSchedule(installation.db.sql, { merchant_id, service: 'collection', ...schedule })
  assert.equal(set.kind, 'set')
}

async function feesByCommand(merchant_id: number, { bps = 0, fixed = 0, bearer = 'merchant' }: Schedule) {
  const options = ['--service', 'collection', '--bps', String(bps), '--fixed', String(fixed), '--bearer', bearer]
  const set = await installation.bandama('fees', 'set', ...merchantOption(merchant_id), ...options)
  assert.deepEqual([set.merchant_id, set.basis_points, set.fixed, set.bearer], [merchant_id, bps, fixed, bearer])
  return set
}

function untilSucceeded(key: string, id: string): Promise<unknown> {
  return waitFor(
    async () => (checkPayment(await installation.read(key, id), 200).status === 'succeeded' ? true : null),
    { what: `${id} to succeed` },
  )
}

async function balancesOf(merchant_id: number): Promise<object> {
  const rows = await installation.db.sql<{ account: string; balance: number }[]>`
    select account, balance from accounts
     where merchant_id = ${merchant_id} and livemode = ${livemode} and account in ('available', 'fees')`
  return Object.fromEntries(rows.map(({ account, balance }) => [account, balance]))
}
