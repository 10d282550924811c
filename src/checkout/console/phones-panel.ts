import { panel, status } from '../../console/components.ts'
import { field, form } from '../../console/forms.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { whatsApp } from '../../console/share.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawQr } from '../../platform/http/pages/draw-qr.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Words } from '../../values/language.ts'
import type { Addresses } from '../addresses.ts'
import { type PhoneState, phoneState, type TillPhone } from '../till/till-phone.ts'

type Request = ScreenRequest<'console'>

/** A telephone of a till as its owner sees it. The address of an open invitation pairs the first telephone that opens it. */
export type ShownPhone = TillPhone & { readonly url: string | null }

/** Adds the addresses of the invitations that can still pair a telephone. */
export function withAddresses(phones: readonly TillPhone[], addresses: Addresses): ShownPhone[] {
  return phones.map((phone) => ({
    ...phone,
    url: phoneState(phone) === 'invited' ? addresses.tillUrl(phone.id) : null,
  }))
}

const stateWords: Readonly<Record<PhoneState, readonly ['ok' | 'wait' | 'off', Words]>> = {
  paired: ['ok', ['Relié', 'Paired']],
  invited: ['wait', ['À relier', 'To pair']],
  lapsed: ['off', ['Expiré', 'Expired']],
}

/** The telephones of a till: who may ask "is it paid?" without an account, and ending each of them. */
export function phonesPanel(request: Request, link_id: string, phones: readonly ShownPhone[]): Html {
  const { say, at } = request
  const lead = say([
    'Ils voient les paiements de cette caisse sur 24 heures, sans compte, et rien d’autre.',
    'They see the payments of this till over 24 hours, without an account, and nothing else.',
  ])
  const name = field(
    {
      name: 'name',
      label: say(['Nom du téléphone', 'Name of the phone']),
      hint: say(['Par exemple celui de la personne.', 'For example the person’s.']),
      value: '',
      more: { maxlength: '80', autocomplete: 'off' },
    },
    [],
  )
  const button = html`<button class="second">${say(['Ajouter un téléphone', 'Add a phone'])}</button>`
  const add = form(
    request,
    at(`/links/${link_id}/phones`),
    html`<div class="stack">${name}</div><div>${button}</div>`,
    {},
  )
  const listed = phones.map((phone) => phonePart(request, phone))
  return panel(
    say(['Téléphones de la caisse', 'Phones of the till']),
    html`<p class="hint">${lead}</p>${listed}<div class="gap">${add}</div>`,
  )
}

function phonePart(request: Request, phone: ShownPhone): Html {
  const { say, at, language } = request
  const [shape, words] = stateWords[phoneState(phone)]
  const seen =
    phone.seen_at !== null &&
    html` <span class="hint">${say(['vu', 'seen'])} ${writeShortDate(phone.seen_at, language)}</span>`
  const text = say(['Reliez votre téléphone à la caisse : {url}', 'Pair your phone with the till: {url}'], {
    url: phone.url ?? '',
  })
  const send = phone.url !== null && whatsApp(say(['Par WhatsApp', 'By WhatsApp']), text, 'quiet')
  const end = html`<button class="quiet">${say(['Arrêter', 'End'])}<span class="sr"> ${phone.name}</span></button>`
  const to = at(`/links/${phone.link_id}/phones/${phone.id}/end`)
  const ending = form(request, to, html`${send}${end}`, { class: 'acts' })
  const head = html`<p><b>${phone.name}</b> ${status(shape, say(words))}${seen}</p>`
  return html`<div class="gap">${head}${phone.url !== null && invitation(request, phone.url)}${ending}</div>`
}

/** The code that the telephone scans. It serves once. */
function invitation({ say }: Request, url: string): Html {
  const label = say(['Code à scanner avec le téléphone de la caisse', 'Code to scan with the phone of the till'])
  const once = say([
    'Il le scanne et touche « Relier ». Le premier téléphone qui le fait est relié, pendant 72 heures.',
    'It scans this and taps “Pair”. The first phone that does is paired, within 72 hours.',
  ])
  return html`<div class="middle">${drawQr(url, label, 'L')}</div><p class="hint">${once}</p>`
}
