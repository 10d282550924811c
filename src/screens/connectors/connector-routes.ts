import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { absent, defineDeskScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { checkConnector, readConnectorBalance } from '../../operators/contracts/check-connector.ts'
import { readTerms } from '../../operators/contracts/connector-store.ts'
import { type ShownConnector, showConnector } from '../../operators/contracts/find-connectors.ts'
import { type RemovalDeps, removeConnector } from '../../operators/contracts/remove-connector.ts'
import { acceptBalance } from '../../operators/float/accept-balance.ts'
import { askBalance } from '../../operators/float/ask-balance.ts'
import { readAccepted, readNewest } from '../../operators/float/float-store.ts'
import { readRefusing } from '../../operators/routing/circuit-store.ts'
import { hasOpenOrders } from '../../operators/store.ts'
import type { ConnectorDeps } from './connector-facts.ts'
import { type ConnectorNews, connectorView } from './connector-view.ts'
import { routeScreens } from './route-routes.ts'
import { settingScreens } from './setting-routes.ts'

type Request = ScreenRequest<'desk'>
type Deps = ConnectorDeps & ActScreenDeps

export const getConnector = defineDeskScreen<ConnectorDeps>({
  method: 'GET',
  path: '/connectors/:name',
  operation: 'deskConnector',
  summary: 'Read a contract with its settings, their secrets masked, and its balance',
  right: 'connectors.read',
  handle: (request, deps) => withConnector(request, deps, (shown) => show(request, deps, shown)),
})

/** Tests the settings by a call that moves no money, and shows the result in one sentence. */
export const postCheck = defineDeskScreen<ConnectorDeps>({
  method: 'POST',
  path: '/connectors/:name/check',
  operation: 'deskCheckConnector',
  summary: 'Prove the settings of a contract by a call that moves nothing',
  right: 'connectors.manage',
  handle: (request, deps) =>
    withConnector(request, deps, async (shown) => {
      const { say } = request
      const checked = await checkConnector(deps.sql, deps.surroundings, shown.name)
      if (checked.kind === 'refused') return absent
      if (checked.kind === 'fails') return show(request, deps, shown, { kind: 'bad', text: say(checked.problem) })
      if (checked.kind === 'not_offered') {
        const text = say([
          'Cet opérateur n’a pas d’appel qui ne bouge rien : son premier paiement prouve les réglages.',
          'This operator has no call that moves nothing: its first payment proves the settings.',
        ])
        return show(request, deps, shown, { kind: 'care', text })
      }
      const accepted = say(['L’opérateur accepte ces réglages.', 'The operator accepts these settings.'])
      const { unproven } = checked
      const told =
        unproven === undefined
          ? ({ kind: 'ok', text: accepted } as const)
          : ({ kind: 'care', text: `${accepted} ${say(unproven)}` } as const)
      return show(request, deps, shown, told)
    }),
})

/** Asks the operator for the balance that it holds for us, and stores the answer with the expected balance. */
export const postBalance = defineDeskScreen<ConnectorDeps>({
  method: 'POST',
  path: '/connectors/:name/balance',
  operation: 'deskAskBalance',
  summary: 'Ask an operator how much of our money it holds',
  right: 'float.manage',
  handle: (request, deps) =>
    withConnector(request, deps, async (shown) => {
      const { say } = request
      const { name } = shown
      const terms = (await readTerms(deps.sql, name)) ?? {}
      const read = () => readConnectorBalance(deps.sql, deps.surroundings, name)
      const asked = await askBalance(deps.sql, name, terms, read)
      if (asked.kind === 'refused') return absent
      if (asked.kind === 'fails') return show(request, deps, shown, { kind: 'bad', text: say(asked.problem) })
      if (asked.kind === 'asked' && asked.row !== null) return moved(request.at(`/connectors/${name}?done=saved`))
      const text =
        asked.kind === 'not_offered'
          ? say(['Cet opérateur ne dit pas ce qu’il détient.', 'This operator does not state its balance.'])
          : say([
              'Ce solde n’est pas en francs : il n’est pas gardé.',
              'This balance is not in francs: it is not kept.',
            ])
      return show(request, deps, shown, { kind: 'care', text })
    }),
})

/** Accepts the balance that the page showed as the new base of the expected one. */
export const postAccept = deskAct<unknown, unknown, Deps>(acceptBalance, {
  path: '/connectors/:id/accept',
  back: ({ at, params }) => at(`/connectors/${params.id}`),
  done: ({ params }) => `/connectors/${params.id}?done=confirmed`,
  // Accepted already, for example by a repeated submission, or never read: the page shows what stands.
  again: async ({ at, params }) => moved(at(`/connectors/${params.id}`)),
})

/** Takes a contract out of use. */
export const postRemove = deskAct<RemovalDeps, unknown, Deps & RemovalDeps>(removeConnector, {
  path: '/connectors/:id/remove',
  back: ({ at, params }) => at(`/connectors/${params.id}`),
  done: () => '/connectors?done=removed',
  prepare: async (_, deps) => ({ ...deps, hasOpenOrders: (name: string) => hasOpenOrders(deps.sql, name) }),
  again: (request, deps, [error]) =>
    withConnector(request, deps, (shown) => show(request, deps, shown, { kind: 'bad', text: error?.text ?? '' })),
})

async function withConnector<Answer>(
  { params, livemode }: Request,
  { sql, surroundings }: ConnectorDeps,
  act: (shown: ShownConnector) => Promise<Answer>,
): Promise<Answer | ScreenAnswer> {
  const shown = await showConnector(sql, surroundings, params.name ?? params.id ?? '')
  return shown === null || shown.livemode !== livemode ? absent : act(shown)
}

async function show(
  request: Request,
  { sql }: ConnectorDeps,
  shown: ShownConnector,
  news: ConnectorNews | null = null,
): Promise<ScreenAnswer> {
  const { name } = shown
  const [[newest = null], accepted, refusing] = await Promise.all([
    readNewest(sql, name),
    readAccepted(sql, name),
    readRefusing(sql),
  ])
  return connectorView(request, { shown, newest, accepted, refuses: refusing.includes(name), news })
}

export const connectorScreens = [
  ...routeScreens,
  ...settingScreens,
  getConnector,
  postCheck,
  postBalance,
  postAccept,
  postRemove,
] as const
