import {
  backLink,
  blank,
  id,
  linkButton,
  note,
  pageHead,
  panel,
  rows,
  status,
  toast,
  toCopy,
} from '../../console/components.ts'
import { choices, errorList, type FieldError, field, form } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import type { ReadList } from '../../console/lists/define-list.ts'
import { drawList } from '../../console/lists/draw-list.ts'
import type { Say, Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { DeliveryRow, DeliveryState } from '../../webhooks/delivery-list-store.ts'
import { eventTypes } from '../../webhooks/event-types.ts'
import type { ShownEndpoint } from '../../webhooks/show-deliveries.ts'
import { deliveryList } from './delivery-list.ts'
import { counted, countedLink, endpointNames, hostOf, LIST } from './delivery-views.ts'

type Request = ScreenRequest<'console'>

export type WebhooksShown = {
  readonly endpoints: readonly ShownEndpoint[]
  readonly deliveries: ReadList<DeliveryRow>
}

/**
 * The page of a merchant's endpoints with their states, and the list of deliveries with its filters and its file. When the filters choose an
 * endpoint, the page shows only that one.
 */
export function webhooksView(request: Request, shown: WebhooksShown, refused: string | null = null): ScreenView {
  const { say, at, can } = request
  const { endpoints, deliveries } = shown
  const { chosen, page } = deliveries
  const add = can('webhooks.manage') && linkButton(at('/webhooks/new'), say(['Ajouter une adresse', 'Add an endpoint']))
  const none = panel(
    null,
    blank('hook', {
      title: say(['Aucune adresse pour le moment', 'No endpoint yet']),
      text: say([
        'Votre serveur apprend ici ce qui arrive à votre argent.',
        'We notify your server there of what happens to your money.',
      ]),
    }),
  )
  const cards = endpoints
    .filter(({ endpoint_id }) => chosen.endpoint === '' || endpoint_id === chosen.endpoint)
    .map((endpoint) => endpointPanel(request, endpoint))
  const { filters, chips, rows, turns } = drawList(request, deliveryList, deliveries, {
    names: { endpoint: endpointNames(endpoints) },
    anchor: LIST,
  })
  const hasList = endpoints.length > 0 || Object.values(chosen).some((text) => text !== '')
  const listed = html`<div id="${LIST}">${filters}
${chips}
${panel(say(deliveryList.title), rows, { flush: true })}</div>`
  const main = html`${refused !== null && toast(refused, 'bad', say)}${pageHead({ title: 'Webhooks', acts: add })}
<div class="stack">${cards.length === 0 ? none : html`<div class="half">${cards}</div>`}
${hasList && listed}</div>
${turns}`
  return {
    kind: 'view',
    status: refused === null ? 200 : 409,
    title: 'Webhooks',
    main,
    // A replay takes a while: the page shows how many are on their way.
    moving: endpoints.some(({ status, sending }) => status === 'enabled' && sending > 0),
    facts: {
      chosen,
      endpoints: endpoints.map(({ merchant_id: _, ...endpoint }) => endpoint),
      deliveries: page.rows,
      after: page.after,
    },
  }
}

function endpointStatus(say: Say, { status: stands, failing_since }: ShownEndpoint): Html {
  if (stands === 'disabled') return status('off', say(['Arrêté', 'Stopped']))
  return failing_since === null
    ? status('ok', say(['En service', 'Working']))
    : status('bad', say(['Ne répond plus', 'Not answering']))
}

function endpointPanel(request: Request, endpoint: ShownEndpoint): Html {
  const { say, language, at, can } = request
  const {
    endpoint_id,
    url,
    failing_since,
    sending,
    retrying,
    failed,
    held,
    next_attempt_at,
    rotated_until,
    event_types,
  } = endpoint
  const time = (moment: Date) => writeShortDate(moment, language)
  const listed = (state: DeliveryState, count: number) => countedLink(request, { endpoint_id, state, count })
  const waiting = retrying + failed
  const facts = rows([
    {
      name: say(['Reçoit', 'Receives']),
      value: event_types.length === 0 ? say(['tout', 'everything']) : event_types.join(', '),
    },
    failing_since !== null && { name: say(['Sans réponse depuis', 'No answer since']), value: time(failing_since) },
    sending > 0 && { name: say(['En route', 'On their way']), value: listed('sending', sending) },
    { name: say(['Attendent un nouvel essai', 'Waiting for a retry']), value: listed('retrying', retrying) },
    next_attempt_at !== null && { name: say(['Prochain essai', 'Next attempt']), value: time(next_attempt_at) },
    failed > 0 && { name: say(['Abandonnés', 'Given up']), value: listed('failed', failed) },
    held > 0 && { name: say(['Gardés jusqu’à la reprise', 'Kept until it is started']), value: listed('held', held) },
    rotated_until !== null && {
      name: say(['L’ancien secret signe aussi jusqu’au', 'The old secret signs too until']),
      value: time(rotated_until),
    },
    { name: say(['Numéro', 'Id']), value: id(endpoint_id) },
  ])
  const act = (path: string, words: Words, kind: string) =>
    form(
      request,
      at(`/webhooks/${endpoint_id}/${path}`),
      html`<button class="${kind} small">${say(words)}<span class="sr"> ${hostOf(url)}</span></button>`,
      { class: '' },
    )
  const enabled = endpoint.status === 'enabled'
  const again = say(['Rejouer ({n})', 'Replay ({n})'], { n: counted(waiting) })
  const named = html`<span class="sr"> ${hostOf(url)}</span>`
  const buttons = [
    enabled && act('test', ['Essayer', 'Send a test'], 'second'),
    enabled &&
      waiting > 0 &&
      html`<a class="button second small" href="${at(`/webhooks/${endpoint_id}/replay`)}">${again}${named}</a>`,
    act('rotate', ['Changer le secret', 'Change the secret'], 'quiet'),
    enabled ? act('disable', ['Arrêter', 'Stop'], 'quiet') : act('enable', ['Reprendre', 'Start again'], 'second'),
  ]
  const acts = can('webhooks.manage') && html`<div class="acts">${buttons}</div>`
  const head = html`<header><h2>${hostOf(url)}</h2>${endpointStatus(say, endpoint)}</header>`
  return html`<article class="panel">${head}<div>${facts}${acts}</div></article>`
}

/** The page with the number of undelivered events, before they are sent again to an endpoint. */
export function replayView(request: Request, endpoint: ShownEndpoint): ScreenView {
  const { say, at } = request
  const waiting = endpoint.retrying + endpoint.failed
  const n = counted(waiting)
  const act =
    waiting === 1
      ? say(['Rejouer 1 événement', 'Replay 1 event'])
      : say(['Rejouer {n} événements', 'Replay {n} events'], { n })
  const title = say(['{act} ?', '{act}?'], { act })
  const whereTo = say(
    [
      'Vers {host}. Votre serveur peut en avoir déjà reçu : il reconnaît leur numéro.',
      'To {host}. Your server may have received some already: it recognises their number.',
    ],
    { host: hostOf(endpoint.url) },
  )
  const cancel = linkButton(at('/webhooks'), say(['Annuler', 'Cancel']), 'quiet')
  const content = html`<div><h1>${title}</h1><p class="say">${whereTo}</p></div><div class="acts"><button>${act}</button>${cancel}</div>`
  const slip = form(request, at(`/webhooks/${endpoint.endpoint_id}/replay`), content, { class: 'slip' })
  const main = html`${backLink(at('/webhooks'), 'Webhooks')}<div class="narrow wider">${slip}</div>`
  const facts = { endpoint_id: endpoint.endpoint_id, retrying: endpoint.retrying, failed: endpoint.failed }
  return { kind: 'view', title, main, facts }
}

export type TypedEndpoint = { readonly url: string; readonly types: readonly string[] }

/** The form of a new endpoint. */
export function newEndpointView(request: Request, typed: TypedEndpoint, errors: readonly FieldError[]): ScreenView {
  const { say, at } = request
  const title = say(['Ajouter une adresse', 'Add an endpoint'])
  const url = field(
    {
      name: 'url',
      label: say(['Adresse de votre serveur', 'URL of your server']),
      hint: say([
        'Elle commence par https://. Un essai y part aussitôt.',
        'It begins with https://. We send a test there at once.',
      ]),
      value: typed.url,
      more: { maxlength: '2048', inputmode: 'url', spellcheck: 'false' },
    },
    errors,
  )
  const types = choices(
    {
      name: 'types',
      legend: say(['Événements (aucun coché : tous)', 'Events (none ticked: all)']),
      kind: 'checkbox',
      chosen: typed.types,
      choices: eventTypes.filter((type) => type !== 'endpoint.test').map((value) => ({ value, label: value })),
    },
    errors,
  )
  const summary = say(['Seulement certains événements', 'Only some events'])
  const some = html`<details${typed.types.length > 0 && html` open`}><summary>${summary}</summary>${types}</details>`
  const button = html`<button class="wide">${title}</button>`
  const content = html`<div class="stack"><h1>${title}</h1>${url}${some}</div><div>${button}</div>`
  const slip = form(request, at('/webhooks'), content, { class: 'slip' })
  const back = backLink(at('/webhooks'), 'Webhooks')
  const main = html`${back}<div class="narrow wider">${errorList(say, errors)}${slip}</div>`
  return { kind: 'view', status: errors.length === 0 ? 200 : 422, title, main, facts: { typed, errors } }
}

/** The only page that shows an endpoint's secret. */
export function secretView(
  request: Request,
  { secret, url, rotated }: { secret: string; url: string; rotated: boolean },
): ScreenView {
  const { say, at } = request
  const title = say(['Copiez ce secret maintenant', 'Copy this secret now'])
  const old =
    rotated &&
    note(
      'plain',
      null,
      say([
        'L’ancien secret signe un deuxième en-tête pendant 24 heures.',
        'The old secret signs a second header for 24 hours.',
      ]),
    )
  const never = say([
    'Il ne sera plus jamais montré. Votre serveur vérifie avec lui chaque signature.',
    'It will never be shown again. Your server verifies each signature with it.',
  ])
  const head = html`<div><span class="icon">${icon('hook')}</span><h1>${title}</h1><p class="lead">${never}</p></div>`
  const stored = linkButton(at('/webhooks'), say(['Je l’ai rangé', 'I have stored it']), 'quiet')
  const copy = toCopy(secret, { say, words: say(['Copier le secret', 'Copy the secret']), beside: stored })
  const main = html`<div class="narrow wider"><article class="slip">${head}
<div class="stack">${copy}${old}</div>
<div>${rows([{ name: say(['Adresse', 'Address']), value: hostOf(url) }])}</div></article></div>`
  return { kind: 'view', title, main, facts: { secret } }
}
