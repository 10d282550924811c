import { canDecideOn, type Decider } from '../../acts/second-person.ts'
import { operatorName, pageHead, panel, status, story } from '../../console/components.ts'
import { errorList, type FieldError, field, form, select } from '../../console/forms.ts'
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
  const main = html`${pageHead({ title, acts, lead: say(['Un arrêt vaut dans les deux modes, réel et test.', 'A stop holds in both modes, real and test.']) })}${errorList(say, errors)}
<div class="stack">${inForce.length > 0 && stopped(request, inForce, facts)}${operators(request, facts)}<div class="two">${history(request, facts)}${switching(request, facts)}</div></div>`
  const { names: _, merchants: __, ...shown } = facts
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title, main, facts: shown }
}

/** Writes which payouts a stop concerns. */
function stopWord(stop: Stop, merchants: ReadonlyMap<number, string>, say: Say): string {
  return sayWords(say, writeStop(stop, merchants.get(Number(stop.value)) ?? stop.value))
}

function stopped(request: Request, stops: readonly Stop[], { names, merchants, reader }: SwitchFacts): Html {
  const { say, language, at, can } = request
  const by = (person: string | null) => personName(person, names, say)
  const drawn = stops.map((stop) => {
    const { scope, value, stopped_by, stopped_at, resume_asked_by, resume_asked_at } = stop
    const first = resume_asked_by === null
    const own = !first && !canDecideOn(reader, [resume_asked_by])
    const asked =
      resume_asked_at === null
        ? null
        : say(
            [
              'Réouverture demandée par {name}, {at}. Il faut une deuxième personne.',
              'Resumption asked for by {name}, {at}. It takes a second person.',
            ],
            { name: by(resume_asked_by), at: writeShortDate(resume_asked_at, language) },
          )
    const act = !can('payouts.resume')
      ? html`<p class="hint">${say(['Les opérations ou la finance rouvrent, à deux.', 'Operations or finance resume, two of them.'])}</p>`
      : own
        ? html`<p class="hint">${say(['Vous avez demandé, ou vous avez fait entrer qui le demande : une autre personne confirme.', 'You asked for it, or let in the person who did: another person confirms.'])}</p>`
        : form(
            request,
            at('/switch/resume'),
            html`<input type="hidden" name="what" value="${scope === 'operator' ? value : scope}"><input type="hidden" name="merchant" value="${scope === 'merchant' ? value : ''}"><button class="second">${first ? say(['Demander la réouverture', 'Ask to resume']) : say(['Confirmer la réouverture', 'Confirm the resumption'])}</button>`,
            { class: 'acts' },
          )
    return html`<div class="note care"><h2>${stopWord(stop, merchants, say)}</h2><p>${say(['Arrêté par {name}, {at}. Ce qui est demandé attend, rien n’est perdu.', 'Stopped by {name}, {at}. Requests wait, nothing is lost.'], { name: by(stopped_by), at: writeShortDate(stopped_at, language) })}</p>${causeOf(stop, say)}${asked !== null && html`<p>${asked}</p>`}${act}</div>`
  })
  return html`${drawn}`
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
  const contracts = connectors.map(
    ({ name, type, generation, changed_at }) =>
      html`<div><dt>${name} <span class="soft">${type}</span></dt><dd>${say(['réglages n° {n}, {at}', 'settings no. {n}, {at}'], { n: generation, at: writeShortDate(changed_at, language) })}</dd></div>`,
  )
  return html`${panel(null, content, { flush: true })}${contracts.length > 0 && panel(say(['Contrats', 'Contracts']), html`<dl class="rows">${contracts}</dl>`)}`
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
  const content = html`<h2>${icon('power')} ${title}</h2><p>${say(['Une personne suffit, l’effet est immédiat. Rien n’est perdu : ce qui est demandé attend, ce qui est parti se termine.', 'One person is enough, and it works at once. Nothing is lost: requests wait, and payouts that have left are completed.'])}</p>
${select({ name: 'what', label: say(['Quoi', 'What']), value: fields.text('what'), choices }, errors)}
${field({ name: 'merchant', label: say(['Numéro du marchand', 'Number of the merchant']), hint: say(['Seulement pour un marchand.', 'Only for one merchant.']), value: fields.text('merchant'), more: { inputmode: 'numeric' } }, errors)}
<button class="stop wide">${say(['Arrêter maintenant', 'Stop now'])}</button>`
  return html`<section id="stop">${form(request, at('/switch/stop'), content, { class: 'switch stack' })}</section>`
}
