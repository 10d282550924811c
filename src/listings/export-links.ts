import type { Addresses } from '../checkout/addresses.ts'
import { type ShownLink, showLinks } from '../checkout/find-links.ts'
import type { LinkFilters } from '../checkout/link-store.ts'
import type { Tenant } from '../values/caller.ts'
import type { ExportBegun, ExportFile, FileWanted } from './export-file.ts'
import { type ListColumns, rowsOfList } from './rows-of-list.ts'

const columns: ListColumns<ShownLink> = {
  created_at: ({ created_at }) => created_at,
  id: ({ link_id }) => link_id,
  status: ({ status }) => status,
  description: ({ description }) => description ?? '',
  amount: ({ amount }) => amount ?? '',
  min_amount: ({ min_amount }) => min_amount ?? '',
  max_amount: ({ max_amount }) => max_amount ?? '',
  reusable: ({ reusable }) => String(reusable),
  expires_at: ({ expires_at }) => expires_at ?? '',
  paid_count: ({ paid_count }) => paid_count,
  paid_amount: ({ paid_amount }) => paid_amount,
  url: ({ url }) => url,
}

export type ExportLinks = (wanted: { tenant: Tenant; filters: LinkFilters; file: FileWanted }) => Promise<ExportBegun>

/** Creates the export of all payment links that filters match, in the order of the list, with what each brought until the start of the export. */
export function createExportLinks(exportFile: ExportFile, addresses: Addresses): ExportLinks {
  return ({ tenant, filters, file }) =>
    exportFile({
      tenant,
      file,
      titles: Object.keys(columns),
      pages: (tx) => rowsOfList(columns, (page) => showLinks({ sql: tx, addresses }, tenant, filters, page)),
    })
}
