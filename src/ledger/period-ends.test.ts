import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { accountsOfMerchant } from './accounts.ts'
import { post } from './post.ts'
import { adjustment, collectionConfirmed, movedToTransfer } from './postings.ts'
import { openAccounts } from './store.ts'

// A statement of any period rests on two facts: each entry carries the credits of its account so far, and the time of entries
// never goes back along an account.

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

async function newTenant(sql: Sql): Promise<Tenant> {
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

const collected = (net_amount: number) =>
  collectionConfirmed({ amount_collected: net_amount + 1, net_amount, fee_amount: 1 }, 'mtn')

const collect = (tx: Tx, tenant: Tenant, subject_id: string, net_amount: number) =>
  post(tx, [{ ...tenant, subject_id, operation: 'collection_confirmed', legs: collected(net_amount) }])

type Entry = { sequence: number; amount: number; balance_after: number; credited_after: number; time: string }

/** The entries of `available`; the time as text, because a `Date` drops the last three digits. */
async function entriesOf(sql: Sql, { merchant_id, livemode }: Tenant): Promise<Entry[]> {
  return sql<Entry[]>`
    select sequence, amount, balance_after, credited_after,
           to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as time
      from ledger_entries
     where merchant_id = ${merchant_id} and livemode = ${livemode} and account = 'available'
     order by sequence`
}

/** Every entry continues the one before in its credits and in its time. */
function checkEntries(entries: readonly Entry[], count: number): void {
  assert.equal(entries.length, count)
  let credited = 0
  let time = ''
  for (const entry of entries) {
    credited += Math.max(entry.amount, 0)
    assert.equal(entry.credited_after, credited, `entry ${entry.sequence}`)
    assert.ok(entry.time >= time, `entry ${entry.sequence} is at ${entry.time}, the one before at ${time}`)
    time = entry.time
  }
}

test('an entry holds the credits of its account so far, also when several are booked at once', async () => {
  const tenant = await newTenant(db.sql)
  const booked = (subject_id: string, amount: number) =>
    ({
      ...tenant,
      subject_id,
      operation: 'adjustment',
      legs: adjustment({ counterpart: 'held:bank', amount }),
    }) as const
  await db.sql.begin(async (tx) => {
    await post(tx, [booked('adj_a', 500), booked('adj_b', -200), booked('adj_c', 70)])
    await post(tx, [booked('adj_d', -300), booked('adj_e', 1)])
  })
  await db.sql.begin((tx) =>
    post(tx, [{ ...tenant, subject_id: 'mov_a', operation: 'moved_to_transfer', legs: movedToTransfer(71) }]),
  )
  const entries = await entriesOf(db.sql, tenant)
  assert.deepEqual(
    entries.map(({ credited_after, balance_after }) => [credited_after, balance_after]),
    [
      [500, 500],
      [500, 300],
      [570, 370],
      [570, 70],
      [571, 71],
      [571, 0],
    ],
  )
})

test('times never decrease along an account, although a transaction that began first may book last', async () => {
  const tenant = await newTenant(db.sql)
  for (let round = 0; round < 20; round += 1) {
    await db.sql.begin(async (tx) => {
      await tx`select clock_now()`
      await db.sql.begin((other) => collect(other, tenant, `txn_${round}_first`, 10))
      await collect(tx, tenant, `txn_${round}_last`, 20)
    })
  }
  const entries = await entriesOf(db.sql, tenant)
  checkEntries(entries, 40)
  const [row] = await db.sql<{ later: number }[]>`
    select count(*)::integer as later
      from ledger_transactions t
      join ledger_entries e using (merchant_id, livemode, subject_id, operation)
     where t.merchant_id = ${tenant.merchant_id} and e.account = 'available' and e.created_at > t.created_at`
  assert.ok(row!.later >= 20, 'the race was there')
})

test('setting the clock back does not make ledger times go back', async () => {
  const tenant = await newTenant(db.sql)
  await db.moveClock('3 days')
  await db.sql.begin((tx) => collect(tx, tenant, 'txn_ahead', 10))
  await db.moveClock('0')
  await db.sql.begin((tx) => collect(tx, tenant, 'txn_back', 10))
  checkEntries(await entriesOf(db.sql, tenant), 2)
})

test('the database refuses an entry with wrong credits, or with a time before the previous entry', async () => {
  const tenant = await newTenant(db.sql)
  await db.sql.begin((tx) => collect(tx, tenant, 'txn_1', 10))
  const attack = (credited_after: number, created_at: string) =>
    db.sql.begin(async (tx) => {
      await tx`insert into ledger_transactions (merchant_id, livemode, subject_id, operation, legs)
               values (${tenant.merchant_id}, false, 'adj_1', 'adjustment', 2)`
      await tx`
        insert into ledger_entries (merchant_id, livemode, account, sequence, subject_id, operation, leg, amount,
                                    balance_after, credited_after, created_at)
        values (${tenant.merchant_id}, false, 'available', 2, 'adj_1', 'adjustment', 1, 5, 15, ${credited_after},
                clock_now() + ${created_at}::interval),
               (${tenant.merchant_id}, false, 'held:bank', 1, 'adj_1', 'adjustment', 2, -5, -5, 0, clock_now())`
    })
  await assert.rejects(attack(14, '0'), { code: '23514' })
  await assert.rejects(attack(15, '-1 hour'), { code: '23514' })
  await attack(15, '1 second')
})

test("the database refuses an account whose credits or time differ from its last entry's", async () => {
  const tenant = await newTenant(db.sql)
  await db.sql.begin((tx) => collect(tx, tenant, 'txn_1', 10))
  const { merchant_id } = tenant
  const { sql } = db
  const refused = { code: '23514' }
  await assert.rejects(
    sql`update accounts set credited = 9 where merchant_id = ${merchant_id} and balance > 5`,
    refused,
  )
  await assert.rejects(
    sql`update accounts set booked_at = clock_now() + interval '1 s' where merchant_id = ${merchant_id} and balance > 5`,
    refused,
  )
  await assert.rejects(
    sql`insert into accounts (merchant_id, livemode, account, credited) values (${merchant_id}, true, 'held:x', 5)`,
    refused,
  )
})
