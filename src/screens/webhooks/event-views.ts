import { backLink, id, pageHead, panel, rows } from '../../console/components.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { ShownEvent } from '../../webhooks/list-events.ts'
import { bodyShown, deliveryStatus, subjectOf } from './delivery-views.ts'

type Request = ScreenRequest<'console'>

/** The page of one event: its resource, its bytes, and its deliveries. @param hosts the hosts of the merchant's endpoints, by id */
export function eventView(request: Request, event: ShownEvent, hosts: ReadonlyMap<string, string>): ScreenView {
  const { say, at, language } = request
  const { id: event_id, type, created_at, deliveries } = event
  const sent = deliveries.map((one) => {
    const { last_response_status: answered, attempts: n } = one
    const host = hosts.get(one.endpoint_id) ?? id(one.endpoint_id)
    const reply =
      answered !== null &&
      say(['réponse {answered}, essais : {n}', 'answer {answered}, attempts: {n}'], { answered, n })
    const link = html`<a href="${at(`/webhooks/deliveries/${one.id}`)}">${host}</a> ${deliveryStatus(request, one)}`
    return html`<p>${link}${reply !== false && html` <span class="soft">${reply}</span>`}</p>`
  })
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
