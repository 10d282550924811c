import { defineConsoleScreen } from '../../console/screen.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { chartsView } from './charts-view.ts'
import { chartPeriod } from './period.ts'
import { readCharts } from './read-charts.ts'

/** The charts of a merchant's money, day by day. */
export const getCharts = defineConsoleScreen<{ readonly reads: Db; readonly clock: Clock }>({
  method: 'GET',
  path: '/charts',
  query: ['period'],
  operation: 'consoleCharts',
  summary: 'Volume, success, failures, fees and balance of a merchant over a period',
  right: 'charts.read',
  menu: { group: 'account', icon: 'chart', words: ['Graphiques', 'Charts'] },
  async handle(request, { reads, clock }) {
    const period = chartPeriod(request.query.get('period') ?? '', clock.now())
    return chartsView(request, period, await readCharts(reads, request.tenant, period, request.can))
  },
})
