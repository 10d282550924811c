import type { Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { EventFilters } from '../webhooks/journal-store.ts'
import { type ListedEvent, listEvents } from '../webhooks/list-events.ts'
import type { Row } from './export-columns.ts'
import type { ExportBegun, ExportFile, ExportFormat } from './export-file.ts'

/** Events read at a time, each with its deliveries. */
const PAGE = 500

const columns = {
  created_at: ({ created_at }) => created_at.toISOString(),
  id: ({ id }) => id,
  type: ({ type }) => type,
  subject_id: ({ subject_id }) => subject_id,
  deliveries: ({ deliveries }) => deliveries.length,
  delivered: ({ deliveries }) => deliveries.filter(({ status }) => status === 'delivered').length,
  failed: ({ deliveries }) => deliveries.filter(({ status }) => status === 'failed').length,
} satisfies Record<string, (event: ListedEvent) => string | number>

export type ExportEvents = (wanted: {
  tenant: Tenant
  filters: EventFilters
  format: ExportFormat
}) => Promise<ExportBegun>

/** Exports every event that filters match, in the order of the list, without its body: how it fares, all as it was when the export began. */
export function createExportEvents(exportFile: ExportFile): ExportEvents {
  return ({ tenant, filters, format }) =>
    exportFile({
      merchant_id: tenant.merchant_id,
      format,
      titles: Object.keys(columns),
      pages: (tx) => pagesOf(tx, tenant, filters),
    })
}

async function* pagesOf(tx: Tx, tenant: Tenant, filters: EventFilters): AsyncGenerator<Row[]> {
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<typeof listEvents>> = await listEvents(tx, tenant, filters, { limit: PAGE, after })
    if (page.rows.length > 0) yield page.rows.map((event) => Object.values(columns).map((value) => value(event)))
    after = page.after
  } while (after !== null)
}
