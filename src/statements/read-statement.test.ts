import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createMerchant } from '../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import fc from '../../tests/harness/property.ts'
import type { LedgerTransaction } from '../ledger/book.ts'
import { post } from '../ledger/post.ts'
import { adjustment, collectionConfirmed, movedToTransfer } from '../ledger/postings.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { exportStatement } from './export-statement.ts'
import type { Movement } from './movement.ts'
import { readStatement } from './read-statement.ts'
import type { Statement } from './statement.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

async function newTenant(livemode = false): Promise<Tenant> {
  return {
    merchant_id: await createMerchant(db.sql, 'Boutique'),
    livemode,
  }
}

type Booked = Omit<LedgerTransaction, keyof Tenant>

const owed = (id: string, amount: number): Booked => ({
  subject_id: id,
  operation: 'adjustment',
  legs: adjustment({ counterpart: 'held:bank', amount }),
})

/** Books transactions at a given moment. Moments must be in order, because the ledger never goes back. */
async function bookAt(tenant: Tenant, moment: string, ...transactions: Booked[]): Promise<void> {
  await db.sql.begin(async (tx) => {
    // The moment is a text, because a `Date` would round it to milliseconds.
    await tx.unsafe(`create or replace function clock_now() returns timestamptz
                       language sql stable parallel safe return timestamptz '${moment}'`)
    await post(
      tx,
      transactions.map((transaction) => ({ ...tenant, ...transaction })),
    )
    await tx.unsafe(`create or replace function clock_now() returns timestamptz
                       language sql stable parallel safe return now()`)
  })
}

const page = { limit: 100, offset: 0 }

async function statementOf(tenant: Tenant, from: string, to: string, wanted = page): Promise<Statement> {
  const statement = await readStatement(db.sql, tenant, { from, to }, wanted)
  assert.ok(statement !== null)
  const { opening_balance, total_in, total_out, closing_balance } = statement
  assert.equal(opening_balance + total_in - total_out, closing_balance)
  return statement
}

const figures = ({ opening_balance, total_in, total_out, closing_balance, total_count }: Statement) => [
  opening_balance,
  total_in,
  total_out,
  closing_balance,
  total_count,
]

/** Moments at the boundaries of days, months, years and leap days, and the amount booked at each. */
const history: [moment: string, amount: number][] = [
  ['2023-12-31 23:59:59.999999Z', 1_000],
  ['2024-01-01 00:00:00Z', 70],
  ['2024-01-31 23:59:59.999999Z', -40],
  ['2024-02-01 00:00:00Z', 5],
  ['2024-02-28 12:00:00Z', 300],
  ['2024-02-29 00:00:00Z', -200],
  ['2024-02-29 23:59:59.999999Z', 11],
  ['2024-03-01 00:00:00Z', -600],
  ['2024-03-01 00:00:00Z', 8],
  ['2024-04-30 23:00:00Z', 90],
  ['2024-12-31 23:59:59Z', -4],
  ['2025-02-28 23:59:59.999999Z', 2],
  ['2025-03-01 00:00:00Z', 3],
]

test('periods begin and end with the days of UTC, also at the ends of months and years and on leap days', async () => {
  const tenant = await newTenant()
  for (const [at, [moment, amount]] of history.entries()) await bookAt(tenant, moment, owed(`adj_${at}`, amount))
  const shown: [from: string, to: string, figures: number[]][] = [
    ['2023-12-31', '2023-12-31', [0, 1_000, 0, 1_000, 1]],
    ['2024-01-01', '2024-01-31', [1_000, 70, 40, 1_030, 2]],
    ['2024-02-01', '2024-02-29', [1_030, 316, 200, 1_146, 4]],
    ['2024-02-28', '2024-02-28', [1_035, 300, 0, 1_335, 1]],
    ['2024-02-29', '2024-02-29', [1_335, 11, 200, 1_146, 2]],
    ['2024-03-01', '2024-03-31', [1_146, 8, 600, 554, 2]],
    ['2024-01-01', '2024-12-31', [1_000, 484, 844, 640, 10]],
    ['2025-02-28', '2025-02-28', [640, 2, 0, 642, 1]],
    ['2025-03-01', '2025-03-01', [642, 3, 0, 645, 1]],
    ['0001-01-01', '9999-12-31', [0, 1_489, 844, 645, 13]],
  ]
  for (const [from, to, expected] of shown) {
    assert.deepEqual(figures(await statementOf(tenant, from, to)), expected, `${from} to ${to}`)
  }
})

