import { defineConsoleScreen, type ScreenAnswer } from '../../console/screen.ts'
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
    const { tenant, can } = request
    if (!can('payments.read')) return { kind: 'not_permitted', right: 'payments.read' }
    return exportAnswer(request, '/links', (format) => exportLinks({ tenant, format }))
  },
})

/** The file of the links. Their list is in `checkout/console/`. */
export const linkExportScreens = [exportList] as const
