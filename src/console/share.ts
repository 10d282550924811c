import { type Html, html } from '../platform/http/html.ts'
import { icon } from './icons.ts'
import type { Say } from './say.ts'

/** A link that opens WhatsApp with a text, for the person to choose the recipient. It is a link, because our policy lets no form lead elsewhere. */
export function whatsApp(words: string, text: string, kind: '' | 'second' | 'quiet' | 'wide'): Html {
  const to = `https://wa.me/?text=${encodeURIComponent(text)}`
  return html`<a class="button${kind !== '' && ` ${kind}`}" href="${to}" rel="noreferrer">${icon('chat')}${words}</a>`
}

/** The switch of the sound of a payment, where scripts run. The device keeps it; it is off until a person turns it on. */
export function soundSwitch(say: Say): Html {
  const on = say(['Son au paiement : oui', 'Sound of a payment: on'])
  const off = say(['Son au paiement : non', 'Sound of a payment: off'])
  return html`<button type="button" class="quiet" data-script hidden data-sound="${on}" data-off="${off}">${off}</button>`
}

/** The address of a payer's page with a button to copy it where scripts run, its poster, and the page itself. A page has one. */
export function shareButtons(say: Say, url: string): Html {
  const copied = say(['C’est copié', 'Copied'])
  const words = html`${icon('copy')}${say(['Copier', 'Copy'])}`
  const copy = html`<button type="button" class="second" data-script hidden data-copy="k" data-done="${copied}">${words}</button>`
  const poster = html`<a class="button second" href="${url}/poster">${icon('print')}${say(['Affiche', 'Poster'])}</a>`
  const page = html`<a class="button quiet" href="${url}">${say(['Voir la page', 'See the page'])}</a>`
  return html`<p class="secret" id="k" tabindex="0">${url}</p><p class="acts">${copy}${poster}${page}</p>`
}
