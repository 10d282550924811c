import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { depositToTransfer } from '../../tests/harness/fill-transfer.ts'
import { createClock } from '../platform/clock.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { accountsOfMerchant } from './accounts.ts'
import { readBalances } from './balances.ts'
import { post } from './post.ts'
import { collectionConfirmed } from './postings.ts'
import { openAccounts } from './store.ts'

let db: TestDatabase
let sql: Sql
const clock = createClock()

before(async () => {
  db = await openTestDatabase()
  sql = db.sql
})
after(async () => {
  await db[Symbol.asyncDispose]()
})

async function merchant(): Promise<{ merchant_id: number; livemode: boolean }> {
  const [row] = await sql<
    { merchant_id: number }[]
  >`insert into merchants (name) values ('A shop') returning merchant_id`
  const tenant = { merchant_id: row!.merchant_id, livemode: false }
  await sql.begin((tx) =>
    openAccounts(
      tx,
      accountsOfMerchant.map((account) => ({ ...tenant, account })),
    ),
  )
  return tenant
}

const legs = collectionConfirmed(
  {
    amount_collected: 10_000,
    net_amount: 9_900,
    fee_amount: 100,
  },
  'orange',
)

function collect(tenant: { merchant_id: number; livemode: boolean }, subject_id: string) {
  return sql.begin((tx) => post(tx, [{ ...tenant, subject_id, operation: 'collection_confirmed', legs }]))
}

test('a collection credits the net amount and the fee, and debits the operator', async () => {
  const tenant = await merchant()
  await collect(tenant, 'txn_a')
  const rows = await sql`
    select account, balance from accounts where merchant_id = ${tenant.merchant_id} and balance <> 0 order by account`
  assert.deepEqual(
    rows.map(({ account, balance }) => [account, balance]),
    [
      ['available', 9_900],
      ['fees', 100],
      ['held:orange', -10_000],
    ],
  )
})

test('the same collection is never booked twice', async () => {
  const tenant = await merchant()
  await collect(tenant, 'txn_twice')
  await assert.rejects(collect(tenant, 'txn_twice'), { code: '23505' })
  assert.equal((await readBalances(sql, tenant))?.available, 9_900)
})

test('a hundred concurrent deposits add up, and each sees the balance that the one before left', async () => {
  const tenant = await merchant()
  const deposits = await Promise.all(Array.from({ length: 100 }, () => depositToTransfer(sql, tenant, 7, clock)))
  const seen = deposits.map((deposit) => (deposit.kind === 'booked' ? deposit.transfer : 0)).sort((a, b) => a - b)
  assert.deepEqual(
    seen,
    Array.from({ length: 100 }, (_, at) => 7 * (at + 1)),
  )
})

test('legs that do not sum to zero throw, and nothing is written', async () => {
  const tenant = await merchant()
  const unbalanced = [legs[0]!, { account: 'available', amount: 10_001 }]
  await assert.rejects(
    sql.begin((tx) =>
      post(tx, [{ ...tenant, subject_id: 'txn_u', operation: 'collection_confirmed', legs: unbalanced }]),
    ),
    /does not sum to zero/,
  )
  assert.equal((await readBalances(sql, tenant))?.available, 0)
})

/** Statements that a mistake or an intruder could send, past all of our code. Each must be refused by the database. */
const attacks: [string, (tx: Tx, tenant: { merchant_id: number; livemode: boolean }) => PromiseLike<unknown>][] = [
  ['an entry is changed', (tx, t) => tx`update ledger_entries set amount = 1 where merchant_id = ${t.merchant_id}`],
  ['an entry is deleted', (tx, t) => tx`delete from ledger_entries where merchant_id = ${t.merchant_id}`],
  ['the entries are truncated', (tx) => tx`truncate ledger_entries`],
  [
    'a transaction is changed',
    (tx, t) => tx`update ledger_transactions set legs = 9 where merchant_id = ${t.merchant_id}`,
  ],
  ['the transactions are truncated', (tx) => tx`truncate ledger_transactions cascade`],
  ['a balance is changed', (tx, t) => tx`update accounts set balance = 1 where merchant_id = ${t.merchant_id}`],
  ['an account is deleted', (tx, t) => tx`delete from accounts where merchant_id = ${t.merchant_id}`],
  [
    'an account starts with money',
    (tx, t) => tx`insert into accounts (merchant_id, livemode, account, balance)
                  values (${t.merchant_id}, true, 'held:x', 5)`,
  ],
  [
    'a third leg comes later',
    (tx, t) => tx`insert into ledger_entries
                    (merchant_id, livemode, account, sequence, subject_id, operation, leg, amount, balance_after, credited_after)
                  values (${t.merchant_id}, false, 'available', 2, 'txn_x', 'collection_confirmed', 9, 5, 9905, 9905)`,
  ],
  [
    'a transaction has one side',
    async (tx, t) => {
      await tx`insert into ledger_transactions (merchant_id, livemode, subject_id, operation, legs)
               values (${t.merchant_id}, false, 'txn_y', 'deposit', 2)`
      await tx`insert into ledger_entries
                 (merchant_id, livemode, account, sequence, subject_id, operation, leg, amount, balance_after, credited_after)
               values (${t.merchant_id}, false, 'available', 2, 'txn_y', 'deposit', 1, 5, 9905, 9905)`
    },
  ],
  [
    'a merchant account falls below zero, entries and all',
    async (tx, t) => {
      await tx`insert into ledger_transactions (merchant_id, livemode, subject_id, operation, legs)
               values (${t.merchant_id}, false, 'txn_z', 'deposit', 2)`
      await tx`insert into ledger_entries
                 (merchant_id, livemode, account, sequence, subject_id, operation, leg, amount, balance_after, credited_after)
               values (${t.merchant_id}, false, 'transfer', 1, 'txn_z', 'deposit', 1, -5, -5, 0),
                      (${t.merchant_id}, false, 'held:bank', 1, 'txn_z', 'deposit', 2, 5, 5, 5)`
      await tx`update accounts set balance = -5, sequence = 1, booked_at = clock_now()
                where merchant_id = ${t.merchant_id} and not livemode and account = 'transfer'`
    },
  ],
  [
    'an entry skips a number',
    async (tx, t) => {
      await tx`insert into ledger_transactions (merchant_id, livemode, subject_id, operation, legs)
               values (${t.merchant_id}, false, 'txn_g', 'deposit', 2)`
      await tx`insert into ledger_entries
                 (merchant_id, livemode, account, sequence, subject_id, operation, leg, amount, balance_after, credited_after)
               values (${t.merchant_id}, false, 'transfer', 2, 'txn_g', 'deposit', 1, 5, 5, 5),
                      (${t.merchant_id}, false, 'held:bank', 1, 'txn_g', 'deposit', 2, -5, -5, 0)`
    },
  ],
]

for (const [attack, carryOut] of attacks) {
  test(`the database itself refuses when ${attack}`, async () => {
    const tenant = await merchant()
    await collect(tenant, 'txn_x')
    await assert.rejects(
      sql.begin((tx) => carryOut(tx, tenant)),
      (error: { code?: string }) => error.code === '23001' || error.code === '23514' || error.code === '23505',
    )
  })
}
