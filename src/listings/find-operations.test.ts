import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestDatabase } from '../../tests/harness/database.ts'
import { hold } from '../../tests/harness/hold.ts'
import { createPayments, fillManyPayments, movePayment } from '../../tests/harness/listed-payments.ts'
import { newMerchant } from '../../tests/harness/merchant.ts'
import { waitFor } from '../../tests/harness/wait-for.ts'
import { machineMilliseconds } from '../platform/clock.ts'
import type { Tenant } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import { createFillListings } from './fill-listings.ts'
import { findOperations } from './find-operations.ts'
import { allOf, type OperationFilters } from './listed-operation.ts'

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())
const { sql } = db

const never = new AbortController().signal
/** Lists operations older than the given time. It waits for the end of the last row's millisecond, because until then others might come in it. */
async function fill(listed_after_ms = 0): Promise<void> {
  const last = machineMilliseconds()
  await waitFor(async () => machineMilliseconds() > last, { what: 'the next millisecond' })
  await createFillListings({ sql, listed_after_ms })(never)
}
const ago = (ms: number) => new Date(Date.now() - ms)

async function newTenant() {
  return { merchant_id: (await newMerchant(sql)).merchant_id, livemode: false }
}

async function listedOf({ merchant_id }: { merchant_id: number }) {
  const rows = await sql<{ id: string; status: string; version: number }[]>`
    select id, status, version from listed_operations where merchant_id = ${merchant_id} order by id`
  return rows.map(({ id, status, version }) => ({ id, status, version }))
}

test('a list is the same at every progress of the worker', async () => {
  const tenant = await newTenant()
  const other = await newTenant()
  const ids = await sql.begin((tx) =>
    createPayments(
      tx,
      tenant,
      new Date(),
      Array.from({ length: 7 }, (_, n) => ({ amount: 100 + n })),
    ),
  )
  await sql.begin((tx) => createPayments(tx, other, new Date(), [{}]))
  await movePayment(sql, tenant, ids[3]!, ['pending'], new Date())

  const everything = async () => {
    const found: string[] = []
    let after: string | null = null
    do {
      const page: { rows: { id: string; status: string }[]; after: string | null } = await findOperations(
        sql,
        tenant,
        allOf('payment'),
        { limit: 3, after },
      )
      found.push(...page.rows.map(({ id, status }) => `${id} ${status}`))
      after = page.after
    } while (after !== null)
    return found
  }
  const expected = ids.toReversed().map((id) => `${id} ${id === ids[3] ? 'pending' : 'created'}`)
  assert.deepEqual(await everything(), expected, 'nothing is listed')
  await fill(3_600_000)
  assert.deepEqual(await listedOf(tenant), [])
  assert.deepEqual(await everything(), expected, 'all is newer than what is listed')
  await fill()
  assert.equal((await listedOf(tenant)).length, 7)
  assert.deepEqual(await everything(), expected, 'all is listed')
  const [newer] = await sql.begin((tx) => createPayments(tx, tenant, new Date(), [{}]))
  assert.deepEqual(await everything(), [`${newer} created`, ...expected], 'and one has come since')
})

test('a payment that moved after it was listed is found by its new state, not by its former one', async () => {
  const tenant = await newTenant()
  const [id, stays] = await sql.begin((tx) => createPayments(tx, tenant, new Date(), [{}, {}]))
  await fill()
  const inState = async (status: string) => {
    const page = await findOperations(sql, tenant, { ...allOf('payment'), statuses: [status] })
    return page.rows.map(({ id }) => id)
  }
  await movePayment(sql, tenant, id!, ['pending', 'succeeded'], new Date())
  const look = async () => ({
    created: await inState('created'),
    pending: await inState('pending'),
    succeeded: await inState('succeeded'),
  })
  const expected = { created: [stays], pending: [], succeeded: [id] }
  assert.deepEqual((await listedOf(tenant))[0], { id, status: 'created', version: 0 })
  assert.deepEqual(await look(), expected, 'the list has its former state')
  await fill()
  assert.deepEqual((await listedOf(tenant))[0], { id, status: 'succeeded', version: 2 })
  assert.deepEqual(await look(), expected)
  await movePayment(sql, tenant, id!, ['partially_refunded'], new Date())
  assert.deepEqual([await inState('succeeded'), await inState('partially_refunded')], [[], [id]])
})

