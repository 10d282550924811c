import type { Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type ExportColumn, exportColumns, type Row, rowOf } from './export-columns.ts'
import type { ExportBegun, ExportFile, FileWanted } from './export-file.ts'
import { operationOf } from './find-operations.ts'
import { readPage } from './find-store.ts'
import type { OperationFilters } from './listed-operation.ts'

/** The number of operations in one read. An export holds two pages in memory; larger pages are not faster. */
const PAGE = 500

export type ExportWanted = {
  tenant: Tenant
  filters: OperationFilters
  file: FileWanted
  /** Whether the reader of the file may see whole phone numbers. */
  whole_numbers: boolean
  /** The titles of the columns in the reader's language. Absent: the names of the columns. */
  titles?: Readonly<Record<ExportColumn, string>>
}

export type ExportOperations = (wanted: ExportWanted) => Promise<ExportBegun>

/**
 * Creates the export of all operations that match filters, in the order of the list and as they were at the start of the export. Memory
 * holds two pages for any number of rows.
 */
export function createExportOperations(exportFile: ExportFile): ExportOperations {
  return (wanted) => {
    const { tenant, file, titles } = wanted
    const heads = exportColumns.map((column) => titles?.[column] ?? column)
    return exportFile({ tenant, file, titles: heads, pages: (tx) => pagesOf(tx, wanted) })
  }
}

/** Yields pages, and reads each next page while the caller writes the previous one. */
async function* pagesOf(tx: Tx, { tenant, filters, whole_numbers }: ExportWanted): AsyncGenerator<Row[]> {
  let page = await readPage(tx, tenant, filters, { limit: PAGE, after: null })
  while (page.length > 0) {
    const after = page.at(-1)!.id
    const next = page.length < PAGE ? null : readPage(tx, tenant, filters, { limit: PAGE, after }).then()
    // If the reader stops now, nobody awaits the next page.
    next?.catch(() => {})
    yield page.map((row) => rowOf(operationOf(filters.kind)(row), whole_numbers))
    page = next === null ? [] : await next
  }
}