test('without a movement the totals are zero, and both balances are that of the time', async () => {
  const tenant = await newTenant()
  const still: [from: string, to: string, balance: number][] = [
    ['2024-01-01', '2024-01-31', 0],
    ['2024-03-02', '2024-06-30', 500],
    ['2024-07-02', '2024-07-31', 200],
    ['9000-01-01', '9000-12-31', 200],
  ]
  const empty = await statementOf(tenant, '2024-01-01', '9999-12-31')
  assert.deepEqual([figures(empty), empty.data], [[0, 0, 0, 0, 0], []], 'a merchant that never had a movement')
  await bookAt(tenant, '2024-03-01 10:00Z', owed('adj_1', 500))
  await bookAt(tenant, '2024-07-01 10:00Z', owed('adj_2', -300))
  for (const [from, to, balance] of still) {
    const statement = await statementOf(tenant, from, to)
    assert.deepEqual([figures(statement), statement.data], [[balance, 0, 0, balance, 0], []], `${from} to ${to}`)
    assert.equal(statement.has_more, false)
  }
})

test('figures and movements equal a sum by hand, for any period and page', async () => {
  const tenant = await newTenant()
  const moments = fc.sample(fc.integer({ min: 0, max: 366 * 24 * 4 }), { seed: 7, numRuns: 120 }).sort((a, b) => a - b)
  let balance = 0
  const all: Movement[] = []
  for (const [at, quarter] of moments.entries()) {
    const moment = new Date(Date.UTC(2024, 0, 1) + quarter * 900_000).toISOString()
    const amount = at % 3 === 2 ? -Math.min(balance, 17 * at) : 31 * at + 1
    if (amount === 0) continue
    await bookAt(tenant, moment, owed(`adj_h${at}`, amount))
    balance += amount
    all.push({
      id: `adj_h${at}`,
      object: 'movement',
      type: 'adjustment',
      direction: amount > 0 ? 'in' : 'out',
      amount: Math.abs(amount),
      balance,
      reference: null,
      payment_id: null,
      created_at: moment,
    })
  }
  const day = fc
    .integer({ min: -3, max: 370 })
    .map((days) => Temporal.PlainDate.from('2024-01-01').add({ days }).toString())
  const asked = fc.tuple(day, day, fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 130 }))
  for (const [one, other, limit, offset] of fc.sample(asked, { seed: 11, numRuns: 200 })) {
    const [from, to] = one <= other ? [one, other] : [other, one]
    const inside = all.filter(({ created_at }) => created_at.slice(0, 10) >= from && created_at.slice(0, 10) <= to)
    const sum = (direction: string) =>
      inside.filter((movement) => movement.direction === direction).reduce((total, { amount }) => total + amount, 0)
    const opening = all.findLast(({ created_at }) => created_at.slice(0, 10) < from)?.balance ?? 0
    assert.deepEqual(await statementOf(tenant, from, to, { limit, offset }), {
      object: 'statement',
      from,
      to,
      currency: 'XOF',
      livemode: false,
      opening_balance: opening,
      total_in: sum('in'),
      total_out: sum('out'),
      closing_balance: opening + sum('in') - sum('out'),
      data: inside.slice(offset, offset + limit),
      total_count: inside.length,
      limit,
      offset,
      has_more: inside.length > offset + limit,
    })
  }
})

test('pages of any size, or one of all movements, give the whole statement', async () => {
  const tenant = await newTenant()
  const moved = Array.from({ length: 1_203 }, (_, at) => owed(`adj_p${at}`, at % 4 === 3 ? -2 : 5))
  await bookAt(tenant, '2024-05-05 05:05:05Z', ...moved.slice(0, 600))
  await bookAt(tenant, '2024-05-06 05:05:05Z', ...moved.slice(600))
  const period = { from: '2024-05-05', to: '2024-05-06' }
  const whole: Movement[] = []
  for await (const movements of (await exportStatement(db.sql, tenant, period))!.movements()) {
    whole.push(...movements)
  }
  assert.deepEqual(
    whole.map(({ id }) => id),
    moved.map(({ subject_id }) => subject_id),
  )
  for (const limit of [1, 83, 100, 500]) {
    const read: Movement[] = []
    for (let offset = limit === 1 ? 1_190 : 0, more = true; more; offset += limit) {
      const { data, has_more, total_count } = await statementOf(tenant, period.from, period.to, { limit, offset })
      assert.equal(total_count, 1_203)
      read.push(...data)
      more = has_more
    }
    assert.deepEqual(read, whole.slice(-read.length), `pages of ${limit}`)
    assert.equal(read.length, limit === 1 ? 13 : 1_203)
  }
})

