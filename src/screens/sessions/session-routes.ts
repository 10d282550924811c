import { sessionList } from '../../checkout/console/session-list.ts'
import type { ConsoleFrame } from '../../console/console-frame.ts'
import { absent, defineConsoleScreen } from '../../console/screen.ts'
import { html } from '../../platform/http/html.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { readLastRequest } from '../../refunds/refund-request.ts'
import { readGiven } from '../../refunds/store.ts'
import { looksLikeId } from '../../values/ids.ts'
import { readNames } from '../approvals/waiting.ts'
import { listScreens } from '../lists/list-screens.ts'
import { refundWay } from '../operations/refund-way.ts'
import { readSessionPage } from './read-session-page.ts'
import { sessionView } from './session-page.ts'

type Deps = { readonly reads: Db; readonly console: ConsoleFrame }

const sessionListScreens = listScreens(sessionList, {
  summary: 'The payment pages of a merchant, newest first',
  menu: { group: 'received', icon: 'shop', words: ['Pages de paiement', 'Payment pages'] },
  lead: ({ say, at }) => html`<a href="${at('/payments')}">${say(['Voir les paiements', 'See the payments'])}</a>`,
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
    if (paid === undefined) return sessionView(request, page, '')
    const { tenant } = request
    const key = { ...tenant, payment_id: paid.id }
    const [asked, names, { amount: given }] = await Promise.all([
      readLastRequest(reads, key),
      readNames(reads, tenant),
      readGiven(reads, key, paid.id),
    ])
    return sessionView(request, page, refundWay(request, console, paid, { asked, names, given }))
  },
})

/** The screens of hosted payment pages, for the merchant's people. */
export const sessionScreens = [...sessionListScreens, getSession] as const
