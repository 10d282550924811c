import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bringToBook } from '../../tests/harness/bring-to-book.ts'
import { createMerchant } from '../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { archiveBeneficiary } from '../../tests/harness/destinations.ts'
import { openSeed } from '../../tests/harness/seed.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { saveEntry } from './save-entry.ts'
import { insertEntries, type NewEntry, type Page, readPage } from './store.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

const newTenant = async (): Promise<Tenant> => {
  return { merchant_id: await createMerchant(db.sql, 'Boutique'), livemode: false }
}
const number = (at: number) => `+22507${String(at).padStart(8, '0')}`
const entry = (tenant: Tenant, at: number): NewEntry => {
  const destination = { msisdn: number(at), iban: null }
  return {
    ...tenant,
    ...destination,
    id: crypto.randomUUID(),
    kind: 'payout',
    operator: 'orange_ci',
    name: 'Awa',
    label: null,
    added_by: 'key:k',
  }
}
const save = (tenant: Tenant, at: number) => saveEntry(db.sql, entry(tenant, at))

/** Inserts many entries of a merchant's book by one statement; every `activeEvery`-th is active. */
async function fillBook(
  sql: Sql | Tx,
  tenant: Tenant,
  count: number,
  { activeEvery = 1, from = 1 } = {},
): Promise<void> {
  await sql`
    insert into beneficiaries (merchant_id, livemode, kind, name, operator, msisdn, last4, created_at, active, archived_at)
    select ${tenant.merchant_id}, ${tenant.livemode}, 'payout', 'Awa', 'orange_ci', '+22507' || lpad(n::text, 8, '0'),
           right(lpad(n::text, 8, '0'), 4), now() - interval '30 days' + n * interval '1 second',
           n % ${activeEvery} = 0, case when n % ${activeEvery} <> 0 then now() end
      from generate_series(${from}::integer, ${from + count - 1}::integer) as n`
}

const page = (tenant: Tenant, more: Partial<Page> = {}): Page => {
  return { ...tenant, active: null, limit: 101, offset: 0, starting_after: null, ...more }
}
const totals = async (tenant: Tenant) => {
  const read = [null, true, false].map(async (active) => (await readPage(db.sql, page(tenant, { active }))).total_count)
  return Promise.all(read)
}
/** Reads the sizes that differ from the number of entries. */
const wrong = async (sql: Sql) => [
  ...(await sql`
    select merchant_id, livemode, active, archived from book_sizes
    except
    select merchant_id, livemode, count(*) filter (where active), count(*) filter (where not active)
      from beneficiaries
     group by merchant_id, livemode`),
]

test('a book counts entries that are created, archived or rolled back, in each mode', async () => {
  const tenant = await newTenant()
  const live = { ...tenant, livemode: true }
  assert.deepEqual(await totals(tenant), [0, 0, 0])
  const { beneficiary: first } = await save(tenant, 1)
  for (const [of, at] of [
    [tenant, 2],
    [live, 1],
    [tenant, 3],
    [tenant, 2],
  ] as const) {
    await save(of, at)
  }
  assert.deepEqual(
    [await totals(tenant), await totals(live)],
    [
      [3, 3, 0],
      [1, 1, 0],
    ],
  )
  await save(tenant, 3)
  await archiveBeneficiary(db.sql, first.id)
  await archiveBeneficiary(db.sql, first.id)
  assert.deepEqual(await totals(tenant), [3, 2, 1])
  await save(tenant, 1)
  assert.deepEqual(await totals(tenant), [4, 3, 1])
  const givenUp = db.sql.begin(async (tx) => {
    insertEntries(tx, [entry(tenant, 4)])
    await tx`select`
    throw new Error('given up')
  })
  await assert.rejects(givenUp, /given up/)
  assert.deepEqual(
    [await totals(tenant), await totals(live)],
    [
      [4, 3, 1],
      [1, 1, 0],
    ],
  )
})

test('a page reads only its own entries, for any size of the book and any position', async () => {
  const [large, archived] = [await newTenant(), await newTenant()]
  await fillBook(db.sql, large, 20_000)
  await fillBook(db.sql, archived, 20_000, { activeEvery: 1_000 })
  await db.sql`analyze beneficiaries`
  const nth = async ({ merchant_id }: Tenant, at: number) => {
    const [row] = await db.sql<{ id: string }[]>`
      select id from beneficiaries where merchant_id = ${merchant_id} order by created_at, id offset ${at - 1} limit 1`
    return row!.id
  }
  const cases: [what: string, wanted: Page, found: number, total: number][] = [
    ['the first page', page(large), 101, 20_000],
    ['the page in the middle', page(large, { starting_after: await nth(large, 10_000) }), 101, 20_000],
    ['the page after the last', page(large, { starting_after: await nth(large, 20_000) }), 0, 20_000],
    ['the active ones among many archived', page(archived, { active: true }), 20, 20],
    ['the rest of these', page(archived, { active: true, starting_after: await nth(archived, 15_000) }), 5, 20],
    ['archived entries of a book without any', page(large, { active: false }), 0, 0],
  ]
  for (const [what, wanted, found, total] of cases) {
    await db.sql.begin(async (tx) => {
      const rowsRead = async () => {
        const [row] = await tx<{ count: number }[]>`
          select (pg_stat_get_xact_tuples_returned('beneficiaries'::regclass) + sum(
                   pg_stat_get_xact_tuples_returned(indexrelid)))::int as count
            from pg_index where indrelid = 'beneficiaries'::regclass`
        return row!.count
      }
      const before = await rowsRead()
      const { entries, total_count } = await readPage(tx, wanted)
      const read = (await rowsRead()) - before
      assert.deepEqual([entries.length, total_count], [found, total], what)
      assert.ok(read < 300, `${what}: ${read} rows were read`)
    })
  }
})

test('calls that add to the same books and archive from them at once never deadlock, and every size is right', async (t) => {
  const seed = openSeed(t)
  const tenants: Tenant[] = []
  for (const livemode of [false, true, false, true]) tenants.push({ ...(await newTenant()), livemode })
  const deadlocks = async () => {
    const [row] = await db.sql<{ count: number }[]>`
      select deadlocks::int as count from pg_stat_database where datname = current_database()`
    return row!.count
  }
  const writers = 24
  const before = await deadlocks()
  for (let round = 0; round < 12; round += 1) {
    const calls = Array.from({ length: writers }, async () => {
      if (seed.chance(0.3)) {
        const [any] = await db.sql<{ id: string }[]>`
          select id from beneficiaries where merchant_id = ${seed.pick(tenants).merchant_id} and active order by random() limit 1`
        return any === undefined ? null : archiveBeneficiary(db.sql, any.id)
      }
      const wanted = Array.from({ length: 40 }, () => {
        return { ...seed.pick(tenants), msisdn: number(seed.between(1, 60)) }
      })
      const { ids } = await bringToBook(db.sql, wanted, writers)
      return assert.equal(ids.length, wanted.length)
    })
    await Promise.all(calls)
    assert.deepEqual(await wrong(db.sql), [])
  }
  assert.equal(await deadlocks(), before)
})
