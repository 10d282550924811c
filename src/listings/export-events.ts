import type { Tenant } from '../values/caller.ts'
import type { EventFilters } from '../webhooks/journal-store.ts'
import { type ListedEvent, listEvents } from '../webhooks/list-events.ts'
import type { ExportBegun, ExportFile, FileWanted } from './export-file.ts'
import { type ListColumns, rowsOfList } from './rows-of-list.ts'

const columns: ListColumns<ListedEvent> = {
  created_at: ({ created_at }) => created_at.toISOString(),
  id: ({ id }) => id,
  type: ({ type }) => type,
  subject_id: ({ subject_id }) => subject_id,
  deliveries: ({ deliveries }) => deliveries.length,
  delivered: ({ deliveries }) => deliveries.filter(({ status }) => status === 'delivered').length,
  failed: ({ deliveries }) => deliveries.filter(({ status }) => status === 'failed').length,
}

export type ExportEvents = (wanted: { tenant: Tenant; filters: EventFilters; file: FileWanted }) => Promise<ExportBegun>

/** Creates the export of all events that match filters, in the order of the list, with their deliveries' states at the start of the export, without their bodies. */
export function createExportEvents(exportFile: ExportFile): ExportEvents {
  return ({ tenant, filters, file }) =>
    exportFile({
      tenant,
      file,
      titles: Object.keys(columns),
      pages: (tx) => rowsOfList(columns, (page) => listEvents(tx, tenant, filters, page)),
    })
}