test('a payment whose transaction commits late is listed, although later ones were listed before', async () => {
  const tenant = await newTenant()
  let late: string | undefined
  const held = await hold(sql, async (tx) => {
    ;[late] = await createPayments(tx, tenant, ago(5), [{}])
  })
  const [later] = await sql.begin((tx) => createPayments(tx, tenant, new Date(), [{}]))
  await fill(50)
  await held.letGo()
  const found = await findOperations(sql, tenant, allOf('payment'))
  assert.deepEqual(
    found.rows.map(({ id }) => id),
    [later, late],
  )
  await fill(0)
  assert.deepEqual(
    (await listedOf(tenant)).map(({ id }) => id),
    [late, later],
  )
})

test('the second check lists a payment that appears before the worker’s progress', async () => {
  const tenant = await newTenant()
  await fill()
  const [id] = await sql.begin((tx) => createPayments(tx, tenant, ago(7_200_000), [{}]))
  await sql`update listing_progress set before_id = '' where source = 'payments again'`
  await fill()
  assert.deepEqual(
    (await listedOf(tenant)).map((row) => row.id),
    [id],
  )
})

test('several workers at once list each payment once, and an earlier state never replaces a later one', async () => {
  const tenant = await newTenant()
  const ids = await sql.begin((tx) =>
    createPayments(
      tx,
      tenant,
      ago(5_000),
      Array.from({ length: 300 }, () => ({})),
    ),
  )
  await sql`update listing_progress set before_id = ''`
  const moving = (async () => {
    for (const id of ids.slice(0, 40)) await movePayment(sql, tenant, id, ['pending', 'succeeded'], new Date())
  })()
  // An identifier is older than its transaction, and the worker does not pass an open one.
  await Promise.all([fill(1_000), fill(1_000), fill(1_000), moving])
  await fill()
  const listed = await listedOf(tenant)
  assert.equal(listed.length, 300)
  assert.equal(listed.filter(({ status, version }) => status === 'succeeded' && version === 2).length, 40)
})

test('no payment is left out after a clock ran ahead and was set back', async () => {
  const tenant = await newTenant()
  await db.moveClock('2 hours')
  await fill()
  await db.moveClock('0')
  const [id] = await sql.begin((tx) => createPayments(tx, tenant, new Date(), [{}]))
  await fill()
  assert.deepEqual(
    (await findOperations(sql, tenant, allOf('payment'))).rows.map((row) => row.id),
    [id],
  )
})

test('after a clock jumps ahead, no payment is left out that a process still writes at the old time', async () => {
  const tenant = await newTenant()
  const [id] = await sql.begin((tx) => createPayments(tx, tenant, new Date(), [{}]))
  const work = createFillListings({ sql, listed_after_ms: 200 })
  await work(never)
  await db.moveClock('3 days')
  await work(never)
  // A process that does not know of the jump writes this.
  await movePayment(sql, tenant, id!, ['pending', 'succeeded'], new Date())
  const listed = async () => {
    await work(never)
    const [row] = await sql<{ status: string }[]>`select status from listed_operations where id = ${id!}`
    return row?.status === 'succeeded'
  }
  await waitFor(listed, { what: 'the move to be listed' })
  await db.moveClock('0')
  await fill()
})

test('failures are found by their reason, also if a payment failed after it was listed', async () => {
  const tenant = await newTenant()
  const failed = { status: 'failed', failure_code: 'payer_declined' } as const
  const [first, waiting, second] = await sql.begin((tx) =>
    createPayments(tx, tenant, new Date(), [
      failed,
      { failure_code: 'payer_declined' },
      failed,
      { ...failed, failure_code: 'payer_timeout' },
    ]),
  )
  const found = async (more: Partial<OperationFilters> = {}) => {
    const filters = { ...allOf('payment'), failure_code: 'payer_declined' as const, ...more }
    return (await findOperations(sql, tenant, filters)).rows.map(({ id }) => id)
  }
  assert.deepEqual(await found(), [second, first], 'not listed')
  await fill()
  assert.deepEqual(await found(), [second, first], 'listed')
  await movePayment(sql, tenant, waiting!, ['failed'], new Date())
  assert.deepEqual(await found(), [second, waiting, first], 'moved since')
  await fill()
  assert.deepEqual(await found(), [second, waiting, first], 'listed again')
  assert.deepEqual(await found({ statuses: ['succeeded'] }), [])
  const rows = await sql<{ failure_code: string | null }[]>`
    select failure_code from listed_operations where merchant_id = ${tenant.merchant_id} and id = ${waiting!}`
  assert.deepEqual(rows, [{ failure_code: 'payer_declined' }])
})

