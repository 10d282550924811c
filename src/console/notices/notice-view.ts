import { type NoticeKind, noticeKinds } from '../../people/notices/notice.ts'
import type { DeviceRow } from '../../people/push/push-store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeDay } from '../../platform/http/pages/write-values.ts'
import { assetAddress, pushScript } from '../assets.ts'
import { pageHead, panel } from '../components.ts'
import { errorList, type FieldError, field, form, nonceField } from '../forms.ts'
import type { ScreenDoor, ScreenRequest } from '../screen.ts'
import { kindWords } from './choice-words.ts'
import type { Typed } from './typed-choices.ts'

type Shown = Typed & {
  /** The kinds that this person may turn off, in the order of their table. */
  readonly kinds: readonly NoticeKind[]
  /** Whether this service sends mail. */
  readonly mail: boolean
  /** The key with which a browser subscribes. Null: it cannot be read. */
  readonly push_key: string | null
  readonly devices: readonly DeviceRow[]
  readonly errors: readonly FieldError[]
}
type Request = ScreenRequest<ScreenDoor>

/** The page on which a person chooses their notices. */
export function noticesView(request: Request, shown: Shown): Html {
  const { say } = request
  const lead = say(['Les vôtres seulement. Chacun règle les siennes.', 'Yours only. Everybody sets their own.'])
  const save = html`<button class="wide">${say(['Enregistrer', 'Save'])}</button>`
  const kinds = shown.kinds.map((kind) => kindBoxes(request, shown, kind))
  const content = html`${kinds}${alwaysPart(request)}<div class="stack">${quietHours(request, shown)}${save}</div>`
  return html`${pageHead({ title: say(['Notifications', 'Notifications']), lead })}
${errorList(say, shown.errors)}<div class="two">${form(request, request.at('/notices'), content, { class: 'slip' })}
${shown.push_key !== null && devicesPanel(request, shown, shown.push_key)}</div>`
}

/** The boxes of one kind, and of payments the least amount. */
function kindBoxes({ say }: Request, { mail, by_mail, by_push, payment_min, errors }: Shown, kind: NoticeKind): Html {
  const box = (name: string, chosen: readonly string[], words: string) => {
    const checked = chosen.includes(kind) && html` checked`
    return html`<label class="choice"><input type="checkbox" name="${name}" value="${kind}"${checked}><span>${words}</span></label>`
  }
  const push = box('by_push', by_push, say(['Téléphone', 'Phone']))
  const boxes = html`${push}${mail && box('by_mail', by_mail, say(['E-mail', 'E-mail']))}`
  const label = say(['À partir de, F CFA', 'From, F CFA'])
  const least = { name: 'payment_min', label, value: payment_min, more: { inputmode: 'numeric', maxlength: '20' } }
  const min = kind === 'payment' && field(least, errors)
  return html`<div class="stack"><fieldset><legend>${say(kindWords[kind])}</legend><div class="pair">${boxes}</div>${min}</fieldset></div>`
}

/** The kinds that nobody can turn off, and the facts that no notice has. */
function alwaysPart({ say, can }: Request): Html {
  const always = (['destination', 'key', 'till', 'confirmation', 'proposal', 'role', 'security'] as const).filter(
    (kind) => {
      const { right } = noticeKinds[kind]
      return right === null || can(right)
    },
  )
  const title = say(['Toujours, pour votre sécurité', 'Always, for your security'])
  const list = html`<ul class="dots">${always.map((kind) => html`<li>${say(kindWords[kind])}</li>`)}</ul>`
  const never = say([
    'Un avis ne montre ni numéro, ni nom de payeur, ni code. Seuls les paiements et la somme du jour disent un montant.',
    'A notice shows no number, no name of a payer and no code. Only payments and the sum of the day tell an amount.',
  ])
  return html`<div><h2>${title}</h2>${list}<p class="hint gap">${never}</p></div>`
}

function quietHours({ say }: Request, { quiet_from, quiet_to, hides_amount, errors }: Shown): Html {
  const hint = say([
    'Rien ne vient avant la fin, sauf les avis de sécurité. Heures d’Abidjan.',
    'Nothing comes before their end, except security notices. Times of Abidjan.',
  ])
  const time = (name: string, label: string, value: string) => field({ name, label, value, type: 'time' }, errors)
  const from = time('quiet_from', say(['De', 'From']), quiet_from)
  const to = time('quiet_to', say(['À', 'To']), quiet_to)
  const checked = hides_amount && html` checked`
  const words = say(['Téléphone verrouillé : sans le montant', 'Locked phone: without the amount'])
  const hide = html`<label class="choice"><input type="checkbox" name="hides_amount"${checked}><span>${words}</span></label>`
  const title = say(['Heures calmes', 'Quiet hours'])
  const fields = html`<div class="inline pair">${from}${to}</div>`
  return html`<fieldset><legend>${title}</legend><p class="hint">${hint}</p>${fields}</fieldset>${hide}`
}

/** The browsers that get notices, and the button that adds this one. Without script a browser gets none. */
function devicesPanel(request: Request, { devices }: Shown, push_key: string): Html {
  const { say, language } = request
  const end = say(['Arrêter', 'Stop'])
  const listed = devices.map(({ id, name, created_at }) => {
    const since = say(['{name}, depuis le {day}', '{name}, since {day}'], { name, day: writeDay(created_at, language) })
    return html`<li>${since}${form(request, request.at(`/notices/devices/${id}/end`), html`<button class="quiet">${end}</button>`)}</li>`
  })
  const none = say(['Aucun appareil ne reçoit vos avis.', 'No device gets your notices.'])
  const failed = say([
    'Ce navigateur refuse les notifications. Autorisez-les dans ses réglages.',
    'This browser refuses notifications. Allow them in its settings.',
  ])
  const add = html`<input type="hidden" name="subscription"><p class="error" role="alert" hidden>${failed}</p>
<button class="wide">${say(['Recevoir les avis ici', 'Get notices here'])}</button>`
  const to = request.at('/notices/devices')
  const adding = html`<form method="post" action="${to}" data-push="${push_key}" hidden>${nonceField(request.nonce)}${add}</form>`
  const shown = devices.length === 0 ? html`<p class="soft">${none}</p>` : html`<ul class="dots">${listed}</ul>`
  const script = html`<script src="${assetAddress(pushScript)}" defer></script>`
  const title = say(['Mes téléphones', 'My phones'])
  return html`<div id="devices">${panel(title, html`<div class="stack">${shown}${adding}</div>`)}${script}</div>`
}
