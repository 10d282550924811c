import type { FieldError } from '../../console/forms.ts'
import { defineDeskScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { merchantExists } from '../../merchants/store.ts'
import { listRoutes } from '../../operators/contracts/find-routes.ts'
import { EVERYBODY } from '../../operators/contracts/route-store.ts'
import { type RouteToSet, setRoute } from '../../operators/contracts/set-route.ts'
import { html } from '../../platform/http/html.ts'
import { isOperatorCode, operatorNames } from '../../values/operators.ts'
import { readFrancs } from '../../values/read-typed.ts'
import { type ConnectorDeps, readConnectorFacts } from './connector-facts.ts'
import { connectorListView, directionWords, routeWords } from './connector-list-view.ts'

type Request = ScreenRequest<'desk'>

/** The most connectors of a route. */
const CONNECTORS_MAX = 8

export const getConnectors = defineDeskScreen<ConnectorDeps>({
  method: 'GET',
  path: '/connectors',
  operation: 'deskConnectors',
  summary: 'Read the contracts with operators, their balances, how operators do, and the routes',
  right: 'connectors.read',
  menu: { group: 'operators', icon: 'link', words: ['Connecteurs', 'Connectors'] },
  handle: (request, deps) => show(request, deps),
})

/** Sets the connectors of an operator's operations, with a fresh factor for exactly this route. */
export const postRoute = defineDeskScreen<ConnectorDeps>({
  method: 'POST',
  path: '/connectors/routes',
  operation: 'deskSetRoute',
  summary: 'Set a route or take it away',
  right: 'connectors.manage',
  async confirm(request, deps) {
    const { say, at } = request
    const read = await readRoute(request, deps)
    if ('errors' in read) return show(request, deps, read.errors)
    const { operator, direction, merchant_id, connectors } = read.route
    const before = (await listRoutes(deps.sql, request.livemode)).find(
      (one) =>
        one.operator === operator && one.direction === direction && (one.merchant_id ?? EVERYBODY) === merchant_id,
    )
    // A merchant without a route of its own takes that of all.
    const led = (names: readonly string[] = []) =>
      names.length === 0 && merchant_id !== EVERYBODY
        ? say(['la route de tous', 'the route of all'])
        : routeWords(request, names)
    const whose = merchant_id === EVERYBODY ? '' : say([', marchand {id}', ', merchant {id}'], { id: merchant_id })
    return {
      kind: 'confirm',
      subject: `${operator}:${direction}:${merchant_id}`,
      content: { ...read.route, before: before?.connectors ?? [] },
      title: say(['Changer une route', 'Change a route']),
      back: at('/connectors'),
      shown: html`<h1>${isOperatorCode(operator) ? operatorNames[operator] : operator}, ${say(directionWords[direction]!)}${whose}</h1><p class="say">${say(['Par : {names}', 'Through: {names}'], { names: led(connectors) })}</p><p class="soft">${say(['Aujourd’hui : {names}', 'Today: {names}'], { names: led(before?.connectors) })}</p>`,
    }
  },
  async handle(request, deps) {
    const read = await readRoute(request, deps)
    if ('errors' in read) return show(request, deps, read.errors)
    const result = await setRoute(deps, read.route, request.actor)
    if (result.kind === 'refused') return show(request, deps, [{ field: 'through', text: request.say(result.problem) }])
    return moved(request.at('/connectors?done=saved'))
  },
})

async function show(request: Request, deps: ConnectorDeps, errors: readonly FieldError[] = []): Promise<ScreenAnswer> {
  return connectorListView(request, await readConnectorFacts(deps, request.livemode), errors)
}

async function readRoute(
  { fields, say, livemode }: Request,
  { sql }: ConnectorDeps,
): Promise<{ route: RouteToSet } | { errors: readonly FieldError[] }> {
  const errors: FieldError[] = []
  const [operator, direction] = [fields.text('operator'), fields.text('direction')]
  if (!isOperatorCode(operator))
    errors.push({ field: 'operator', text: say(['Choisissez un opérateur.', 'Choose an operator.']) })
  if (!Object.hasOwn(directionWords, direction))
    errors.push({ field: 'direction', text: say(['Choisissez ce que fait la route.', 'Choose what the route does.']) })
  const typed = fields.text('through')
  const connectors = typed === '' ? [] : typed.split(',').map((name) => name.trim())
  if (connectors.includes('') || new Set(connectors).size !== connectors.length || connectors.length > CONNECTORS_MAX) {
    const text = say(
      ['De 1 à {n} noms différents, séparés par des virgules.', '1 to {n} different names, separated by commas.'],
      { n: CONNECTORS_MAX },
    )
    errors.push({ field: 'through', text })
  }
  const merchant = fields.text('merchant')
  const merchant_id = merchant === '' ? EVERYBODY : /^[1-9]\d{0,14}$/.test(merchant) ? Number(merchant) : null
  if (merchant_id === null || (merchant_id !== EVERYBODY && !(await merchantExists(sql, merchant_id))))
    errors.push({ field: 'merchant', text: say(['Aucun marchand n’a ce numéro.', 'No merchant has this number.']) })
  const bound = (name: string) => {
    if (fields.text(name) === '') return null
    const francs = readFrancs(fields.text(name))
    if (francs === null)
      errors.push({ field: name, text: say(['Écrivez une somme en francs.', 'Write a sum in francs.']) })
    return francs
  }
  const [amount_min, amount_max] = [bound('min'), bound('max')]
  if (amount_min !== null && amount_max !== null && amount_min > amount_max)
    errors.push({
      field: 'max',
      text: say(['« Au plus » ne peut pas être inférieur à « Au moins ».', '“At most” must not be below “At least”.']),
    })
  if (errors.length > 0 || merchant_id === null) return { errors }
  return { route: { merchant_id, livemode, operator, direction, connectors, amount_min, amount_max } as RouteToSet }
}
