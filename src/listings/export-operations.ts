import type { Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { operationColumns } from './export-columns.ts'
import type { ExportBegun, ExportFile, FileWanted } from './export-file.ts'
import { findOperations } from './find-operations.ts'
import type { OperationFilters } from './listed-operation.ts'
import { rowsOfList } from './rows-of-list.ts'

export type ExportWanted = {
  tenant: Tenant
  filters: OperationFilters
  file: FileWanted
  /** Whether the reader of the file may see whole phone numbers. */
  whole_numbers: boolean
}

export type ExportOperations = (wanted: ExportWanted) => Promise<ExportBegun>

/** Creates the export of all operations that match filters, in the order of the list and as they were at the start of the export. */
export function createExportOperations(exportFile: ExportFile): ExportOperations {
  return ({ tenant, filters, file, whole_numbers }) => {
    const columns = operationColumns(whole_numbers)
    const pages = (tx: Tx) => rowsOfList(columns, (page) => findOperations(tx, tenant, filters, page))
    return exportFile({ tenant, file, titles: Object.keys(columns), pages })
  }
}
