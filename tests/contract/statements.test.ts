import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readBalances } from '../../src/ledger/balances.ts'
import { createClock } from '../../src/platform/clock.ts'
import { moveToTransfer } from '../harness/fill-transfer.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { livemode, otherMode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import type { Answer } from './ask.ts'
import { PATIENCE } from './sender.ts'
import { checkStatement, type Movement, STATEMENTS, type Statement, totalsOf } from './statement-answers.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** Reads a statement. @param query without its question mark */
const read = (key: string, query: string): Promise<Answer> => installation.ask({ path: `${STATEMENTS}?${query}`, key })

const days = () => {
  const today = Temporal.Now.plainDateISO('UTC')
  return { today: today.toString(), ago: (days: number) => today.subtract({ days }).toString() }
}
/** The period from yesterday on, so that a test that runs over midnight sees its own movements. */
const recent = () => `from=${days().ago(1)}&to=9999-12-31`

async function collect(merchant: Merchant, amount: number, more: object = {}): Promise<string> {
  const counterparty = { msisdn: newPayer() }
  const asked = { amount, counterparty, simulate: 'succeed', ...more }
  const { id } = checkPayment(await installation.pay(merchant.key, asked), 201)
  await waitFor(
    async () => checkPayment(await installation.read(merchant.key, id), 200).status === 'succeeded',
    PATIENCE,
  )
  return id
}

const move = ({ merchant_id }: Merchant, amount: number) =>
  moveToTransfer(installation.db.sql, { merchant_id, livemode }, amount, createClock())

test('the statement lists collections and transfers, in order, with the balance after each', async () => {
  const from = days().today
  const merchant = await installation.newMerchant()
  await installation.bandama(
    'fees',
    'set',
    '--merchant',
    String(merchant.merchant_id),
    '--service',
    'collection',
    '--bps',
    '100',
  )
  const first = await collect(merchant, 10_000, { merchant_reference: '=commande-1' })
  const second = await collect(merchant, 500)
  const moved = await move(merchant, 4_000)
  assert.equal(moved.kind, 'booked')
  const to = days().today
  const statement = checkStatement(await read(merchant.key, `from=${from}&to=${to}`))
  assert.deepEqual({ ...statement, data: [] }, {
    object: 'statement',
    from,
    to,
    currency: 'XOF',
    livemode,
    opening_balance: 0,
    total_in: 9_900 + 495,
    total_out: 4_000,
    closing_balance: 6_395,
    data: [],
    total_count: 3,
    limit: 100,
    offset: 0,
    has_more: false,
  } satisfies Statement)
  const facts = ({ id, type, direction, amount, balance, reference, payment_id }: Movement) => [
    id,
    type,
    direction,
    amount,
    balance,
    reference,
    payment_id,
  ]
  assert.deepEqual(statement.data.map(facts), [
    [first, 'collection', 'in', 9_900, 9_900, '=commande-1', first],
    [second, 'collection', 'in', 495, 10_395, null, second],
    [statement.data[2]!.id, 'transfer', 'out', 4_000, 6_395, null, null],
  ])
  const balances = await readBalances(installation.db.sql, { merchant_id: merchant.merchant_id, livemode })
  assert.equal(balances?.available, statement.closing_balance)
})

test('the figures are the same on every page, and the pages together are complete', async () => {
  const merchant = await installation.newMerchant()
  await collect(merchant, 100_000)
  for (let at = 1; at <= 12; at += 1) await move(merchant, at)
  const whole = checkStatement(await read(merchant.key, `${recent()}&limit=500`))
  assert.equal(whole.total_count, 13)
  assert.deepEqual(totalsOf(whole.data), { total_in: whole.total_in, total_out: whole.total_out })
  const pages: [query: string, limit: number, offset: number][] = [
    ['', 100, 0],
    ['&limit=5', 5, 0],
    ['&limit=5&offset=5', 5, 5],
    ['&limit=5&offset=10', 5, 10],
    ['&limit=005&offset=0012', 5, 12],
    ['&offset=13', 100, 13],
    ['&offset=999999999999999', 100, 999_999_999_999_999],
    ['&limit=501', 500, 0],
    [`&limit=${'9'.repeat(300)}`, 500, 0],
    ['&limit=1&offset=3&unknown=1', 1, 3],
  ]
  for (const [query, limit, offset] of pages) {
    const page = checkStatement(await read(merchant.key, recent() + query))
    const data = whole.data.slice(offset, offset + limit)
    assert.deepEqual(page, { ...whole, limit, offset, data, has_more: offset + limit < 13 }, query.slice(0, 40))
  }
})

test('a period without movements answers with zero totals, and both balances as at that time', async () => {
  const merchant = await installation.newMerchant()
  await collect(merchant, 700)
  const { ago } = days()
  const periods: [from: string, to: string, balance: number][] = [
    [ago(40), ago(10), 0],
    ['0001-01-01', ago(2), 0],
    ['2024-02-29', '2024-02-29', 0],
    ['9999-12-31', '9999-12-31', 700],
  ]
  for (const [from, to, balance] of periods) {
    const { opening_balance, total_in, total_out, closing_balance, data } = checkStatement(
      await read(merchant.key, `from=${from}&to=${to}`),
    )
    assert.deepEqual([opening_balance, total_in, total_out, closing_balance, data], [balance, 0, 0, balance, []], from)
  }
})

test('a statement shows nothing of another merchant or the other mode', async () => {
  const merchant = await installation.newMerchant()
  await collect(merchant, 700)
  const { key: elsewhere } = await merchant.newKey(otherMode, 'collect')
  for (const key of [elsewhere, (await installation.newMerchant()).key]) {
    const statement = checkStatement(await read(key, recent()))
    assert.deepEqual(
      [statement.total_count, statement.closing_balance, statement.livemode],
      [0, 0, key === elsewhere ? !livemode : livemode],
    )
  }
})

test('a deactivated merchant can still read its statement', async () => {
  const merchant = await installation.newMerchant()
  await installation.bandama('merchant', 'deactivate', '--merchant', String(merchant.merchant_id))
  checkStatement(await read(merchant.key, recent()))
})
