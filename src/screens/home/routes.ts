import { defineConsoleScreen } from '../../console/screen.ts'
import { homeView } from './home-view.ts'
import { type HomeDeps, readHome } from './read-home.ts'

/** The first page of a merchant. Any member has one; each part of it needs its right. */
export const showHome = defineConsoleScreen({
  method: 'GET',
  path: '',
  query: ['tasks'],
  operation: 'showHome',
  summary: 'Tasks, what came in today, and the last payments',
  right: null,
  menu: { group: 'first', icon: 'home', words: ['Accueil', 'Home'], dock: ['Accueil', 'Home'], count: 'approvals' },
  async handle(request, deps: HomeDeps) {
    const facts = await readHome(deps, request.tenant, { person: request.actor.person, can: request.can })
    return homeView(request, facts, deps.clock.now())
  },
})
