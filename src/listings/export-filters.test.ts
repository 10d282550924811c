import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { actor } from '../../tests/harness/actor.ts'
import { openPool, openTestDatabase } from '../../tests/harness/database.ts'
import { createPayments, movePayment } from '../../tests/harness/listed-payments.ts'
import { newMerchant } from '../../tests/harness/merchant.ts'
import { waitFor } from '../../tests/harness/wait-for.ts'
import { createClock, machineMilliseconds } from '../platform/clock.ts'
import type { Tenant } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import { operationColumns } from './export-columns.ts'
import { createExportFile, EXPORTS_AT_ONCE, type FileWanted } from './export-file.ts'
import { createFillListings } from './fill-listings.ts'
import { findOperations } from './find-operations.ts'
import { allOf, type OperationFilters } from './listed-operation.ts'
import { rowsOfList } from './rows-of-list.ts'

// More than one page each of rows that are listed, that moved since they were listed, and that are not listed yet.

const db = await openTestDatabase()
const { sql } = db
const pool = openPool({ url: db.url, connections: EXPORTS_AT_ONCE, name: 'exports' })
after(async () => {
  await pool.end({ timeout: 1 })
  await db[Symbol.asyncDispose]()
})
const exportFile = createExportFile({ sql, exports: pool, clock: createClock() })
const columns = operationColumns(false)
const exportOperations = (tenant: Tenant, filters: OperationFilters, file: FileWanted) =>
  exportFile({
    tenant,
    file,
    titles: Object.keys(columns),
    pages: (tx) => rowsOfList(columns, (page) => findOperations(tx, tenant, filters, page)),
  })

const taken = { by: actor('accountant@example.ci'), list: 'payments', filters: {} }
const DAY_MS = 86_400_000
const operators = ['orange_ci', 'mtn_ci', 'wave_ci'] as const
const statuses = ['created', 'pending', 'succeeded'] as const

let tenant: Tenant

/** Returns the fields of the nth payment. Operator, amount, number and day repeat with different periods, so that every pair of them occurs. */
const nth = (at: number) => ({
  operator: operators[at % 3]!,
  amount: 100 + (at % 5) * 100,
  net_amount: 100 + (at % 5) * 100,
  fee_amount: 0,
  amount_collected: 100 + (at % 5) * 100,
  msisdn: `+22507000${String(10_000 + (at % 7)).padStart(5, '0')}`,
  merchant_reference: `CMD-${at}`,
})

/** The number of payments made so far, for their references. */
let made = 1_500

/** Makes payments with identifiers of the milliseconds before `created_at`, all newer than the worker's progress. */
async function create(from: number, to: number, created_at: Date): Promise<string[]> {
  const some = Array.from({ length: to - from }, (_, at) => ({ ...nth(from + at) }))
  return sql.begin((tx) => createPayments(tx, tenant, created_at, some))
}

/** Moves one in three to `pending` and one in three to its end. */
async function moveSome(ids: readonly string[]): Promise<void> {
  for (const [at, id] of ids.entries()) {
    if (at % 3 === 0) continue
    await movePayment(sql, tenant, id, at % 3 === 1 ? ['pending'] : ['pending', 'succeeded'], new Date())
  }
}

async function listAll(): Promise<void> {
  const last = machineMilliseconds()
  await waitFor(() => machineMilliseconds() > last, { what: 'the next millisecond' })
  await createFillListings({ sql, listed_after_ms: 0 })(new AbortController().signal)
}

before(async () => {
  tenant = { merchant_id: (await newMerchant(sql)).merchant_id, livemode: false }
  const other = { merchant_id: (await newMerchant(sql)).merchant_id, livemode: false }
  await sql.begin((tx) => createPayments(tx, other, new Date(), [nth(0), nth(1)]))
  const listed = await create(0, 1_300, new Date(Date.now() - 2 * DAY_MS))
  await moveSome(listed.slice(0, 60))
  await listAll()
  await moveSome(listed.slice(600, 660))
  const fresh = await create(1_300, 1_500, new Date(Date.now() + 200))
  await moveSome(fresh.slice(0, 30))
})

type TruthRow = {
  id: string
  status: string
  amount: number
  operator: string
  msisdn: string
  reference: string
  at: Date
}

/** Reads the matching ids and states from the payments themselves, with this test's own filter. */
async function truth(filters: OperationFilters): Promise<string[]> {
  const rows = await sql<TruthRow[]>`
    select id, status, amount, operator, msisdn, merchant_reference as reference, created_at as at
      from payments
     where merchant_id = ${tenant.merchant_id}
     order by id desc`
  const { number } = filters
  return rows
    .filter(
      ({ status, amount, operator, msisdn, reference, at }) =>
        (filters.statuses.length === 0 || filters.statuses.includes(status)) &&
        (filters.operator === null || filters.operator === operator) &&
        (filters.amount_min === null || amount >= filters.amount_min) &&
        (filters.amount_max === null || amount <= filters.amount_max) &&
        (filters.created_from === null || at >= filters.created_from) &&
        (filters.created_before === null || at < filters.created_before) &&
        (filters.reference === null || reference === filters.reference) &&
        (number === null || (number instanceof Msisdn ? msisdn === number.e164 : msisdn.endsWith(number))),
    )
    .map(({ id, status }) => `${id},${status}`)
}

const yesterday = new Date(Date.now() - DAY_MS)

const narrowed: Record<string, Partial<OperationFilters>> = {
  nothing: {},
  'each status': { statuses: ['created'] },
  'another status': { statuses: ['pending'] },
  'several statuses': { statuses: ['pending', 'succeeded'] },
  'an operator': { operator: 'wave_ci' },
  'a smallest amount': { amount_min: 300 },
  'an exact amount': { amount_min: 200, amount_max: 200 },
  'the days before yesterday': { created_before: yesterday },
  'the days since yesterday': { created_from: yesterday },
  'a reference': { reference: 'CMD-1450' },
  'a whole number': { number: Msisdn.stored('+2250700010003') },
  'the end of a number': { number: '0003' },
  'all together': {
    statuses: ['created', 'succeeded'],
    operator: 'mtn_ci',
    amount_min: 200,
    created_before: yesterday,
  },
}

for (const [by, some] of Object.entries(narrowed)) {
  test(`an export narrowed by ${by} has exactly what matched when it began, in the order of the list, while others write`, async () => {
    const filters = { ...allOf('payment'), ...some }
    const expected = await truth(filters)
    assert.ok(expected.length > 0)
    const begun = await exportOperations(tenant, filters, { format: 'csv', taken })
    assert.ok(begun.kind === 'begun')
    // Before the first row is read, new payments match, some move to a wanted status, others away from it, and the worker goes on listing.
    const fresh = await create(made, made + 105, new Date(Date.now() + 105))
    made += 105
    await moveSome(fresh.slice(0, 6))
    const [oldest, newest] = [expected.at(-1)!, expected[0]!].map((row) => row.split(','))
    for (const [id, status] of [oldest!, newest!]) {
      if (status !== 'succeeded')
        await movePayment(sql, tenant, id!, [statuses[statuses.indexOf(status as 'created') + 1]!], new Date())
    }
    await listAll()
    const parts: string[] = []
    for await (const part of begun.stream) parts.push(part as string)
    const [, ...lines] = parts.join('').trimEnd().split('\r\n')
    assert.deepEqual(
      lines.map((line) => line.split(',').slice(1, 3).join(',')),
      expected,
    )
    assert.notDeepEqual(await truth(filters), by === 'the days before yesterday' ? null : expected, 'something changed')
  })
}
