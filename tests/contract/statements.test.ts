import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newKey } from '../../src/api-keys/key-format.ts'
import { readBalances } from '../../src/ledger/balances.ts'
import { moveToTransfer } from '../../src/ledger/fill-transfer.ts'
import { createClock } from '../../src/platform/clock.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment, checkRefusal } from './answers.ts'
import type { Answer, Asked } from './ask.ts'
import { type Installation, type Merchant, newPayer, openInstallation } from './installation.ts'
import { refusalsOf, routeNamed } from './interface.ts'
import { PATIENCE } from './sender.ts'
import { checkStatement, type Movement, STATEMENTS, type Statement, totalsOf } from './statement-answers.ts'

const ROUTE = 'GET /v1-statements'

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [[], ['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())

/** @param query without its question mark */
const read = (key: string | null, query: string, more: Partial<Asked> = {}, process = 0): Promise<Answer> =>
  installation.ask({ path: `${STATEMENTS}?${query}`, key, ...more }, process)

const days = () => {
  const today = Temporal.Now.plainDateISO('UTC')
  return { today: today.toString(), ago: (days: number) => today.subtract({ days }).toString() }
}
/** Since yesterday, so that a test that runs over midnight still sees what it did. */
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
  moveToTransfer(installation.db.sql, { merchant_id, livemode: false }, amount, createClock())

test('what was collected and moved is on the statement, in order, with the balance after each', async () => {
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
  const { today } = days()
  const statement = checkStatement(await read(merchant.key, `from=${today}&to=${today}`))
  assert.deepEqual({ ...statement, data: [] }, {
    object: 'statement',
    from: today,
    to: today,
    currency: 'XOF',
    livemode: false,
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
  const balances = await readBalances(installation.db.sql, { merchant_id: merchant.merchant_id, livemode: false })
  assert.equal(balances?.available, statement.closing_balance)
})

test('the figures are the same on every page, and the pages are the whole', async () => {
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

test('a period without a movement is no error: zero totals, and the balance of then', async () => {
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

test('neither another merchant nor the other mode is on a statement', async () => {
  const merchant = await installation.newMerchant()
  await collect(merchant, 700)
  const { key: live } = await merchant.newKey('live', 'collect')
  for (const key of [live, (await installation.newMerchant()).key]) {
    const statement = checkStatement(await read(key, recent()))
    assert.deepEqual([statement.total_count, statement.closing_balance, statement.livemode], [0, 0, key === live])
  }
})

test('a deactivated merchant still reads its statement', async () => {
  const merchant = await installation.newMerchant()
  await installation.bandama('merchant', 'deactivate', '--merchant', String(merchant.merchant_id))
  checkStatement(await read(merchant.key, recent()))
})

/** Queries that name no period, each with what is wrong. */
const noPeriods = [
  '',
  'from=2026-01-01',
  'to=2026-01-31',
  'from=&to=',
  'from=2026-01-31&to=2026-01-01',
  'from=2026-02-01&to=2026-01-31',
  'from=2026-02-29&to=2026-03-31',
  'from=2100-02-29&to=2100-03-01',
  'from=2026-01-01&to=2026-04-31',
  'from=2026-13-01&to=2026-13-31',
  'from=2026-01-00&to=2026-01-31',
  'from=0000-01-01&to=2026-01-31',
  'from=26-01-01&to=2026-01-31',
  'from=2026-1-1&to=2026-01-31',
  'from=20260101&to=20260131',
  'from=2026-01-01T00:00:00Z&to=2026-01-31',
  'from=2026/01/01&to=2026/01/31',
  'from=01-01-2026&to=31-01-2026',
  'from=today&to=2026-01-31',
  'from=%202026-01-01&to=2026-01-31',
  'from=2026-01-01%00&to=2026-01-31',
  'from=2026-01-01&to=2026-01-31%0A',
  'from=2026-01-01&from=2026-01-01&to=2026-01-31',
  'from[]=2026-01-01&to=2026-01-31',
  'FROM=2026-01-01&TO=2026-01-31',
  'from=10000-01-01&to=10000-01-31',
  `from=${'9'.repeat(2_000)}&to=2026-01-31`,
  "from=2026-01-01'--&to=2026-01-31",
]
/** What is wrong with a page. The period comes first in the interface's table, and so does its refusal. */
const noPages = ['limit=', 'limit=0', 'limit=-1', 'limit=x', 'limit=1.5', 'limit=1e2', 'limit=%2B1', 'limit=1&limit=2']
noPages.push('offset=', 'offset=-1', 'offset=x', `offset=${'9'.repeat(16)}`, 'offset=1.0', 'offset=%00')

type Case = { why: string; status: number; code: string; answer(merchant: Merchant): Promise<Answer> }

const good = 'from=2026-01-01&to=2026-01-31'
const cases: Case[] = [
  ...noPeriods.map((query) => refusal(422, 'invalid_period', query)),
  ...noPages.map((query) => refusal(400, 'invalid_request', `${good}&${query}`)),
  refusal(422, 'invalid_period', `from=2026-02-30&to=2026-03-01&limit=x`),
  refusal(400, 'invalid_request', good, { headers: { 'Service-Version': '2020-01-01' } }),
  refusal(401, 'authentication_required', good, { key: null }),
  refusal(401, 'invalid_api_key', good, { key: newKey('bdm', false).key.reveal() }),
  {
    why: 'a key that pays out, whatever it asks for',
    status: 403,
    code: 'insufficient_scope',
    answer: async ({ newKey }) => read((await newKey('test', 'payout')).key, 'from=x'),
  },
  {
    why: 'one call too many with a key in a minute',
    status: 429,
    code: 'rate_limit_exceeded',
    async answer({ key }) {
      const strict = await installation.start({ env: { RATE_PER_KEY: '3' }, args: ['--only', 'api'] })
      const process = installation.services.length
      installation.services.push(strict)
      return waitFor(async () => {
        const answer = await read(key, good, {}, process)
        return answer.status === 429 && answer
      }, PATIENCE)
    },
  },
  {
    why: 'the database refuses to work',
    status: 500,
    code: 'statement_failed',
    async answer({ key }) {
      const { sql } = installation.db
      await sql`alter table ledger_entries rename column credited_after to away`
      const answer = await read(key, good)
      await sql`alter table ledger_entries rename column away to credited_after`
      checkStatement(await read(key, good))
      return answer
    },
  },
]

function refusal(status: number, code: string, query: string, more: Partial<Asked> = {}): Case {
  return { why: `?${query.slice(0, 60)}`, status, code, answer: ({ key }) => read(key, query, more) }
}

test('every refusal of a statement is met by a case, and no case meets another', () => {
  const promised = refusalsOf(routeNamed(ROUTE)).map((refusal) => refusal.join(' '))
  const met = new Set(cases.map(({ status, code }) => `${status} ${code}`))
  assert.deepEqual([...met].sort(), promised.sort())
})

for (const [title, group] of Map.groupBy(cases, ({ status, code }) => `${status} ${code}`)) {
  test(`${title}: ${group.length === 1 ? group[0]!.why : `${group.length} cases`}`, async () => {
    const merchant = await installation.newMerchant()
    for (const { why, status, code, answer } of group) {
      const message = checkRefusal(await answer(merchant), status, code, why)
      assert.doesNotMatch(message, /select|insert|\/src\/|postgres/i, 'an answer tells nothing of our inside')
    }
  })
}
