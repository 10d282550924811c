import { refusalOf } from '../../acts/act.ts'
import { writeEnd } from '../../beneficiaries/destination-facts.ts'
import { note, panel, status } from '../../console/components.ts'
import { errorList, type FieldError, field, form, hiddenField } from '../../console/forms.ts'
import { sayWords, type Words } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { roleWords } from '../../people/role-words.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeDate } from '../../platform/http/pages/write-values.ts'
import { requestSettlement } from '../../settlements/request-settlement.ts'
import { rolesWith } from '../../values/rights.ts'
import { ageInWords } from '../desk/case-words.ts'
import type { AskDestination, AskFacts } from './ask-facts.ts'

type Request = ScreenRequest<'console'>

/** The form as typed, and the reasons of its refusal: at the amount, or as a whole. */
export type AskTyped = { readonly amount: string; readonly form_id: string; readonly errors: readonly FieldError[] }

/** Writes a destination with only the end of its account: `Wave •• 2051`. */
export function destinationWords(
  { say }: Pick<Request, 'say'>,
  destination: Pick<AskDestination, 'operator' | 'last4'>,
): string {
  return sayWords(say, writeEnd(destination))
}

/** Writes the same at the beginning of a line. */
export function destinationTitle(
  request: Pick<Request, 'say'>,
  destination: Pick<AskDestination, 'operator' | 'last4'>,
): string {
  const words = destinationWords(request, destination)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The form to request a settlement, or the reason why nobody can now. */
export function askPart(request: Request, facts: AskFacts, typed: AskTyped, now: Date): Html {
  const { say, can, at } = request
  const { available, destination } = facts
  const head = html`<div><p class="soft">${say(['Votre argent disponible', 'Your available money'])}</p>${drawAmount(available)}</div>`
  if (!can('settlements.request')) {
    const roles = rolesWith('settlements.request').map((role) => say(roleWords[role as keyof typeof roleWords]))
    const text = say(
      ['Un retrait se demande avec l’un de ces rôles : {roles}.', 'To withdraw you need one of these roles: {roles}.'],
      { roles: roles.join(', ') },
    )
    return html`<article class="slip">${head}<div><p class="hint">${text}</p></div></article>`
  }
  const [said] = typed.errors.filter(({ field }) => field === 'main')
  const refused = said && html`<div role="alert">${note('bad', null, said.text)}</div>`
  const why = whyNot(request, facts, now)
  if (why !== null || destination === null)
    return html`<article class="slip">${head}<div class="stack">${refused}${why}</div></article>`
  const errors = typed.errors.filter(({ field }) => field !== 'main')
  const hidden = html`${hiddenField('form', typed.form_id)}${hiddenField('destination', destination.id)}`
  const amount = field(
    {
      name: 'amount',
      label: say(['Montant, F CFA', 'Amount, F CFA']),
      hint: say(['Tout, ou moins. Au moins {sum}.', 'All, or less. At least {sum}.'], {
        sum: writeAmount(facts.floor),
      }),
      value: typed.amount,
      more: { inputmode: 'numeric', autocomplete: 'off', maxlength: '24' },
    },
    errors,
  )
  const to = html`<p>${say(['Vers', 'To'])} <b>${destinationWords(request, destination)}</b>, ${destination.name}</p>`
  const button = html`<button class="wide">${say(['Retirer', 'Withdraw'])}</button>`
  const free = say(['Sans frais. Notre équipe valide, puis verse.', 'Free of charge. Our team validates, then pays.'])
  const content = html`${hidden}${head}<div class="stack">${errorList(say, errors)}${refused}
${amount}${to}${button}<p class="hint">${free}</p></div>`
  return form(request, at('/settlements'), content, { class: 'slip' })
}

/** The panel with the destination, for those who may change it. Null when there is none. */
export function destinationPanel(request: Request, { destination }: AskFacts): Html | null {
  if (destination === null) return null
  const { say, at } = request
  const more = html`<a href="${at('/destination')}">${say(['Changer', 'Change'])}</a>`
  const words = html`<p>${destinationTitle(request, destination)}<br>${destination.name}</p>`
  return panel(say(['Où va votre argent', 'Where your money goes']), words, { more })
}

/** Says where a settlement goes, with a link to the destinations. */
function destinationLine(request: Request, destination: AskDestination, link: Words): Html {
  const { say, at } = request
  const words = destinationWords(request, destination)
  return html`<p>${say(['Vers', 'To'])} <b>${words}</b>, ${destination.name}. <a href="${at('/destination')}">${say(link)}</a></p>`
}

/** Returns why no settlement of any amount can be requested. Null when one can. */
function whyNot(request: Request, { available, floor, active, destination }: AskFacts, now: Date): Html | null {
  const { say, language, at } = request
  if (!active) return note('bad', null, say(refusalOf(requestSettlement, 'merchant_inactive').words))
  if (destination === null) {
    const first = say([
      'Désignez d’abord le compte ou le numéro qui reçoit votre argent.',
      'First designate the account or the number that receives your money.',
    ])
    const link = html`<a href="${at('/destination')}">${say(['Choisir la destination', 'Choose the destination'])}</a>`
    return note('care', say(['Aucune destination', 'No destination']), html`${first} ${link}`)
  }
  if (!destination.has_cooled) {
    const left = ageInWords(destination.serves_from.getTime() - now.getTime(), say)
    return html`<div>${destinationLine(request, destination, ['Voir', 'See'])}
<p class="gap">${status('wait', say(['Encore {time}', '{time} to go'], { time: left }))}</p>
<p class="hint gap">${say(
      [
        'Cette destination est récente : elle sert à partir du {when}. Ce délai vous laisse le temps de dire non si ce n’était pas vous.',
        'This destination is recent: it can be used from {when}. The delay gives you time to object if it was not you.',
      ],
      { when: writeDate(destination.serves_from, language) },
    )}</p></div>`
  }
  if (available < floor) {
    const text = say(
      [
        'Un retrait est de {sum} au moins. Il se demande dès que le solde disponible y arrive.',
        'A withdrawal is at least {sum}. You can request it once the available balance reaches that.',
      ],
      { sum: writeAmount(floor) },
    )
    return note('plain', null, text)
  }
  return null
}
