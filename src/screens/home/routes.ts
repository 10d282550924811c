import { defineConsoleScreen } from '../../console/screen.ts'
import { homeView } from './home-view.ts'
import { type HomeDeps, readHome } from './read-home.ts'
import { readTillHome } from './till-home.ts'
import { tillHomeView } from './till-home-view.ts'

/** The first page of a merchant. Any member has one; each part of it needs its right. A cashier's is that of their tills. */
export const showHome = defineConsoleScreen({
  method: 'GET',
  path: '',
  query: ['tasks', 'q'],
  operation: 'showHome',
  summary: 'Tasks, what came in today, and the last payments',
  right: null,
  menu: { group: 'first', icon: 'home', words: ['Accueil', 'Home'], dock: ['Accueil', 'Home'], count: 'approvals' },
  async handle(request, deps: HomeDeps) {
    const { can, session, query } = request
    if (can('own_tills.read') && !can('payments.read')) {
      const now = deps.clock.now()
      const asked = { person_id: session.person.person_id, asked: query.get('q') ?? '', now }
      return tillHomeView(request, await readTillHome(deps.sql, request.tenant, asked), now)
    }
    const facts = await readHome(deps, request.tenant, { person: request.actor.person, can: request.can })
    return homeView(request, facts, deps.clock.now())
  },
})
