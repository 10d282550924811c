import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { actor } from '../../tests/harness/actor.ts'
import { openPool, openTestDatabase } from '../../tests/harness/database.ts'
import { createPayments, fillManyPayments, movePayment } from '../../tests/harness/listed-payments.ts'
import { newMerchant } from '../../tests/harness/merchant.ts'
import { readXlsx } from '../../tests/harness/read-xlsx.ts'
import { chunksOf } from '../platform/chunks.ts'
import { createClock } from '../platform/clock.ts'
import { operationColumns } from './export-columns.ts'
import {
  createExportFile,
  EXPORTS_AT_ONCE,
  type ExportBegun,
  type ExportFormat,
  type FileWanted,
} from './export-file.ts'
import { findOperations } from './find-operations.ts'
import { allOf, type OperationFilters } from './listed-operation.ts'
import { rowsOfList } from './rows-of-list.ts'
import { writeXlsx } from './write-xlsx.ts'

const db = await openTestDatabase()
const pool = openPool({ url: db.url, connections: EXPORTS_AT_ONCE, name: 'exports' })
after(async () => {
  await pool.end({ timeout: 1 })
  await db[Symbol.asyncDispose]()
})
const exportFile = createExportFile({ sql: db.sql, exports: pool, clock: createClock() })
const columns = operationColumns(false)
const exportOperations = (tenant: Tenant, filters: OperationFilters, file: FileWanted) =>
  exportFile({
    tenant,
    file,
    titles: Object.keys(columns),
    pages: (tx) => rowsOfList(columns, (page) => findOperations(tx, tenant, filters, page)),
  })
let readers = 0

/** A person of its own, or this one, who takes a list of payments. */
const takenBy = (person = `reader-${++readers}@example.ci`) => ({ by: actor(person), list: 'payments', filters: {} })
const newTenant = async () => ({ merchant_id: (await newMerchant(db.sql)).merchant_id, livemode: false })
type Tenant = Awaited<ReturnType<typeof newTenant>>

async function begin(tenant: Tenant, format: ExportFormat, person?: string) {
  const begun = await exportOperations(tenant, allOf('payment'), { format, taken: takenBy(person) })
  assert.ok(begun.kind === 'begun')
  return begun
}

