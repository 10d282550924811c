import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type ExportColumn, exportColumns, type Row, rowOf } from './export-columns.ts'
import { operationOf } from './find-operations.ts'
import { readPage } from './find-store.ts'
import type { OperationFilters } from './listed-operation.ts'
import { setReaderPatience } from './store.ts'
import { writeCsv } from './write-csv.ts'
import { writeXlsx } from './write-xlsx.ts'

/**
 * Exports that are under way in a process at once, one for each merchant: a download that takes half an hour keeps nobody else from theirs. Each
 * has a connection of its own for as long as it lasts.
 */
export const EXPORTS_AT_ONCE = 4
/** Operations read at a time. An export holds two pages in memory; larger ones are not quicker. */
const PAGE = 500
/** Minutes that a download may take. The moment that it shows is kept for it in the database, which cleans up nothing later meanwhile. */
const EXPORT_MINUTES_MAX = 30

export type ExportFormat = 'csv' | 'xlsx'

export type ExportWanted = {
  tenant: Tenant
  filters: OperationFilters
  format: ExportFormat
  /** Whether whoever reads the file may see numbers in full. */
  whole_numbers: boolean
  /** The columns' titles in the reader's language; absent: the names of the columns. */
  titles?: Readonly<Record<ExportColumn, string>>
}

export type ExportBegun =
  | {
      kind: 'begun'
      content_type: string
      /** The file. It throws when it cannot be read to its end, and its reader must then show a failed download. To be read, or returned from. */
      stream: AsyncGenerator<string | Uint8Array>
    }
  /** The merchant's last one is under way, or as many as a process makes: to be tried again in a minute. */
  | { kind: 'refused'; code: 'exports_busy' }

export type ExportOperations = (wanted: ExportWanted) => Promise<ExportBegun>

const contentTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/**
 * Exports every operation that filters match, in the order of the list, all as they were when the export began: one transaction, which sees one
 * moment, lasts as long as the file is read. Memory holds two pages however many rows there are.
 * @param sql a pool of its own, of `EXPORTS_AT_ONCE` connections
 */
export function createExportOperations(sql: Sql): ExportOperations {
  const underWay = new Set<number>()
  return async (wanted) => {
    const { merchant_id } = wanted.tenant
    if (underWay.size >= EXPORTS_AT_ONCE || underWay.has(merchant_id)) return { kind: 'refused', code: 'exports_busy' }
    underWay.add(merchant_id)
    const stream = fileOf(wanted)
    // Up to its first part, which is empty: a generator that has not begun would not end its transaction when its reader leaves.
    await stream.next()
    return { kind: 'begun', content_type: contentTypes[wanted.format], stream }
  }

  async function* fileOf(wanted: ExportWanted): AsyncGenerator<string | Uint8Array> {
    const { tenant, filters, format, titles } = wanted
    const moment = openMoment(sql, () => underWay.delete(tenant.merchant_id))
    try {
      const tx = await moment.tx
      const first = await readPage(tx, tenant, filters, { limit: PAGE, after: null })
      yield ''
      const heads = exportColumns.map((column) => titles?.[column] ?? column)
      yield* (format === 'csv' ? writeCsv : writeXlsx)(heads, pagesOf(tx, wanted, first))
    } finally {
      await moment.close()
    }
  }
}

/** The next page is read while the one before is written. */
async function* pagesOf(
  tx: Tx,
  { tenant, filters, whole_numbers }: ExportWanted,
  first: FoundPage,
): AsyncGenerator<Row[]> {
  let page = first
  while (page.length > 0) {
    const after = page.at(-1)!.id
    const next = page.length < PAGE ? null : readPage(tx, tenant, filters, { limit: PAGE, after }).then()
    // A reader that leaves now never awaits it.
    next?.catch(() => {})
    yield page.map((row) => rowOf(operationOf(filters.kind)(row), whole_numbers))
    page = next === null ? [] : await next
  }
}

type FoundPage = Awaited<ReturnType<typeof readPage>>

/** A transaction that sees one moment and stays open until it is closed, or until a download has taken too long: then it reads no more. */
function openMoment(sql: Sql, onEnd: () => void): { tx: Promise<Tx>; close(): Promise<void> } {
  const opened = Promise.withResolvers<Tx>()
  const over = Promise.withResolvers<void>()
  const tooLong = setTimeout(over.resolve, EXPORT_MINUTES_MAX * 60_000).unref()
  const lasting = sql
    .begin('isolation level repeatable read, read only', async (tx) => {
      await setReaderPatience(tx)
      opened.resolve(tx)
      await over.promise
    })
    // It wrote nothing: whether it ends well says nothing of what was read.
    .catch(opened.reject)
    .finally(() => {
      clearTimeout(tooLong)
      onEnd()
    })
  return {
    tx: opened.promise,
    async close() {
      over.resolve()
      await lasting
    },
  }
}
