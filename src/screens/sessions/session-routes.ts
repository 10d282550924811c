import { findSessionsOf } from '../../checkout/find-sessions.ts'
import type { ConsoleFrame } from '../../console/console-frame.ts'
import { unreadFilters } from '../../console/list.ts'
import { absent, defineConsoleScreen, type ScreenAnswer } from '../../console/screen.ts'
import type { ExportSessions } from '../../listings/export-sessions.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { looksLikeId } from '../../values/ids.ts'
import { exportAnswer, refuseFilters } from '../operations/list-routes.ts'
import { refundWay } from '../operations/refund-way.ts'
import { readSessionPage } from './read-session-page.ts'
import { chosenSessions, sessionFilterNames, sessionFilters } from './session-filters.ts'
import { sessionView } from './session-page.ts'
import { sessionsView } from './sessions-view.ts'

type Deps = { readonly reads: Db; readonly exportSessions: ExportSessions; readonly console: ConsoleFrame }

const PAGE = 50

const getSessions = defineConsoleScreen<Deps>({
  method: 'GET',
  path: '/sessions',
  query: [...sessionFilterNames, 'starting_after'],
  operation: 'consoleSessions',
  summary: 'The payment pages of a merchant, newest first',
  right: 'payments.read',
  menu: { group: 'received', icon: 'shop', words: ['Pages de paiement', 'Payment pages'] },
  async handle(request, { reads }) {
    const { query, tenant } = request
    const chosen = chosenSessions(request)
    const after = query.get('starting_after') ?? ''
    const starting_after = looksLikeId('cs', after) ? after : ''
    const wanted = { limit: PAGE, after: starting_after === '' ? null : starting_after }
    const page = await findSessionsOf(reads, tenant, sessionFilters(chosen), wanted)
    return sessionsView(request, { chosen, page, starting_after })
  },
})

const exportList = defineConsoleScreen<Deps>({
  method: 'GET',
  path: '/sessions/export',
  query: [...sessionFilterNames, 'format'],
  operation: 'sessionsExport',
  summary: 'All payment pages that the filters match, as a file',
  right: 'exports.take',
  takes_file: true,
  async handle(request, { exportSessions }): Promise<ScreenAnswer> {
    const { tenant, can } = request
    if (!can('payments.read')) return { kind: 'not_permitted', right: 'payments.read' }
    const chosen = chosenSessions(request)
    if (unreadFilters(request, chosen).length > 0) return refuseFilters(request, '/sessions')
    const filters = sessionFilters(chosen)
    return exportAnswer(request, '/sessions', (file) => exportSessions({ tenant, filters, file }))
  },
})

const getSession = defineConsoleScreen<Deps>({
  method: 'GET',
  path: '/sessions/:session',
  operation: 'consoleSession',
  summary: 'One payment page: how it stands, the attempts of its payer, its payment and its link',
  right: 'payments.read',
  async handle(request, { reads, console }) {
    const { session = '' } = request.params
    const page = looksLikeId('cs', session) ? await readSessionPage(reads, request.tenant, session) : null
    if (page === null) return absent
    const paid = page.attempts.find(({ id }) => id === page.session.payment_id)
    return sessionView(request, page, paid === undefined ? '' : refundWay(request, console, paid))
  },
})

/** The screens of hosted payment pages, for the merchant's people. */
export const sessionScreens = [getSessions, exportList, getSession] as const
