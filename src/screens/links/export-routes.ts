import { defineConsoleScreen, type ScreenAnswer } from '../../console/screen.ts'
import type { ExportFormat } from '../../listings/export-file.ts'
import type { ExportLinks } from '../../listings/export-links.ts'
import { exportAnswer } from '../operations/list-routes.ts'

const exportList = defineConsoleScreen<{ readonly exportLinks: ExportLinks }>({
  method: 'GET',
  path: '/links/export',
  query: ['format'],
  operation: 'linksExport',
  summary: 'All payment links of a merchant, as a file',
  right: 'exports.take',
  async handle(request, { exportLinks }): Promise<ScreenAnswer> {
    const { tenant, query, can } = request
    if (!can('payments.read')) return { kind: 'not_permitted', right: 'payments.read' }
    const format: ExportFormat = query.get('format') === 'xlsx' ? 'xlsx' : 'csv'
    const begun = await exportLinks({ tenant, format })
    return exportAnswer(request, begun, { name: `links-${tenant.merchant_id}.${format}`, back: '/links' })
  },
})

/** The file of the links. Their list is in `checkout/console/`. */
export const linkExportScreens = [exportList] as const
