import { findSessionsOf } from '../checkout/find-sessions.ts'
import type { ListedSession, SessionFilters } from '../checkout/session-list-store.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Row } from './export-columns.ts'
import type { ExportBegun, ExportFile, ExportFormat } from './export-file.ts'

/** Payment pages read at a time. */
const PAGE = 500

const columns = {
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
} satisfies Record<string, (session: ListedSession) => string | number>

export type ExportSessions = (wanted: {
  tenant: Tenant
  filters: SessionFilters
  format: ExportFormat
}) => Promise<ExportBegun>

/** Exports every payment page that filters match, in the order of the list, without its address: all as they were when the export began. */
export function createExportSessions(exportFile: ExportFile): ExportSessions {
  return ({ tenant, filters, format }) =>
    exportFile({
      merchant_id: tenant.merchant_id,
      format,
      titles: Object.keys(columns),
      pages: (tx) => pagesOf(tx, tenant, filters),
    })
}

async function* pagesOf(tx: Tx, tenant: Tenant, filters: SessionFilters): AsyncGenerator<Row[]> {
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<typeof findSessionsOf>> = await findSessionsOf(tx, tenant, filters, {
      limit: PAGE,
      after,
    })
    if (page.rows.length > 0) yield page.rows.map((session) => Object.values(columns).map((value) => value(session)))
    after = page.after
  } while (after !== null)
}
