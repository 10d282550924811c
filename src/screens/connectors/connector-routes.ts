import { absent, defineDeskScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { checkConnector, readConnectorBalance } from '../../operators/contracts/check-connector.ts'
import { readTerms } from '../../operators/contracts/connector-store.ts'
import { type ShownConnector, showConnector } from '../../operators/contracts/find-connectors.ts'
import { removeConnector, routeInWords } from '../../operators/contracts/remove-connector.ts'
import { acceptBalance, askBalance } from '../../operators/float/ask-balance.ts'
import { type BalanceKey, readAccepted, readBalance, readNewest } from '../../operators/float/float-store.ts'
import { readRefusing } from '../../operators/routing/circuit-store.ts'
import { html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { readMoment } from '../../values/read-typed.ts'
import type { ConnectorDeps } from './connector-facts.ts'
import { type ConnectorNews, connectorView } from './connector-view.ts'
import { getConnectors, postRoute } from './route-routes.ts'
import { settingScreens } from './setting-routes.ts'

type Request = ScreenRequest<'desk'>

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

/** Accepts the balance that the page showed as the new base of the expected one, with a fresh factor for exactly that balance. */
export const postAccept = defineDeskScreen<ConnectorDeps>({
  method: 'POST',
  path: '/connectors/:name/accept',
  operation: 'deskAcceptBalance',
  summary: 'Reckon from the balance that the page showed',
  right: 'float.manage',
  confirm: (request, deps) =>
    withConnector(request, deps, async ({ name }) => {
      const { say, at, language } = request
      const balance = await readBalance(deps.sql, balanceKey(request, name))
      // Accepted already, for example by a repeated submission, or never read.
      if (balance === null || balance.accepted_at !== null) return moved(at(`/connectors/${name}`))
      const { amount, asked_at, difference } = balance
      const differs =
        difference === null
          ? say(['Rien n’était attendu : c’est le premier.', 'Nothing was expected: this is the first balance.'])
          : say(['Différence : {sum}.', 'Difference: {sum}.'], {
              sum: `${difference < 0 ? '−' : ''}${writeAmount(Math.abs(difference))}`,
            })
      return {
        kind: 'confirm',
        subject: name,
        content: { connector: name, amount, asked_at: asked_at.toISOString(), difference },
        title: say(['Accepter ce solde', 'Accept this balance']),
        back: at(`/connectors/${name}`),
        shown: html`<h1>${drawAmount(amount)}</h1><p class="say">${name}, ${writeShortDate(asked_at, language)}</p><p class="soft">${differs}</p>`,
      }
    }),
  handle: (request, deps) =>
    withConnector(request, deps, async ({ name, livemode }) => {
      const accepted = await acceptBalance(deps.sql, balanceKey(request, name), livemode, request.actor)
      return moved(request.at(`/connectors/${name}${accepted === null ? '' : '?done=confirmed'}`))
    }),
})

/** Takes a contract out of use, with a fresh factor. */
export const postRemove = defineDeskScreen<ConnectorDeps>({
  method: 'POST',
  path: '/connectors/:name/remove',
  operation: 'deskRemoveConnector',
  summary: 'Take a contract out of use',
  right: 'connectors.manage',
  confirm: (request, deps) =>
    withConnector(request, deps, async ({ name, type, generation, removed_at }) => {
      const { say, at } = request
      if (removed_at !== null) return moved(at('/connectors?done=removed'))
      return {
        kind: 'confirm',
        subject: name,
        content: { connector: name, type, generation },
        title: say(['Retirer ce connecteur', 'Remove this connector']),
        back: at(`/connectors/${name}`),
        shown: html`<h1>${name}</h1><p class="say">${say(['Plus rien ne part par lui. Ses réglages restent scellés, pour les remboursements.', 'Nothing goes through it any more. Its settings stay sealed, for refunds.'])}</p>`,
      }
    }),
  handle: (request, deps) =>
    withConnector(request, deps, async (shown) => {
      const { say, at } = request
      const result = await removeConnector(deps.sql, shown.name, request.actor)
      if (result.kind === 'removed' || result.code === 'removed_before') return moved(at('/connectors?done=removed'))
      if (result.code === 'resource_not_found') return absent
      const text =
        result.code === 'in_routes'
          ? say(['Une route mène encore à lui : {route}.', 'A route still leads to it: {route}.'], {
              route: routeInWords(result.routes[0]!),
            })
          : say(['Un ordre qu’il porte n’est pas fini.', 'An order that it carries has not ended.'])
      return show(request, deps, shown, { kind: 'bad', text })
    }),
})

async function withConnector<Answer>(
  { params, livemode }: Request,
  { sql, surroundings }: ConnectorDeps,
  act: (shown: ShownConnector) => Promise<Answer>,
): Promise<Answer | ScreenAnswer> {
  const shown = await showConnector(sql, surroundings, params.name ?? '')
  return shown === null || shown.livemode !== livemode ? absent : act(shown)
}

/** Reads which balance a form is about. A missing or mistyped time is that of no balance. */
function balanceKey({ fields }: Request, connector: string): BalanceKey {
  return { connector, asked_at: readMoment(fields.text('asked_at')) ?? new Date(0) }
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
  getConnectors,
  postRoute,
  ...settingScreens,
  getConnector,
  postCheck,
  postBalance,
  postAccept,
  postRemove,
] as const
