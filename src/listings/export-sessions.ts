import { findSessionsOf } from '../checkout/find-sessions.ts'
import type { ListedSession, SessionFilters } from '../checkout/session-list-store.ts'
import type { Tenant } from '../values/caller.ts'
import type { ExportBegun, ExportFile, FileWanted } from './export-file.ts'
import { type ListColumns, rowsOfList } from './rows-of-list.ts'

const columns: ListColumns<ListedSession> = {
  created_at: ({ created_at }) => created_at.toISOString(),
  id: ({ id }) => id,
  status: ({ status }) => status,
  amount: ({ amount }) => amount,
  attempts: ({ attempts }) => attempts,
  description: ({ description }) => description ?? '',
  link_id: ({ link_id }) => link_id ?? '',
  payment_id: ({ payment_id }) => payment_id ?? '',
  expires_at: ({ expires_at }) => expires_at.toISOString(),
  paid_at: ({ paid_at }) => paid_at?.toISOString() ?? '',
}

export type ExportSessions = (wanted: {
  tenant: Tenant
  filters: SessionFilters
  file: FileWanted
}) => Promise<ExportBegun>

/** Creates the export of all checkout sessions that match filters, in the order of the list and as they were at the start, without their addresses. */
export function createExportSessions(exportFile: ExportFile): ExportSessions {
  return ({ tenant, filters, file }) =>
    exportFile({
      tenant,
      file,
      titles: Object.keys(columns),
      pages: (tx) => rowsOfList(columns, (page) => findSessionsOf(tx, tenant, filters, page)),
    })
}
