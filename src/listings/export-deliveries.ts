import type { Tenant } from '../values/caller.ts'
import type { DeliveryFilters, DeliveryRow } from '../webhooks/delivery-list-store.ts'
import { listDeliveries } from '../webhooks/show-deliveries.ts'
import type { ExportBegun, ExportFile, FileWanted } from './export-file.ts'
import { type ListColumns, rowsOfList } from './rows-of-list.ts'

const columns: ListColumns<DeliveryRow> = {
  created_at: ({ created_at }) => created_at.toISOString(),
  id: ({ id }) => id,
  event_id: ({ event_id }) => event_id,
  type: ({ type }) => type,
  subject_id: ({ subject_id }) => subject_id,
  endpoint_id: ({ endpoint_id }) => endpoint_id,
  status: ({ status }) => status,
  attempts: ({ attempts }) => attempts,
  last_response_status: ({ last_response_status }) => last_response_status ?? '',
  next_attempt_at: ({ next_attempt_at }) => next_attempt_at?.toISOString() ?? '',
}

export type ExportDeliveries = (wanted: {
  tenant: Tenant
  filters: DeliveryFilters
  file: FileWanted
}) => Promise<ExportBegun>

/** Creates the export of all deliveries that filters match, in the order of the list and as they were at the start, without their bodies. */
export function createExportDeliveries(exportFile: ExportFile): ExportDeliveries {
  return ({ tenant, filters, file }) =>
    exportFile({
      tenant,
      file,
      titles: Object.keys(columns),
      pages: (tx) => rowsOfList(columns, (page) => listDeliveries(tx, tenant, filters, page)),
    })
}
