import type { Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type ExportColumn, exportColumns, type Row, rowOf } from './export-columns.ts'
import type { ExportBegun, ExportFile, ExportFormat } from './export-file.ts'
import { operationOf } from './find-operations.ts'
import { readPage } from './find-store.ts'
import type { OperationFilters } from './listed-operation.ts'

/** Operations read at a time. An export holds two pages in memory; larger ones are not quicker. */
const PAGE = 500

export type ExportWanted = {
  tenant: Tenant
  filters: OperationFilters
  format: ExportFormat
  /** Whether whoever reads the file may see numbers in full. */
  whole_numbers: boolean
  /** The columns' titles in the reader's language; absent: the names of the columns. */
  titles?: Readonly<Record<ExportColumn, string>>
}

export type ExportOperations = (wanted: ExportWanted) => Promise<ExportBegun>

/**
 * Exports every operation that filters match, in the order of the list, all as they were when the export began. Memory holds two pages however
 * many rows there are.
 */
export function createExportOperations(exportFile: ExportFile): ExportOperations {
  return (wanted) => {
    const { tenant, format, titles } = wanted
    const heads = exportColumns.map((column) => titles?.[column] ?? column)
    return exportFile({ merchant_id: tenant.merchant_id, format, titles: heads, pages: (tx) => pagesOf(tx, wanted) })
  }
}

/** The next page is read while the one before is written. */
async function* pagesOf(tx: Tx, { tenant, filters, whole_numbers }: ExportWanted): AsyncGenerator<Row[]> {
  let page = await readPage(tx, tenant, filters, { limit: PAGE, after: null })
  while (page.length > 0) {
    const after = page.at(-1)!.id
    const next = page.length < PAGE ? null : readPage(tx, tenant, filters, { limit: PAGE, after }).then()
    // A reader that leaves now never awaits it.
    next?.catch(() => {})
    yield page.map((row) => rowOf(operationOf(filters.kind)(row), whole_numbers))
    page = next === null ? [] : await next
  }
}
