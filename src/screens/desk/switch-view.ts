import { canDecideOn, type Decider } from '../../acts/second-person.ts'
import { operatorName, pageHead, panel, rows, status, story } from '../../console/components.ts'
import { errorList, type FieldError, field, form, hiddenField, select } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import { list } from '../../console/list.ts'
import { type Say, sayWords } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import type { ListedConnector } from '../../operators/contracts/find-connectors.ts'
import type { ListedRoute } from '../../operators/contracts/find-routes.ts'
import { causeFact, writeStop } from '../../payouts/stop-facts.ts'
import type { readPayoutStops } from '../../payouts/stop-payouts.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import { operatorCodes, operatorNames } from '../../values/operators.ts'
import { routeWords } from '../connectors/connector-list-view.ts'
import { conditionWords, type OperatorWeather, shareInWords } from '../weather-panel.ts'
import { personName } from './case-words.ts'

type Request = ScreenRequest<'desk'>
type Stop = Awaited<ReturnType<typeof readPayoutStops>>[number]

type SwitchFacts = {
  /** The stops, newest first, including lifted ones. */
  stops: readonly Stop[]
  weather: readonly OperatorWeather[]
  connectors: readonly ListedConnector[]
  routes: readonly ListedRoute[]
  names: ReadonlyMap<string, string>
  merchants: ReadonlyMap<number, string>
  reader: Decider
  errors: readonly FieldError[]
}

/** The number of lifted stops on the page. */
const PAST = 10

/** The page of the switch: the operators, the stops, and the switch itself. */
export function switchView(request: Request, facts: SwitchFacts): ScreenView {
  const { say } = request
  const { stops, errors } = facts
  const title = say(['Arrêt des envois', 'Payout stop'])
  const inForce = stops.filter(({ lifted_at }) => lifted_at === null)
  const acts =
    request.can('payouts.stop') && html`<a class="button stop" href="#stop">${say(['Arrêter…', 'Stop…'])}</a>`
  const lead = say(['Un arrêt vaut dans les deux modes, réel et test.', 'A stop holds in both modes, real and test.'])
  const standing = inForce.map((stop) => stopNote(request, stop, facts))
  const below = html`<div class="two">${history(request, facts)}${switching(request, facts)}</div>`
  const main = html`${pageHead({ title, acts, lead })}${errorList(say, errors)}
<div class="stack">${standing}${operators(request, facts)}${below}</div>`
  const { names: _, merchants: __, ...shown } = facts
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title, main, facts: shown }
}

/** Writes which payouts a stop concerns. */
function stopWord(stop: Stop, merchants: ReadonlyMap<number, string>, say: Say): string {
  return sayWords(say, writeStop(stop, merchants.get(Number(stop.value)) ?? stop.value))
}

function stopNote(request: Request, stop: Stop, facts: SwitchFacts): Html {
  const { say, language } = request
  const { names, merchants } = facts
  const by = (person: string | null, at: Date) => {
    return { name: personName(person, names, say), at: writeShortDate(at, language) }
  }
  const { stopped_by, stopped_at, resume_asked_by, resume_asked_at } = stop
  const stopped = say(
    [
      'Arrêté par {name}, {at}. Ce qui est demandé attend, rien n’est perdu.',
      'Stopped by {name}, {at}. Requests wait, nothing is lost.',
    ],
    by(stopped_by, stopped_at),
  )
  const asked =
    resume_asked_at !== null &&
    say(
      [
        'Réouverture demandée par {name}, {at}. Il faut une deuxième personne.',
        'Resumption asked for by {name}, {at}. It takes a second person.',
      ],
      by(resume_asked_by, resume_asked_at),
    )
  const told = html`<p>${stopped}</p>${causeOf(stop, say)}${asked && html`<p>${asked}</p>`}`
  return html`<div class="note care"><h2>${stopWord(stop, merchants, say)}</h2>${told}${resuming(request, stop, facts)}</div>`
}

/** The form that asks to resume or confirms it, or why this reader has none. */
function resuming(request: Request, { scope, value, resume_asked_by }: Stop, { reader }: SwitchFacts): Html {
  const { say, at, can } = request
  if (!can('payouts.resume')) {
    const others = say(['Les opérations ou la finance rouvrent, à deux.', 'Operations or finance resume, two of them.'])
    return html`<p class="hint">${others}</p>`
  }
  if (resume_asked_by !== null && !canDecideOn(reader, [resume_asked_by])) {
    const another = say([
      'Vous avez demandé, ou vous avez fait entrer qui le demande : une autre personne confirme.',
      'You asked for it, or let in the person who did: another person confirms.',
    ])
    return html`<p class="hint">${another}</p>`
  }
  const what = hiddenField('what', scope === 'operator' ? value : scope)
  const merchant = hiddenField('merchant', scope === 'merchant' ? value : '')
  const words =
    resume_asked_by === null
      ? say(['Demander la réouverture', 'Ask to resume'])
      : say(['Confirmer la réouverture', 'Confirm the resumption'])
  const content = html`${what}${merchant}<button class="second">${words}</button>`
  return form(request, at('/switch/resume'), content, { class: 'acts' })
}

