import { backLink, blank, id, linkButton, pageHead, panel, rows } from '../../console/components.ts'
import { field, select } from '../../console/forms.ts'
import { chips, filteredAddress, filters, list, pages, rowLink } from '../../console/list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Page } from '../../values/page.ts'
import { eventTypes } from '../../webhooks/event-types.ts'
import type { ListedEvent, ShownEvent } from '../../webhooks/list-events.ts'
import { bodyShown, deliveryStatus, subjectOf } from './delivery-views.ts'
import type { ChosenEvents } from './event-filters.ts'

type Request = ScreenRequest<'console'>

/** The list of events with its filters. */
export function eventsView(
  request: Request,
  shown: { chosen: ChosenEvents; page: Page<ListedEvent>; starting_after: string },
): ScreenView {
  const { say, at, can } = request
  const { chosen, page, starting_after } = shown
  const path = at('/events')
  const address = (changed: Partial<ChosenEvents>, more = {}) =>
    filteredAddress(path, { ...chosen, ...changed, ...more })
  const title = say(['Événements', 'Events'])
  const on = [
    { name: 'type', text: chosen.type },
    { name: 'from', text: chosen.from && say(['depuis le {day}', 'from {day}'], { day: chosen.from }) },
    { name: 'to', text: chosen.to && say(['jusqu’au {day}', 'to {day}'], { day: chosen.to }) },
    { name: 'about', text: chosen.about },
  ].flatMap(({ name, text }) => (text === '' ? [] : [{ text, without: address({ [name]: '' }) }]))
  const content =
    page.rows.length > 0
      ? html`${eventList(request, page.rows)}${pages(say, { newer: starting_after === '' ? null : address({}), older: page.after === null ? null : address({}, { starting_after: page.after }) })}`
      : blank('bell', {
          title: say(['Aucun événement ici', 'No event here']),
          text:
            on.length > 0
              ? say(['Retirez un filtre pour en voir plus.', 'Remove a filter to see more.'])
              : say([
                  'Chaque paiement et chaque envoi en écrit un quand son état change.',
                  'Every payment and every payout creates one when its status changes.',
                ]),
          acts: on.length > 0 ? linkButton(path, say(['Tout voir', 'Show all']), 'second') : '',
        })
  const fileOf = (format: string) => filteredAddress(`${path}/export`, { ...chosen, format })
  const replay =
    can('webhooks.manage') &&
    page.rows.length > 0 &&
    linkButton(
      filteredAddress(`${path}/replay`, chosen),
      say(['Rejouer ces événements', 'Replay these events']),
      'second',
    )
  const main = html`${pageHead({
    title,
    acts: replay,
    lead: html`${say(['Ce que votre serveur apprend, et comment cela lui est arrivé.', 'What we notify your server of, and how each delivery went.'])} <a href="${at('/webhooks')}">${say(['Voir vos adresses', 'See your endpoints'])}</a>`,
  })}
${filters(say, say(['Sorte, période, opération', 'Kind, period, operation']), filterFields(request, chosen))}
${chips(say, on, can('exports.take') && page.rows.length > 0 ? fileOf : null)}
${panel(null, content, { flush: true })}`
  return { kind: 'view', title, main, facts: { chosen, events: page.rows, has_more: page.after !== null } }
}

function filterFields({ say }: Request, chosen: ChosenEvents): Html {
  const types = eventTypes.map((value) => ({ value, label: value }))
  return html`${select({ name: 'type', label: say(['Sorte', 'Kind']), value: chosen.type, choices: [{ value: '', label: say(['Toutes', 'All']) }, ...types] })}
${field({ name: 'from', label: say(['Du', 'From']), type: 'date', value: chosen.from })}
${field({ name: 'to', label: say(['Au', 'To']), type: 'date', value: chosen.to })}
${field({ name: 'about', label: say(['Opération ou référence', 'Operation or reference']), value: chosen.about, more: { spellcheck: 'false', autocapitalize: 'none' } })}`
}

function eventList(request: Request, events: readonly ListedEvent[]): Html {
  const { say, language, at } = request
  return list<ListedEvent>({
    caption: say(['Événements', 'Events']),
    size: 'few',
    rows: events,
    columns: [
      {
        title: say(['Événement', 'Event']),
        kind: 'k',
        all: true,
        cell: (row) => rowLink(at(`/events/${row.id}`), row.type, subjectOf(request, row)),
      },
      { title: say(['Livraisons', 'Deliveries']), kind: 's', cell: ({ deliveries }) => fared(request, deliveries) },
      { title: say(['Quand', 'When']), kind: 't', cell: (row) => writeShortDate(row.created_at, language) },
    ],
  })
}

/** The state of an event: one word if all its deliveries have the same state, otherwise the number of delivered ones. */
function fared(request: Request, deliveries: ListedEvent['deliveries']): Html | string {
  const { say } = request
  const [first] = deliveries
  if (first === undefined) return html`<span class="soft">${say(['Aucune adresse', 'No endpoint'])}</span>`
  if (deliveries.length === 1) return deliveryStatus(request, first)
  const arrived = deliveries.filter(({ status }) => status === 'delivered').length
  const worst = deliveries.find(({ status }) => status !== 'delivered') ?? first
  return html`${deliveryStatus(request, worst)} <span class="soft">${say(['{n} sur {all} livrées', '{n} of {all} delivered'], { n: arrived, all: deliveries.length })}</span>`
}

/** The page of one event: its resource, its bytes, and its deliveries. @param hosts the hosts of the merchant's endpoints, by id */
export function eventView(request: Request, event: ShownEvent, hosts: ReadonlyMap<string, string>): ScreenView {
  const { say, at, language } = request
  const { id: event_id, type, created_at, deliveries } = event
  const sent = deliveries.map(
    (one) =>
      html`<p><a href="${at(`/webhooks/deliveries/${one.id}`)}">${hosts.get(one.endpoint_id) ?? id(one.endpoint_id)}</a> ${deliveryStatus(request, one)}${one.last_response_status !== null && html` <span class="soft">${say(['réponse {answered}, essais : {n}', 'answer {answered}, attempts: {n}'], { answered: one.last_response_status, n: one.attempts })}</span>`}</p>`,
  )
  const none = html`<p class="soft">${say(['Aucune adresse n’y est abonnée.', 'No endpoint subscribes to it.'])}</p>`
  const main = html`${backLink(at('/events'), say(['Événements', 'Events']))}
${pageHead({ title: type, lead: writeShortDate(created_at, language) })}
<div class="two"><div class="stack">${panel(
    say(['Contenu', 'Content']),
    html`${rows([
      { name: say(['Numéro', 'Id']), value: id(event_id) },
      { name: say(['À propos de', 'About']), value: subjectOf(request, event) },
    ])}${bodyShown(request, event)}`,
  )}</div>${panel(say(['Livraisons', 'Deliveries']), sent.length > 0 ? html`<div class="stack">${sent}</div>` : none)}</div>`
  return { kind: 'view', title: type, main, facts: { event } }
}
