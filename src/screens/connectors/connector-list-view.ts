import { blank, linkButton, operatorName, pageHead, panel, status } from '../../console/components.ts'
import { type Choice, errorList, type Field, type FieldError, field, form, select } from '../../console/forms.ts'
import { list, moneyCell, rowLink } from '../../console/list.ts'
import type { Say, Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import type { ListedRoute } from '../../operators/contracts/find-routes.ts'
import { directionWords } from '../../operators/contracts/route-facts.ts'
import { type ConnectorWarning, warningsOf } from '../../operators/float/connector-warnings.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { isOperatorCode, operatorCodes, operatorNames } from '../../values/operators.ts'
import { weatherStrip } from '../weather-panel.ts'
import type { ConnectorFacts, ConnectorLine } from './connector-facts.ts'

type Request = ScreenRequest<'desk'>

/** The connectors of a route by name. Without one, live mode has no way to the operator, and in test mode the simulator plays it. */
export function routeWords({ say, livemode }: Pick<Request, 'say' | 'livemode'>, connectors: readonly string[] = []) {
  if (connectors.length > 0) return connectors.join(', ')
  return livemode ? say(['aucune route', 'no route']) : say(['le simulateur', 'the simulator'])
}

export const warningWords: Readonly<Record<ConnectorWarning, Words>> = {
  below_floor: ['Sous le seuil', 'Below its floor'],
  runs_out: ['Ne tiendra pas', 'Will not last'],
  differs: ['Diffère de l’attendu', 'Differs from the expected'],
  check_fails: ['La vérification des réglages échoue', 'The check of its settings fails'],
}

/** The page of contracts in use with their balances, the operators' weather, and the routes with their form. */
export function connectorListView(
  request: Request,
  facts: ConnectorFacts,
  errors: readonly FieldError[] = [],
): ScreenView {
  const { say, at, can } = request
  const title = say(['Connecteurs', 'Connectors'])
  const connecting =
    can('connectors.manage') &&
    linkButton(at('/connect'), say(['Relier un opérateur', 'Connect an operator']), 'second')
  const lines =
    facts.connectors.length === 0
      ? blank('power', {
          title: say(['Aucun connecteur dans ce mode', 'No connector in this mode']),
          text: say([
            'Reliez un opérateur : ses réglages sont scellés.',
            'Connect an operator: its settings are sealed.',
          ]),
        })
      : connectorLines(request, facts.connectors)
  const connectors = panel(null, lines, { flush: facts.connectors.length > 0 })
  const weather = weatherStrip(facts.weather, at('/switch'), say)
  const main = html`${pageHead({ title, acts: connecting })}${errorList(say, errors)}<div class="stack">${connectors}
${panel(say(['Météo des opérateurs', 'Operators’ weather']), weather, { flush: true })}
<div class="two">${routesPanel(request, facts.routes)}${routing(request, facts, errors)}</div></div>`
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title, main, facts: { ...facts, errors } }
}

/** The mark that says whether orders go through a contract now. */
export function circuit({ refuses }: Pick<ConnectorLine, 'refuses'>, say: Say): Html {
  return refuses
    ? status('bad', say(['Ne répond pas, on passe à côté', 'Does not answer, skipped']))
    : status('ok', say(['En service', 'In use']))
}

function connectorLines({ say, at, language }: Request, connectors: readonly ConnectorLine[]): Html {
  return list<ConnectorLine>({
    caption: say(['Connecteurs', 'Connectors']),
    rows: connectors,
    columns: [
      {
        title: say(['Connecteur', 'Connector']),
        kind: 'k',
        cell: ({ name, type }) => rowLink(at(`/connectors/${name}`), name, type),
      },
      { title: say(['État', 'State']), kind: 's', cell: (one) => circuit(one, say) },
      {
        title: say(['À voir', 'To look at']),
        kind: '',
        cell: (one) =>
          warningsOf(one, one.float)
            .map((warning) => say(warningWords[warning]))
            .join(', '),
      },
      {
        title: say(['Solde lu', 'Balance read']),
        kind: 't',
        cell: ({ float }) => (float === null ? '' : writeShortDate(float.asked_at, language)),
      },
      {
        title: 'F CFA',
        kind: 'm',
        cell: ({ float }) => (float === null ? '–' : moneyCell(float.amount)),
      },
    ],
  })
}

