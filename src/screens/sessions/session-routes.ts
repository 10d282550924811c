import { findSessionsOf } from '../../checkout/find-sessions.ts'
import { absent, defineConsoleScreen } from '../../console/screen.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { isDay } from '../../statements/period.ts'
import { looksLikeId } from '../../values/ids.ts'
import { readSessionPage } from './read-session-page.ts'
import { sessionView } from './session-page.ts'
import { sessionsView } from './sessions-view.ts'

type Deps = { readonly reads: Db }

const PAGE = 50
const DAY_MS = 86_400_000

const getSessions = defineConsoleScreen<Deps>({
  method: 'GET',
  path: '/sessions',
  query: ['link', 'from', 'to', 'starting_after'],
  operation: 'console_sessions',
  summary: 'The payment pages of a merchant, newest first',
  right: 'payments.read',
  menu: { group: 'received', icon: 'shop', words: ['Pages de paiement', 'Payment pages'] },
  async handle(request, { reads }) {
    const { query, tenant } = request
    const text = (name: string, is: (text: string) => boolean) => {
      const typed = (query.get(name) ?? '').trim()
      return is(typed) ? typed : ''
    }
    const link = text('link', (typed) => looksLikeId('lnk', typed))
    const chosen = { from: text('from', isDay), to: text('to', isDay), link }
    const starting_after = text('starting_after', (typed) => looksLikeId('cs', typed))
    const filters = {
      link_id: link === '' ? null : link,
      created_from: chosen.from === '' ? null : new Date(`${chosen.from}T00:00:00.000Z`),
      created_before: chosen.to === '' ? null : new Date(Date.parse(`${chosen.to}T00:00:00.000Z`) + DAY_MS),
    }
    const wanted = { limit: PAGE, after: starting_after === '' ? null : starting_after }
    const page = await findSessionsOf(reads, tenant, filters, wanted)
    return sessionsView(request, { chosen, page, starting_after })
  },
})

const getSession = defineConsoleScreen<Deps>({
  method: 'GET',
  path: '/sessions/:session',
  operation: 'console_session',
  summary: 'One payment page: how it stands, the attempts of its payer, its payment and its link',
  right: 'payments.read',
  async handle(request, { reads }) {
    const { session = '' } = request.params
    const page = looksLikeId('cs', session) ? await readSessionPage(reads, request.tenant, session) : null
    return page === null ? absent : sessionView(request, page)
  },
})

/** The hosted pages that payers see, as their merchant's people follow them. */
export const sessionScreens = [getSessions, getSession] as const
