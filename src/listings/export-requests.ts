import { listRequests, type RequestFilters } from '../request-log/list-requests.ts'
import type { LoggedRequest } from '../request-log/store.ts'
import type { Tenant } from '../values/caller.ts'
import type { ExportBegun, ExportFile, FileWanted } from './export-file.ts'
import { type ListColumns, rowsOfList } from './rows-of-list.ts'

const columns: ListColumns<LoggedRequest> = {
  requested_at: ({ requested_at }) => requested_at.toISOString(),
  request_id: ({ request_id }) => request_id,
  method: ({ method }) => method,
  path: ({ path }) => path,
  status: ({ status }) => status,
  error_code: ({ error_code }) => error_code ?? '',
  subject_id: ({ subject_id }) => subject_id ?? '',
  key_id: ({ key_id }) => key_id,
  address: ({ address }) => address,
  duration_ms: ({ duration_ms }) => duration_ms,
}

export type ExportRequests = (wanted: {
  tenant: Tenant
  filters: RequestFilters
  file: FileWanted
}) => Promise<ExportBegun>

/** Creates the export of all calls in the log that match filters, in the order of the list and as of the start of the export. */
export function createExportRequests(exportFile: ExportFile): ExportRequests {
  return ({ tenant, filters, file }) =>
    exportFile({
      tenant,
      file,
      titles: Object.keys(columns),
      pages: (tx) =>
        rowsOfList(columns, async (page) => {
          const { requests, after } = await listRequests(tx, tenant, { ...filters, ...page })
          return { rows: requests, after }
        }),
    })
}