test('a statement is read whole or fails: a server that lacks movements of its figures gives no shorter page', async () => {
  const tenant = await newTenant()
  await bookAt(tenant, '2024-05-05 05:05:05Z', owed('adj_1', 40), owed('adj_2', 2))
  await using behind = await openTestDatabase()
  // The figures come from the primary, and the movements from a replica that has none of them yet.
  let asked = 0
  const answer = (...template: Parameters<Db>) => {
    const ofMovements = String(template[0]).includes('p.merchant_reference')
    if (ofMovements) asked += 1
    return (ofMovements ? behind.sql : db.sql)(...template)
  }
  const reads = Object.assign(answer, { sharded: false }) as Db
  const may = { from: '2024-05-01', to: '2024-05-31' }
  await assert.rejects(readStatement(reads, tenant, may, page), /2 movements are missing/)
  assert.equal(asked, 1)
})

test('a period up to today closes on the available balance, even after a clock ran ahead', async () => {
  const tenant = await newTenant()
  const today = Temporal.Now.plainDateISO('UTC')
  await bookAt(tenant, `${today.add({ days: 2 })} 00:00Z`, owed('adj_ahead', 40))
  await bookAt(tenant, `${today} 00:00Z`, owed('adj_back', 2))
  const statement = await statementOf(tenant, today.subtract({ days: 1 }).toString(), today.toString())
  assert.deepEqual(figures(statement), [0, 42, 0, 42, 2])
})

test('a statement shows nothing of another merchant or the other mode', async () => {
  const tenant = await newTenant()
  await bookAt(tenant, '2024-05-05 05:05:05Z', owed('adj_mine', 40))
  for (const other of [{ ...tenant, livemode: true }, await newTenant()]) {
    const statement = await statementOf(other, '2024-05-01', '2024-05-31')
    assert.deepEqual([figures(statement), statement.livemode], [[0, 0, 0, 0, 0], other.livemode])
  }
  const nobody = { merchant_id: 999_999_999, livemode: false }
  assert.equal(await readStatement(db.sql, nobody, { from: '2024-05-01', to: '2024-05-31' }, page), null)
})

test('a movement has its type, its direction, and its payment', async () => {
  const tenant = await newTenant()
  const { merchant_id, livemode } = tenant
  await db.sql`
    insert into payments (merchant_id, livemode, id, amount, amount_collected, fee_amount, net_amount, currency,
                          merchant_reference)
    values (${merchant_id}, ${livemode}, 'txn_1', 100, 100, 1, 99, 'XOF', 'order 1'),
           (${merchant_id}, ${livemode}, 'txn_2', 50, 50, 0, 50, 'XOF', null)`
  const collected = (subject_id: string, net_amount: number, fee_amount: number): Booked => ({
    subject_id,
    operation: 'collection_confirmed',
    legs: collectionConfirmed(
      {
        amount_collected: net_amount + fee_amount,
        net_amount,
        fee_amount,
      },
      'orange',
    ),
  })
  await bookAt(
    tenant,
    '2024-05-05 05:05:05.123456Z',
    collected('txn_1', 99, 1),
    collected('txn_2', 50, 0),
    { subject_id: 'mov_1', operation: 'moved_to_transfer', legs: movedToTransfer(30) },
    owed('adj_1', -9),
    // None of these changes `available`.
    {
      subject_id: 'dep_1',
      operation: 'deposit',
      legs: [
        { account: 'held:bank', amount: -5 },
        { account: 'transfer', amount: 5 },
      ],
    },
  )
  const common = { object: 'movement', created_at: '2024-05-05T05:05:05.123Z' }
  const { data } = await statementOf(tenant, '2024-05-05', '2024-05-05')
  assert.deepEqual(data, [
    {
      id: 'txn_1',
      ...common,
      type: 'collection',
      direction: 'in',
      amount: 99,
      balance: 99,
      reference: 'order 1',
      payment_id: 'txn_1',
    },
    {
      id: 'txn_2',
      ...common,
      type: 'collection',
      direction: 'in',
      amount: 50,
      balance: 149,
      reference: null,
      payment_id: 'txn_2',
    },
    {
      id: 'mov_1',
      ...common,
      type: 'transfer',
      direction: 'out',
      amount: 30,
      balance: 119,
      reference: null,
      payment_id: null,
    },
    {
      id: 'adj_1',
      ...common,
      type: 'adjustment',
      direction: 'out',
      amount: 9,
      balance: 110,
      reference: null,
      payment_id: null,
    },
  ])
})