function causeOf(stop: Stop, say: Say): Html | false {
  return stop.cause !== null && html`<p>${sayWords(say, causeFact.write(stop))}</p>`
}

function operators(request: Request, { stops, weather, connectors, routes }: SwitchFacts): Html {
  const { say, language } = request
  const isStopped = (operator: string) =>
    stops.some(
      ({ scope, value, lifted_at }) =>
        lifted_at === null && (scope === 'all' || (scope === 'operator' && value === operator)),
    )
  const led = (operator: string, direction: string) =>
    routeWords(
      request,
      routes.find((one) => one.merchant_id === null && one.operator === operator && one.direction === direction)
        ?.connectors,
    )
  const content = list<OperatorWeather>({
    caption: say(['Opérateurs', 'Operators']),
    rows: weather,
    columns: [
      { title: say(['Opérateur', 'Operator']), kind: 'k', cell: ({ operator }) => operatorName(operator) },
      {
        title: say(['État', 'State']),
        kind: 's',
        cell: ({ operator, condition }) => {
          if (isStopped(operator)) return status('bad', say(['Arrêté, envois', 'Stopped, payouts']))
          return status(
            condition === 'normal' ? 'ok' : condition === 'unknown' ? 'off' : condition === 'slow' ? 'wait' : 'bad',
            say(conditionWords[condition][2]),
          )
        },
      },
      {
        title: say(['Paiements', 'Payments']),
        kind: '',
        label: say(['Paiements', 'Payments']),
        cell: (one) => shareInWords(one, say),
      },
      {
        title: say(['Encaisser par', 'Collect through']),
        kind: '',
        label: say(['Encaisser par', 'Collect through']),
        cell: ({ operator }) => led(operator, 'collect'),
      },
      {
        title: say(['Envoyer par', 'Pay out through']),
        kind: '',
        label: say(['Envoyer par', 'Pay out through']),
        cell: ({ operator }) => led(operator, 'payout'),
      },
    ],
  })
  const contracts = connectors.map(({ name, type, generation, changed_at }) => ({
    name: html`${name} <span class="soft">${type}</span>`,
    value: say(['réglages n° {n}, {at}', 'settings no. {n}, {at}'], {
      n: generation,
      at: writeShortDate(changed_at, language),
    }),
  }))
  const named = contracts.length > 0 && panel(say(['Contrats', 'Contracts']), rows(contracts))
  return html`${panel(null, content, { flush: true })}${named}`
}

function history({ say, language }: Request, { stops, names, merchants }: SwitchFacts): Html {
  const past = stops.filter(({ lifted_at }) => lifted_at !== null).slice(0, PAST)
  const content =
    past.length === 0
      ? html`<p class="soft">${say(['Aucun arrêt n’a été levé.', 'No stop was lifted.'])}</p>`
      : story(
          past.map((stop) => ({
            at: stop.lifted_at!,
            icon: 'power' as const,
            text: say(
              [
                '{what} : arrêté par {one}, rouvert par {two} et {three}',
                '{what}: stopped by {one}, resumed by {two} and {three}',
              ],
              {
                what: stopWord(stop, merchants, say),
                one: personName(stop.stopped_by, names, say),
                two: personName(stop.resume_asked_by, names, say),
                three: personName(stop.lifted_by, names, say),
              },
            ),
          })),
          language,
        )
  return panel(say(['Arrêts passés', 'Past stops']), content)
}

function switching(request: Request, { errors }: SwitchFacts): Html {
  const { say, at, fields, can } = request
  const title = say(['Arrêter', 'Stop'])
  if (!can('payouts.stop'))
    return panel(
      title,
      html`<p>${say(['Votre rôle ne peut pas arrêter les envois.', 'Your role cannot stop payouts.'])}</p>`,
    )
  const choices = [
    { value: 'all', label: say(['Tous les opérateurs', 'All operators']) },
    ...operatorCodes.map((code) => ({ value: code, label: operatorNames[code] })),
    { value: 'merchant', label: say(['Un marchand', 'One merchant']) },
  ]
  const enough = say([
    'Une personne suffit, l’effet est immédiat. Rien n’est perdu : ce qui est demandé attend, ce qui est parti se termine.',
    'One person is enough, and it works at once. Nothing is lost: requests wait, and payouts that have left are completed.',
  ])
  const merchant = field(
    {
      name: 'merchant',
      label: say(['Numéro du marchand', 'Number of the merchant']),
      hint: say(['Seulement pour un marchand.', 'Only for one merchant.']),
      value: fields.text('merchant'),
      more: { inputmode: 'numeric' },
    },
    errors,
  )
  const content = html`<h2>${icon('power')} ${title}</h2><p>${enough}</p>
${select({ name: 'what', label: say(['Quoi', 'What']), value: fields.text('what'), choices }, errors)}
${merchant}
<button class="stop wide">${say(['Arrêter maintenant', 'Stop now'])}</button>`
  return html`<section id="stop">${form(request, at('/switch/stop'), content, { class: 'switch stack' })}</section>`
}
