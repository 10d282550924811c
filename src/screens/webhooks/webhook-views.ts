import {
  backLink,
  blank,
  id,
  linkButton,
  note,
  pageHead,
  panel,
  rows,
  type StatusShape,
  status,
  story,
  toast,
  toCopy,
} from '../../console/components.ts'
import { choices, errorList, type FieldError, field, form, select } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import { filters, list, pages, rowLink } from '../../console/list.ts'
import type { Say, Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import { eventTypes } from '../../webhooks/event-types.ts'
import { COUNTED_MAX } from '../../webhooks/replay-store.ts'
import type { ListedDelivery, ShownDeliveryWithAttempts, ShownEndpoint } from '../../webhooks/show-deliveries.ts'
import type { ShownBody } from '../../webhooks/shown-body.ts'
import { nounOf, subjectLink } from '../subject-link.ts'

type Request = ScreenRequest<'console'>

/** Returns only the host of an endpoint's URL, because the rest may contain a secret. */
export function hostOf(url: string): string {
  return new URL(url).host
}

export type WebhooksShown = {
  readonly endpoints: readonly ShownEndpoint[]
  readonly deliveries: readonly ListedDelivery[]
  readonly after: string | null
  readonly type: string
}

/** The page of a merchant's endpoints with their states, and the newest deliveries. */
export function webhooksView(request: Request, shown: WebhooksShown, refused: string | null = null): ScreenView {
  const { say, at, can, query } = request
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
  const cards = shown.endpoints.map((endpoint) => endpointPanel(request, endpoint))
  const typed = shown.type === '' ? '' : `&type=${shown.type}`
  const older = shown.after === null ? null : at(`/webhooks?after=${shown.after}${typed}`)
  const main = html`${refused !== null && toast(refused, 'bad', say)}${pageHead({ title: 'Webhooks', acts: add })}
<div class="stack">${cards.length === 0 ? none : html`<div class="half">${cards}</div>`}
${filters(say, say(['Filtrer les livraisons', 'Filter the deliveries']), html`${select({ name: 'type', label: say(['Événement', 'Event']), value: shown.type, choices: [{ value: '', label: say(['Tous', 'All']) }, ...eventTypes.map((value) => ({ value, label: value }))] })}`)}
${panel(say(['Livraisons', 'Deliveries']), deliveryList(request, shown), { flush: true })}</div>
${pages(say, { newer: query.has('after') ? at(`/webhooks${typed.replace('&', '?')}`) : null, older })}`
  const endpoints = shown.endpoints.map(({ merchant_id: _, ...endpoint }) => endpoint)
  return {
    kind: 'view',
    status: refused === null ? 200 : 409,
    title: 'Webhooks',
    main,
    // A replay takes a while: the page shows how many are on their way.
    moving: shown.endpoints.some(({ status, sending }) => status === 'enabled' && sending > 0),
    facts: { endpoints, deliveries: shown.deliveries, after: shown.after },
  }
}

function endpointStatus(say: Say, { status: stands, failing_since }: ShownEndpoint): Html {
  if (stands === 'disabled') return status('off', say(['Arrêté', 'Stopped']))
  return failing_since === null
    ? status('ok', say(['En service', 'Working']))
    : status('bad', say(['Ne répond plus', 'Not answering']))
}

const counted = (count: number) => (count >= COUNTED_MAX ? `${COUNTED_MAX}+` : String(count))

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
  const waiting = retrying + failed
  const facts = rows([
    {
      name: say(['Reçoit', 'Receives']),
      value: event_types.length === 0 ? say(['tout', 'everything']) : event_types.join(', '),
    },
    failing_since !== null && { name: say(['Sans réponse depuis', 'No answer since']), value: time(failing_since) },
    sending > 0 && { name: say(['En route', 'On their way']), value: counted(sending) },
    { name: say(['Attendent un nouvel essai', 'Waiting for a retry']), value: counted(retrying) },
    next_attempt_at !== null && { name: say(['Prochain essai', 'Next attempt']), value: time(next_attempt_at) },
    failed > 0 && { name: say(['Abandonnés', 'Given up']), value: counted(failed) },
    held > 0 && { name: say(['Gardés jusqu’à la reprise', 'Kept until it is started']), value: counted(held) },
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
  const acts =
    can('webhooks.manage') &&
    html`<div class="acts">${enabled && act('test', ['Essayer', 'Send a test'], 'second')}${enabled && waiting > 0 && html`<a class="button second small" href="${at(`/webhooks/${endpoint_id}/replay`)}">${say(['Rejouer ({n})', 'Replay ({n})'], { n: counted(waiting) })}<span class="sr"> ${hostOf(url)}</span></a>`}${act('rotate', ['Changer le secret', 'Change the secret'], 'quiet')}${enabled ? act('disable', ['Arrêter', 'Stop'], 'quiet') : act('enable', ['Reprendre', 'Start again'], 'second')}</div>`
  return html`<article class="panel"><header><h2>${hostOf(url)}</h2>${endpointStatus(say, endpoint)}</header><div>${facts}${acts}</div></article>`
}

/** The state of a delivery. */
export function deliveryStatus(
  { say }: Pick<Request, 'say'>,
  delivery: { status: string; attempts: number; next_attempt_at: Date | null },
): Html {
  const shapes: Readonly<Record<string, readonly [StatusShape, string]>> = {
    delivered: ['ok', say(['Livré', 'Delivered'])],
    failed: ['bad', say(['Abandonné', 'Given up'])],
    held: ['off', say(['Gardé', 'Kept'])],
  }
  const next = delivery.next_attempt_at
  const waits =
    delivery.attempts === 0 || next === null
      ? say(['En route', 'On its way'])
      : say(['Nouvel essai {at}', 'Retry at {at}'], { at: next.toISOString().slice(11, 16) })
  const [shape, word] = shapes[delivery.status] ?? (['wait', waits] as const)
  return status(shape, word)
}

/** The subject of an event, with a link to its page. */
export function subjectOf(request: Request, { subject_id, type }: { subject_id: string; type: string }): Html {
  return subjectLink(request, { noun: nounOf(subject_id, type), id: subject_id, words: id(subject_id) })
}

function deliveryList(request: Request, { deliveries, endpoints }: WebhooksShown): Html {
  const { say, language, at } = request
  const hosts = new Map(endpoints.map(({ endpoint_id, url }) => [endpoint_id, hostOf(url)]))
  if (deliveries.length === 0)
    return blank('hook', { title: say(['Rien n’a encore été envoyé', 'Nothing was sent yet']) })
  return list<ListedDelivery>({
    caption: say(['Livraisons', 'Deliveries']),
    rows: deliveries,
    columns: [
      {
        title: say(['Événement', 'Event']),
        kind: 'k',
        all: true,
        cell: (row) => rowLink(at(`/webhooks/deliveries/${row.id}`), row.type, subjectOf(request, row)),
      },
      { title: say(['État', 'State']), kind: 's', cell: (row) => deliveryStatus(request, row) },
      { title: say(['Vers', 'To']), kind: '', cell: (row) => hosts.get(row.endpoint_id) ?? '' },
      {
        title: say(['Réponse', 'Answer']),
        kind: '',
        label: say(['Réponse', 'Answer']),
        cell: (row) => row.last_response_status ?? '–',
      },
      { title: say(['Essais', 'Attempts']), kind: '', label: say(['Essais', 'Attempts']), cell: (row) => row.attempts },
      {
        title: say(['Quand', 'When']),
        // The state has a time too, and both do not fit on one line of a telephone.
        kind: '',
        label: say(['Quand', 'When']),
        cell: (row) => writeShortDate(row.created_at, language),
      },
    ],
  })
}

const attemptErrors: Readonly<Record<string, Words>> = {
  refused_address: ['Adresse qui ne se laisse pas appeler', 'A URL that cannot be called'],
  dns: ['Nom introuvable', 'Name not found'],
  timeout: ['Délai dépassé', 'Timed out'],
  connection: ['Connexion refusée', 'Connection refused'],
  tls: ['Certificat refusé', 'Certificate refused'],
  too_large: ['Réponse trop longue', 'Answer too long'],
}

/** Writes the outcome of one attempt in a few words. */
function outcomeOf(say: Say, { status_code, error, duration_ms }: ShownDeliveryWithAttempts['made'][number]): string {
  const words = error === null ? undefined : attemptErrors[error]
  const what = status_code === null ? (words === undefined ? (error ?? '') : say(words)) : String(status_code)
  return say(['{what} en {ms} ms', '{what} in {ms} ms'], { what, ms: duration_ms })
}

/** The page of one delivery: the bytes, the answer, each attempt. */
export function deliveryView(request: Request, delivery: ShownDeliveryWithAttempts): ScreenView {
  const { say, language, at, can } = request
  const { made } = delivery
  const last = made.at(-1)
  const replay =
    can('webhooks.manage') &&
    form(
      request,
      at(`/webhooks/deliveries/${delivery.id}/replay`),
      html`<button class="second">${say(['Rejouer maintenant', 'Replay now'])}</button>`,
      { class: 'acts' },
    )
  const answered =
    last !== undefined &&
    panel(
      say(['Répondu', 'Answered']),
      html`<p>${outcomeOf(say, last)}</p>${last.response_excerpt && html`<pre tabindex="0" aria-label="${say(['Réponse', 'Answer'])}">${last.response_excerpt.slice(0, 4_096)}</pre>`}`,
    )
  const events = made.map((attempt) => {
    const good = attempt.status_code !== null && attempt.status_code >= 200 && attempt.status_code < 300
    return {
      at: attempt.attempted_at,
      icon: good ? ('ok' as const) : ('x' as const),
      kind: good ? ('ok' as const) : ('bad' as const),
      text: outcomeOf(say, attempt),
    }
  })
  const head = html`<div class="head"><div><h1>${delivery.event_type}</h1><p class="lead">${say(['Vers', 'To'])} ${hostOf(delivery.url)} · ${deliveryStatus(request, delivery)}</p></div>${replay}</div>`
  const main = html`${backLink(at('/webhooks'), 'Webhooks')}${head}
<div class="two"><div class="stack">${panel(
    say(['Envoyé', 'Sent']),
    html`${rows([
      {
        name: say(['Événement', 'Event']),
        value: html`<a href="${at(`/events/${delivery.event_id}`)}">${id(delivery.event_id)}</a>`,
      },
      { name: say(['À propos de', 'About']), value: subjectOf(request, { ...delivery, type: delivery.event_type }) },
    ])}${bodyShown(request, delivery)}`,
  )}${answered}</div>${panel(say(['Essais', 'Attempts']), events.length === 0 ? html`<p class="soft">${say(['Aucun essai dans les trente derniers jours.', 'No attempt in the last thirty days.'])}</p>` : story(events, language))}</div>`
  return { kind: 'view', title: delivery.event_type, main, facts: { delivery } }
}

/** The start of the signed bytes, with masked phone numbers, and their length. */
export function bodyShown({ say }: Request, { body_start, body_bytes, body_cut }: ShownBody): Html {
  const end = body_cut ? '…' : ''
  return html`<pre tabindex="0" aria-label="${say(['Corps', 'Body'])}">${indented(body_start)}${end}</pre><p class="hint gap">${say(['Les numéros sont masqués ici ; votre serveur reçoit {n} octets.', 'Numbers are masked here; your server receives {n} bytes.'], { n: body_bytes })}</p>`
}

/** Indents a whole body. The start of a longer one stays as it is. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
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
  const main = html`${backLink(at('/webhooks'), 'Webhooks')}<div class="narrow">${form(
    request,
    at(`/webhooks/${endpoint.endpoint_id}/replay`),
    html`<div><h1>${title}</h1><p class="say">${say(['Vers {host}. Votre serveur peut en avoir déjà reçu : il reconnaît leur numéro.', 'To {host}. Your server may have received some already: it recognises their number.'], { host: hostOf(endpoint.url) })}</p></div><div class="acts"><button>${act}</button>${linkButton(at('/webhooks'), say(['Annuler', 'Cancel']), 'quiet')}</div>`,
    { class: 'slip' },
  )}</div>`
  const facts = { endpoint_id: endpoint.endpoint_id, retrying: endpoint.retrying, failed: endpoint.failed }
  return { kind: 'view', title, main, facts }
}

export type TypedEndpoint = { readonly url: string; readonly types: readonly string[] }

/** The form of a new endpoint. */
export function newEndpointView(request: Request, typed: TypedEndpoint, errors: readonly FieldError[]): ScreenView {
  const { say, at } = request
  const title = say(['Ajouter une adresse', 'Add an endpoint'])
  const content = html`<div class="stack"><h1>${title}</h1>${field(
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
  )}<details${typed.types.length > 0 && html` open`}><summary>${say(['Seulement certains événements', 'Only some events'])}</summary>${choices(
    {
      name: 'types',
      legend: say(['Événements (aucun coché : tous)', 'Events (none ticked: all)']),
      kind: 'checkbox',
      chosen: typed.types,
      choices: eventTypes.filter((type) => type !== 'endpoint.test').map((value) => ({ value, label: value })),
    },
    errors,
  )}</details></div><div><button class="wide">${title}</button></div>`
  const main = html`${backLink(at('/webhooks'), 'Webhooks')}<div class="narrow wider">${errorList(say, errors)}${form(request, at('/webhooks'), content, { class: 'slip' })}</div>`
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
  const main = html`<div class="narrow wider"><article class="slip"><div><span class="icon">${icon('hook')}</span><h1>${title}</h1><p class="lead">${say(['Il ne sera plus jamais montré. Votre serveur vérifie avec lui chaque signature.', 'It will never be shown again. Your server verifies each signature with it.'])}</p></div>
<div class="stack">${toCopy(secret, { say, words: say(['Copier le secret', 'Copy the secret']), beside: linkButton(at('/webhooks'), say(['Je l’ai rangé', 'I have stored it']), 'quiet') })}${old}</div>
<div>${rows([{ name: say(['Adresse', 'Address']), value: hostOf(url) }])}</div></article></div>`
  return { kind: 'view', title, main, facts: { secret } }
}