test('every filter narrows the list, listed or not', async () => {
  const tenant = await newTenant()
  const day = (written: string) => new Date(`${written}T10:00:00.000Z`)
  const [a, b, c] = await sql.begin((tx) =>
    createPayments(tx, tenant, new Date(), [
      {
        created_at: day('2026-01-02'),
        amount: 500,
        operator: 'mtn_ci',
        msisdn: '+2250500001234',
        merchant_reference: 'A 1',
      },
      { created_at: day('2026-01-03'), amount: 700, operator: 'orange_ci', msisdn: '+2250700001234' },
      { created_at: day('2026-01-04'), amount: 900, operator: 'mtn_ci', msisdn: null, merchant_reference: 'é' },
    ]),
  )
  const cases: [Partial<OperationFilters>, (string | undefined)[]][] = [
    [{}, [c, b, a]],
    [{ operator: 'mtn_ci' }, [c, a]],
    [{ amount_min: 700 }, [c, b]],
    [{ amount_max: 700 }, [b, a]],
    [{ amount_min: 700, amount_max: 700 }, [b]],
    [{ created_from: day('2026-01-03') }, [c, b]],
    [{ created_before: day('2026-01-03') }, [a]],
    [{ reference: 'A 1' }, [a]],
    [{ reference: 'e\u0301' }, [c]],
    [{ reference: 'nobody' }, []],
    [{ number: '1234' }, [b, a]],
    [{ number: Msisdn.parse('0500001234')! }, [a]],
    [{ statuses: ['created'], operator: 'orange_ci' }, [b]],
    [{ statuses: ['failed', 'created'] }, [c, b, a]],
    [{ statuses: ['failed'] }, []],
  ]
  const check = async (when: string) => {
    for (const [filters, expected] of cases) {
      const page = await findOperations(sql, tenant, { ...allOf('payment'), ...filters })
      assert.deepEqual(
        page.rows.map(({ id }) => id),
        expected,
        `${when}: ${JSON.stringify(filters)}`,
      )
    }
  }
  await sql`update listing_progress set before_id = ''`
  await check('not listed')
  await fill()
  await check('listed')
})

/** Finds matching payments, and counts the index entries of a table that were read for them. */
function findAndCount(table: string, tenant: Tenant, filters: Partial<OperationFilters>) {
  return sql.begin(async (tx) => {
    // The counts may still include those of the session's earlier transactions.
    const readEntries = async () => {
      const [read] = await tx<{ entries: number }[]>`
        select sum(pg_stat_get_xact_tuples_returned(indexrelid))::integer as entries
          from pg_index
         where indrelid = ${table}::regclass`
      return read!.entries
    }
    // The planner expects the same cost of random reads as with millions of payments.
    await tx`set local random_page_cost = 100`
    const before = await readEntries()
    const { rows } = await findOperations(tx, tenant, { ...allOf('payment'), ...filters })
    return { rows, entries: (await readEntries()) - before }
  })
}

test('a payment is found by its reference without a read of the others', async () => {
  const tenant = await newTenant()
  await fillManyPayments(sql, tenant, 6_000)
  await sql`analyze payments`
  for (let nth = 1; nth <= 7; nth += 1) {
    const { rows, entries } = await findAndCount('payments', tenant, { reference: `CMD-${nth}` })
    assert.deepEqual(
      rows.map(({ reference }) => reference),
      [`CMD-${nth}`],
    )
    assert.equal(entries, 1, `at search ${nth}`)
  }
})

test('a range of amounts with few payments is found without a read of the others, and one with many is exact', async () => {
  const tenant = await newTenant()
  // The nth payment has 100 + n francs: the smallest are the oldest, at the end of the list.
  await fillManyPayments(sql, tenant, 6_000)
  await sql`analyze payments`
  await sql`update listing_progress set before_id = ''`
  await fill()
  const cases: [Partial<OperationFilters>, number, number][] = [
    [{ amount_max: 150 }, 50, 150],
    [{ amount_min: 200_000 }, 0, 0],
    [{ amount_min: 200_000, statuses: ['succeeded'] }, 0, 0],
    [{ amount_max: 130, statuses: ['failed', 'succeeded'] }, 30, 130],
    [{ amount_max: 180, operator: 'wave_ci' }, 20, 178],
    [{ amount_max: 5_000 }, 50, 5_000],
    [{ amount_max: 5_000, statuses: ['succeeded'] }, 50, 4_999],
  ]
  for (const [filters, found, largest] of cases) {
    const { rows, entries } = await findAndCount('listed_operations', tenant, filters)
    assert.equal(rows.length, found, JSON.stringify(filters))
    assert.equal(rows[0]?.amount ?? 0, largest, JSON.stringify(filters))
    if (filters.amount_max !== 5_000) assert.ok(entries < 500, `${JSON.stringify(filters)}: ${entries}`)
  }
})
