import type { ActDeps } from '../../acts/perform.ts'
import type { Waits } from '../../acts/proposal.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import {
  decideRoute,
  type RouteChanged,
  type RouteDeps,
  setRoute,
  withdrawRoute,
} from '../../operators/contracts/set-route.ts'
import { proposalPaths } from '../desk/case-words.ts'
import { proposalScreens } from '../desk/proposal-screens.ts'
import { type ConnectorDeps, readConnectorFacts } from './connector-facts.ts'
import { connectorListView } from './connector-list-view.ts'

type Request = ScreenRequest<'desk'>
type Deps = ConnectorDeps & ActScreenDeps

export const getConnectors = defineDeskScreen<ConnectorDeps>({
  method: 'GET',
  path: '/connectors',
  operation: 'deskConnectors',
  summary: 'Read the contracts with operators, their balances, how operators do, and the routes',
  right: 'connectors.read',
  menu: { group: 'operators', icon: 'link', words: ['Connecteurs', 'Connectors'] },
  handle: (request, deps) => show(request, deps),
})

/** Sets the connectors of an operator's operations. */
export const postRoute = deskAct<RouteDeps & ActDeps, RouteChanged | Waits, Deps>(setRoute, {
  path: '/connectors/routes',
  back: ({ at }) => at('/connectors'),
  done: (_, made) =>
    'proposal_id' in made
      ? `${proposalPaths['route.set']}/${made.proposal_id}?done=proposed`
      : '/connectors?done=saved',
  again: show,
  text: ({ livemode }, name) => (name === 'mode' ? (livemode ? 'live' : 'test') : undefined),
})

/** A route to a new connector, on the page of the second person. */
const proposedRoutes = proposalScreens<Deps>(
  { ...decideRoute, withdraw: withdrawRoute },
  {
    acts: ['route.set'],
    path: proposalPaths['route.set'],
    operation: 'deskProposedRoute',
    summary: 'Read a route that waits for a second person',
    otherRole: ['Les opérations décident.', 'Operations decide.'],
    made: () => '/connectors',
  },
)

async function show(request: Request, deps: ConnectorDeps, errors: readonly FieldError[] = []): Promise<ScreenAnswer> {
  return connectorListView(request, await readConnectorFacts(deps, request.livemode), errors)
}

export const routeScreens = [getConnectors, postRoute, ...proposedRoutes] as const
