import { backLink, id, panel, rows, type StatusShape, status, story } from '../../console/components.ts'
import { form, hiddenField } from '../../console/forms.ts'
import { filteredAddress } from '../../console/list.ts'
import type { Say, Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { failureSentences } from '../../platform/egress/connection-failure.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { DeliveryState } from '../../webhooks/delivery-list-store.ts'
import { type EventType, eventTypes } from '../../webhooks/event-types.ts'
import { COUNTED_MAX } from '../../webhooks/replay-store.ts'
import type { ShownDeliveryWithAttempts, ShownEndpoint } from '../../webhooks/show-deliveries.ts'
import type { ShownBody } from '../../webhooks/shown-body.ts'
import { nounOf, subjectLink } from '../subject-link.ts'

type Request = ScreenRequest<'console'>

/** Returns only the host of an endpoint's URL, because the rest may contain a secret. */
export function hostOf(url: string): string {
  return new URL(url).host
}

/** Returns the name of each endpoint by its id: its host, and the end of its id where two have the same host. */
export function endpointNames(endpoints: readonly Pick<ShownEndpoint, 'endpoint_id' | 'url'>[]): Map<string, string> {
  const alike = Map.groupBy(endpoints, ({ url }) => hostOf(url))
  return new Map(
    endpoints.map(({ endpoint_id, url }) => {
      const host = hostOf(url)
      return [endpoint_id, alike.get(host)!.length === 1 ? host : `${host} …${endpoint_id.slice(-4)}`]
    }),
  )
}

/** The state of a delivery. One that waits for the first attempt of its schedule, as after a replay, is on its way. */
export function deliveryStatus(
  { say, language }: Pick<Request, 'say' | 'language'>,
  delivery: { status: string; scheduled_attempts: number; next_attempt_at: Date | null },
): Html {
  const shapes: Readonly<Record<string, readonly [StatusShape, string]>> = {
    delivered: ['ok', say(['Livré', 'Delivered'])],
    failed: ['bad', say(['Abandonné', 'Given up'])],
    held: ['off', say(['Gardé', 'Kept'])],
  }
  const next = delivery.next_attempt_at
  const waits =
    delivery.scheduled_attempts === 0 || next === null
      ? say(['En route', 'On its way'])
      : say(['Nouvel essai {at}', 'Retry at {at}'], { at: writeShortDate(next, language).replaceAll(' ', '\u00a0') })
  const [shape, word] = shapes[delivery.status] ?? (['wait', waits] as const)
  return status(shape, word)
}

/** The subject of an event, with a link to its page. */
export function subjectOf(request: Request, { subject_id, type }: { subject_id: string; type: string }): Html {
  return subjectLink(request, { noun: nounOf(subject_id, type), id: subject_id, words: id(subject_id) })
}

/** The kinds of events, for filters. They are the words of the interface. */
export const typeWords = Object.fromEntries(eventTypes.map((type) => [type, [type, type]])) as unknown as Readonly<
  Record<EventType, Words>
>

/** The name of the list on its page, below the endpoints. */
export const LIST = 'list'

/** Writes a count, which stops at `COUNTED_MAX`. */
export const counted = (count: number): string => (count >= COUNTED_MAX ? `${COUNTED_MAX}+` : String(count))

/** The number of an endpoint's deliveries in a state, with a link to the list of exactly these. */
export function countedLink(
  { at }: Request,
  { endpoint_id, state, count }: { endpoint_id: string; state: DeliveryState; count: number },
): Html {
  const to = filteredAddress(at('/webhooks'), { endpoint: endpoint_id, state })
  return html`<a class="over" href="${to}#${LIST}">${counted(count)}</a>`
}

/** The words of each state in the filters of the list, in the order of a delivery's life. */
export const deliveryStateWords: Readonly<Record<DeliveryState, Words>> = {
  sending: ['En route', 'On its way'],
  retrying: ['Attend un nouvel essai', 'Waiting for a retry'],
  failed: ['Abandonné', 'Given up'],
  held: ['Gardé', 'Kept'],
  delivered: ['Livré', 'Delivered'],
}

const attemptErrors: Readonly<Record<string, Words>> = {
  ...failureSentences,
  refused_address: ['Cette adresse ne peut pas être appelée.', 'This URL cannot be called.'],
  too_large: ['La réponse est trop longue.', 'The answer is too long.'],
}

const redirects = new Set([301, 302, 303, 307, 308])

/** Writes the outcome of an attempt: its status and duration, with the remedy of a redirect, or the cause of no answer. */
export function outcomeOf(
  say: Say,
  { status_code, error, duration_ms }: ShownDeliveryWithAttempts['made'][number],
): string {
  if (status_code !== null && redirects.has(status_code))
    return say(
      [
        '{what} en {ms}\u00a0ms\u00a0: votre serveur renvoie ailleurs, et un envoi ne suit pas. Donnez l’adresse finale.',
        '{what} in {ms}\u00a0ms: your server redirects, and a delivery does not follow. Give the final address.',
      ],
      { what: status_code, ms: duration_ms },
    )
  if (status_code !== null || error === null)
    return say(['{what} en {ms}\u00a0ms', '{what} in {ms}\u00a0ms'], { what: status_code ?? '', ms: duration_ms })
  const words = attemptErrors[error]
  return `${words === undefined ? error : say(words)} (${duration_ms}\u00a0ms)`
}

/** The page of one delivery: the bytes, the answer, each attempt. */
export function deliveryView(request: Request, delivery: ShownDeliveryWithAttempts): ScreenView {
  const { say, language, at, can } = request
  const { made } = delivery
  const last = made.at(-1)
  const again = html`<button class="second">${say(['Rejouer maintenant', 'Replay now'])}</button>`
  const replay =
    can('webhooks.manage') &&
    form(
      request,
      at(`/webhooks/deliveries/${delivery.id}/replay`),
      html`${hiddenField('event', delivery.event_id)}${again}`,
      { class: 'acts' },
    )
  const answered = last !== undefined && answerPanel(say, last)
  const events = made.map((attempt) => {
    const good = attempt.status_code !== null && attempt.status_code >= 200 && attempt.status_code < 300
    return {
      at: attempt.attempted_at,
      icon: good ? ('ok' as const) : ('x' as const),
      kind: good ? ('ok' as const) : ('bad' as const),
      text: outcomeOf(say, attempt),
    }
  })
  const to = html`${say(['Vers', 'To'])} ${hostOf(delivery.url)} ${deliveryStatus(request, delivery)}`
  const titled = html`<h1>${delivery.event_type}</h1><p class="lead">${to}</p>`
  const head = html`<div class="head"><div>${titled}</div>${replay}</div>`
  const facts = rows([
    {
      name: say(['Événement', 'Event']),
      value: html`<a href="${at(`/events/${delivery.event_id}`)}">${id(delivery.event_id)}</a>`,
    },
    { name: say(['À propos de', 'About']), value: subjectOf(request, { ...delivery, type: delivery.event_type }) },
  ])
  const body = panel(say(['Envoyé', 'Sent']), html`${facts}${bodyShown(request, delivery)}`)
  const none = say(['Aucun essai dans les trente derniers jours.', 'No attempt in the last thirty days.'])
  const attempts = events.length === 0 ? html`<p class="soft">${none}</p>` : story(events, language)
  const main = html`${backLink(at('/webhooks'), 'Webhooks')}${head}
<div class="two"><div class="stack">${body}${answered}</div>${panel(say(['Essais', 'Attempts']), attempts)}</div>`
  return { kind: 'view', title: delivery.event_type, main, facts: { delivery } }
}

function answerPanel(say: Say, attempt: Parameters<typeof outcomeOf>[1]): Html {
  const { response_excerpt } = attempt
  const label = say(['Réponse', 'Answer'])
  const body =
    response_excerpt && html`<pre tabindex="0" aria-label="${label}">${response_excerpt.slice(0, 4_096)}</pre>`
  return panel(say(['Répondu', 'Answered']), html`<p>${outcomeOf(say, attempt)}</p>${body}`)
}

/** The start of the signed bytes, with masked phone numbers, and their length. */
export function bodyShown({ say }: Request, { body_start, body_bytes, body_cut }: ShownBody): Html {
  const end = body_cut ? '…' : ''
  const pre = html`<pre tabindex="0" aria-label="${say(['Corps', 'Body'])}">${indented(body_start)}${end}</pre>`
  const masked = say(
    [
      'Les numéros sont masqués ici ; votre serveur reçoit {n} octets.',
      'Numbers are masked here; your server receives {n} bytes.',
    ],
    { n: body_bytes },
  )
  return html`${pre}<p class="hint gap">${masked}</p>`
}

/** Indents a whole body. The start of a longer one stays as it is. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
