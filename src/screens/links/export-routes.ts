import { chosenLinks, linkFilterNames, linkFilters } from '../../checkout/console/link-filters.ts'
import { unreadFilters } from '../../console/list.ts'
import { defineConsoleScreen, type ScreenAnswer } from '../../console/screen.ts'
import type { ExportLinks } from '../../listings/export-links.ts'
import { exportAnswer, refuseFilters } from '../lists/file-answer.ts'

const exportList = defineConsoleScreen<{ readonly exportLinks: ExportLinks }>({
  method: 'GET',
  path: '/links/export',
  query: [...linkFilterNames, 'format'],
  operation: 'linksExport',
  summary: 'All payment links that the filters match, as a file',
  right: 'exports.take',
  takes_file: true,
  async handle(request, { exportLinks }): Promise<ScreenAnswer> {
    const { tenant, can } = request
    if (!can('payments.read')) return { kind: 'not_permitted', right: 'payments.read' }
    const chosen = chosenLinks(request)
    if (unreadFilters(request, chosen).length > 0) return refuseFilters(request, '/links')
    const filters = linkFilters(chosen)
    return exportAnswer(request, '/links', (file) => exportLinks({ tenant, filters, file }))
  },
})

/** The file of the links. Their list is in `checkout/console/`. */
export const linkExportScreens = [exportList] as const