function routesPanel({ say, livemode }: Request, routes: readonly ListedRoute[]): Html {
  const title = say(['Routes', 'Routes'])
  if (routes.length === 0)
    return panel(
      title,
      html`<p class="soft">${
        livemode
          ? say([
              'Aucune route : personne ne paie et personne n’est payé.',
              'No route: nobody pays and nobody is paid.',
            ])
          : say([
              'Aucune route : le simulateur joue tous les opérateurs.',
              'No route: the simulator plays all operators.',
            ])
      }</p>`,
    )
  const content = list<ListedRoute>({
    caption: title,
    rows: routes,
    size: 'few',
    columns: [
      {
        title: say(['Opérateur', 'Operator']),
        kind: 'k',
        cell: ({ operator, direction, merchant_id }) => {
          const name = isOperatorCode(operator) ? operatorName(operator) : operator
          const only = merchant_id !== null && say([', marchand {id}', ', merchant {id}'], { id: merchant_id })
          return html`${name}<span class="sub">${say(directionWords[direction])}${only}</span>`
        },
      },
      { title: say(['Par', 'Through']), kind: '', cell: ({ connectors }) => connectors.join(', ') },
      {
        title: say(['Montants', 'Amounts']),
        kind: '',
        cell: ({ amount_min, amount_max }) =>
          [
            ...(amount_min === null ? [] : [say(['dès {sum}', 'from {sum}'], { sum: writeAmount(amount_min) })]),
            ...(amount_max === null ? [] : [say(['jusqu’à {sum}', 'up to {sum}'], { sum: writeAmount(amount_max) })]),
          ].join(', '),
      },
    ],
  })
  return panel(title, content, { flush: true })
}

/** The form of a route. Without a connector there is nothing to route to, so the panel leads to the first step. */
function routing(request: Request, { connectors }: ConnectorFacts, errors: readonly FieldError[]): Html {
  const { say, at, can } = request
  const title = say(['Changer une route', 'Change a route'])
  if (!can('connectors.manage'))
    return panel(title, html`<p>${say(['Les opérations changent les routes.', 'Operations change the routes.'])}</p>`)
  // A connector that a route names cannot be removed, so there is no route to take away either.
  if (connectors.length === 0) {
    const none = say([
      'Une route mène à un connecteur, et ce mode n’en a aucun. Reliez d’abord un opérateur.',
      'A route leads to a connector, and this mode has none. Connect an operator first.',
    ])
    const connect = linkButton(at('/connect'), say(['Relier un opérateur', 'Connect an operator']))
    return panel(title, html`<p>${none}</p><p class="acts">${connect}</p>`)
  }
  const names = connectors.map(({ name }) => name).join(', ')
  const throughHint = say(
    [
      'Des noms séparés par des virgules : {names}. Vide : la route est retirée.',
      'Names separated by commas: {names}. Leave empty to remove the route.',
    ],
    { names },
  )
  const content = html`${routeFields(request, throughHint, errors)}
<button class="wide">${say(['Continuer', 'Continue'])}</button>`
  return panel(title, form(request, at('/connectors/routes'), content))
}

/** The fields of a new route, one a line. */
function routeFields({ say, fields }: Request, throughHint: string, errors: readonly FieldError[]): Html {
  const operators = operatorCodes.map((value) => ({ value, label: operatorNames[value] }))
  const directions = Object.entries(directionWords).map(([value, words]) => ({ value, label: say(words) }))
  const chosen = (name: string, label: string, choices: readonly Choice[]) =>
    select({ name, label, value: fields.text(name), choices }, errors)
  const typed = (name: string, label: string, more: Partial<Field> = { more: numeric }) =>
    field({ name, label, value: fields.text(name), ...more }, errors)
  const through = { hint: throughHint, more: { autocomplete: 'off' } }
  return html`${chosen('operator', say(['Opérateur', 'Operator']), operators)}
${chosen('direction', say(['Pour', 'To']), directions)}
${typed('through', say(['Par, dans l’ordre', 'Connectors, in this order']), through)}
${typed('merchant', say(['Pour un seul marchand, son numéro', 'For one merchant alone, its number']))}
${typed('min', say(['Au moins, F CFA', 'At least, F CFA']))}
${typed('max', say(['Au plus, F CFA', 'At most, F CFA']))}`
}

const numeric = { inputmode: 'numeric', autocomplete: 'off' } as const