async function read({ stream }: Extract<ExportBegun, { kind: 'begun' }>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

/** Reads ids, states and amounts of the lines of a file, without its titles. */
async function linesOf(file: Buffer, format: ExportFormat): Promise<string[]> {
  const rows =
    format === 'csv'
      ? file
          .subarray(3)
          .toString()
          .trimEnd()
          .split('\r\n')
          .map((line) => line.split(','))
      : (await readXlsx(file)).flat().map((row) => row.map(({ text }) => text))
  assert.deepEqual(rows[0]!.slice(0, 4), ['created_at', 'id', 'status', 'amount'])
  return rows.slice(1).map((row) => row.slice(1, 4).join(' '))
}

for (const format of ['csv', 'xlsx'] as const) {
  test(`an export (${format}) has all rows that match, in the order of the list, as they were when it began`, async () => {
    const tenant = await newTenant()
    const ids = await db.sql.begin((tx) =>
      createPayments(
        tx,
        tenant,
        new Date(),
        Array.from({ length: 4_100 }, (_, nth) => ({ amount: nth + 1 })),
      ),
    )
    const begun = await begin(tenant, format)
    await movePayment(db.sql, tenant, ids[0]!, ['pending'], new Date())
    await db.sql.begin((tx) => createPayments(tx, tenant, new Date(), [{}]))
    assert.deepEqual(
      await linesOf(await read(begun), format),
      ids.map((id, nth) => `${id} created ${nth + 1}`).toReversed(),
    )
  })
}

const dangers = ['=1+1', '+225', '-1', '@SUM(A1)', '\t=1', '\r=1', 'a;=1', '"=1"', '<&>', '0012', '\u0001', 'é\ud83d']

test('formulas are texts in both formats, and phone numbers and references stay texts', async () => {
  const tenant = await newTenant()
  await db.sql.begin((tx) =>
    createPayments(
      tx,
      tenant,
      new Date(),
      dangers.map((written) => ({
        msisdn: '+2250700001234',
        description: written.replace('\ud83d', ''),
        merchant_reference: `${written.replace('\ud83d', '')}`,
      })),
    ),
  )
  const csv = (await read(await begin(tenant, 'csv'))).toString()
  assert.equal(csv[0], '\ufeff', 'Excel reads UTF-8 by this mark')
  // A formula of one text without a quotation mark keeps its digits, and does nothing.
  const keptText = /"=""[^"]*"""/g
  for (const kept of ['"=""-1"""', '"=""0012"""']) assert.ok(csv.match(keptText)!.includes(kept), kept)
  for (const field of csv.replaceAll(keptText, '').split(/[,;\r\n]/)) {
    assert.doesNotMatch(field, /^[\s"]*[=+\-@]/, JSON.stringify(field))
  }
  assert.ok(csv.includes("'+225******1234"))

  const [sheet] = await readXlsx(await read(await begin(tenant, 'xlsx')))
  const [titles, ...rows] = sheet!
  assert.equal(rows.length, dangers.length)
  for (const [nth, row] of rows.toReversed().entries()) {
    const cell = (title: string) => row[titles!.findIndex(({ text }) => text === title)]
    assert.deepEqual(cell('amount'), { type: 'n', text: '1000' })
    assert.deepEqual(cell('number'), { type: 'inlineStr', text: '+225******1234' })
    assert.deepEqual(cell('reference'), {
      type: 'inlineStr',
      text: dangers[nth]!.replace('\ud83d', '').replace('\u0001', '\ufffd'),
    })
  }
})

test('a workbook has another sheet when one is full', async () => {
  async function* pages() {
    for (let nth = 0; nth < 7; nth += 1) yield [[nth], [`${nth}`]]
  }
  const parts: Uint8Array[] = []
  for await (const part of writeXlsx(['n'], pages(), { sheet_rows_max: 6 })) parts.push(part)
  const sheets = await readXlsx(Buffer.concat(parts))
  assert.deepEqual(
    sheets.map((rows) => rows.map(([cell]) => cell!.text).join(' ')),
    ['n 0 0 1 1 2', 'n 2 3 3 4 4', 'n 5 5 6 6'],
  )
})

test('a workbook that hardly compresses has every row', async () => {
  const rows = Array.from({ length: 3_000 }, () => [randomBytes(150).toString('base64')])
  async function* pages() {
    for (const some of chunksOf(rows, 500)) yield some
  }
  const parts: Uint8Array[] = []
  for await (const part of writeXlsx(['text'], pages())) parts.push(part)
  const [sheet] = await readXlsx(Buffer.concat(parts))
  assert.deepEqual(
    sheet!.slice(1).map(([cell]) => cell!.text),
    rows.flat(),
  )
})

test('another program opens the archive', { skip: spawnSync('python3', ['--version']).status !== 0 }, async () => {
  const tenant = await newTenant()
  await db.sql.begin((tx) =>
    createPayments(
      tx,
      tenant,
      new Date(),
      Array.from({ length: 3_000 }, () => ({})),
    ),
  )
  const folder = mkdtempSync(join(tmpdir(), 'export-'))
  try {
    const file = join(folder, 'payments.xlsx')
    writeFileSync(file, await read(await begin(tenant, 'xlsx')))
    const { stdout, status } = spawnSync('python3', ['-m', 'zipfile', '-t', file], { encoding: 'utf8' })
    assert.deepEqual([status, stdout.trim()], [0, 'Done testing'])
    assert.ok(readFileSync(file).length > 500)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('in every format a broken export throws and lets the next one start, and a merchant has one at a time', async () => {
  const tenant = await newTenant()
  await db.sql.begin((tx) =>
    createPayments(
      tx,
      tenant,
      new Date(),
      Array.from({ length: 9_000 }, () => ({})),
    ),
  )
  for (const format of ['csv', 'xlsx'] as const) {
    const { stream } = await begin(tenant, format)
    await stream.next()
    await db.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like '%exports%' and xact_start is not null`
    await assert.rejects(async () => {
      for await (const _ of stream);
    })
  }
  // A reader that stops ends the export.
  for (let nth = 0; nth < 3; nth += 1) {
    const { stream } = await begin(tenant, 'xlsx')
    await stream.next()
    await stream.return(undefined)
  }
  // So does one that stops before the first byte.
  for (let nth = 0; nth < 3; nth += 1) await (await begin(tenant, 'csv')).stream.return(undefined)
  const exportOf = (of: Tenant, person?: string) =>
    exportOperations(of, allOf('payment'), { format: 'csv', taken: takenBy(person) })
  const busy = { kind: 'refused', code: 'exports_busy' }
  const first = await begin(tenant, 'csv', 'per_of_two_teams')
  assert.deepEqual(await exportOf(await newTenant(), 'per_of_two_teams'), busy, 'a person reads one at a time')
  // The other mode belongs to the same merchant.
  for (const livemode of [true, false]) assert.deepEqual(await exportOf({ ...tenant, livemode }), busy)
  const others = []
  for (let nth = 1; nth < EXPORTS_AT_ONCE; nth += 1) others.push(await begin(await newTenant(), 'csv'))
  assert.deepEqual(await exportOf(await newTenant()), busy)
  for (const begun of [first, ...others]) await read(begun)
  await read(await begin(tenant, 'csv', 'per_of_two_teams'))
})

test('a hundred thousand rows need no more memory than two pages', async () => {
  const tenant = await newTenant()
  await fillManyPayments(db.sql, tenant, 100_000)
  for (const format of ['csv', 'xlsx'] as const) {
    const { stream } = await begin(tenant, format)
    let bytes = 0
    let most = 0
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    for await (const part of stream) {
      bytes += part.length
      most = Math.max(most, process.memoryUsage().rss)
    }
    assert.ok(bytes > 1_000_000, `${bytes}`)
    assert.ok(most - before < 64 * 2 ** 20, `${format}: ${Math.round((most - before) / 2 ** 20)} MB`)
  }
})
