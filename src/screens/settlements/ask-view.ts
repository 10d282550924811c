import { writeEnd } from '../../beneficiaries/destination-facts.ts'
import { note, rows, status } from '../../console/components.ts'
import { errorList, type FieldError, field, form } from '../../console/forms.ts'
import { sayWords } from '../../console/say.ts'
import type { Confirmation, ScreenRequest } from '../../console/screen.ts'
import { roleWords } from '../../people/role-words.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeDate } from '../../platform/http/pages/write-values.ts'
import type { SettlementRefusal } from '../../settlements/decide-settlement.ts'
import { rolesWith } from '../../values/rights.ts'
import { ageInWords } from '../desk/case-words.ts'
import type { AskDestination, AskFacts } from './ask-facts.ts'

type Request = ScreenRequest<'console'>

export type AskRefusal = SettlementRefusal | 'amount_unreadable' | 'idempotency_in_progress' | 'idempotency_key_reused'

/** The form as typed, and the reason of its refusal. */
export type AskTyped = { readonly amount: string; readonly form_id: string; readonly refused: AskRefusal | null }

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
  const head = html`<div><p class="soft">${say(['Disponible', 'Available'])}</p>${drawAmount(available)}</div>`
  if (!can('settlements.request')) {
    const roles = rolesWith('settlements.request').map((role) => say(roleWords[role as keyof typeof roleWords]))
    const text = say(
      [
        'Un reversement se demande avec l’un de ces rôles : {roles}.',
        'To request a settlement you need one of these roles: {roles}.',
      ],
      { roles: roles.join(', ') },
    )
    return html`<article class="slip">${head}<div><p class="hint">${text}</p></div></article>`
  }
  const why = whyNot(request, facts, now)
  if (why !== null || destination === null)
    return html`<article class="slip">${head}<div class="stack">${refusedNote(request, facts, typed)}${why}</div></article>`
  const errors = errorsOf(request, facts, typed)
  const content = html`<input type="hidden" name="form" value="${typed.form_id}"><input type="hidden" name="destination" value="${destination.id}">${head}<div class="stack">${errorList(say, errors)}${refusedNote(request, facts, typed)}${field(
    {
      name: 'amount',
      label: say(['Montant, F CFA', 'Amount, F CFA']),
      hint: say(['Au moins {sum}.', 'At least {sum}.'], { sum: writeAmount(facts.floor) }),
      value: typed.amount,
      more: { inputmode: 'numeric', autocomplete: 'off', maxlength: '24' },
    },
    errors,
  )}<p>${say(['Vers', 'To'])} <b>${destinationWords(request, destination)}</b>, ${destination.name}. <a href="${at('/destination')}">${say(['Changer', 'Change'])}</a></p><button class="wide">${say(['Demander le reversement', 'Request the settlement'])}</button><p class="hint">${say(['Sans frais. Notre équipe valide, puis verse.', 'Free of charge. Our team validates, then pays.'])}</p></div>`
  return form(request, at('/settlements'), content, { class: 'slip' })
}

/** Returns why no settlement of any amount can be requested. Null when one can. */
function whyNot(request: Request, { available, floor, active, destination }: AskFacts, now: Date): Html | null {
  const { say, language, at } = request
  if (!active) return note('bad', null, inactive(request))
  if (destination === null)
    return note(
      'care',
      say(['Aucune destination', 'No destination']),
      html`${say(['Désignez d’abord le compte ou le numéro qui reçoit vos reversements.', 'First designate the account or the number that receives your settlements.'])} <a href="${at('/destination')}">${say(['Choisir la destination', 'Choose the destination'])}</a>`,
    )
  if (!destination.has_cooled) {
    const left = ageInWords(destination.serves_from.getTime() - now.getTime(), say)
    return html`<div><p>${say(['Vers', 'To'])} <b>${destinationWords(request, destination)}</b>, ${destination.name}. <a href="${at('/destination')}">${say(['Voir', 'See'])}</a></p>
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
        'Un reversement est de {sum} au moins. Il se demande dès que le solde disponible y arrive.',
        'A settlement is at least {sum}. You can request it once the available balance reaches that.',
      ],
      { sum: writeAmount(floor) },
    )
    return note('plain', null, text)
  }
  return null
}

function inactive({ say }: Pick<Request, 'say'>): string {
  return say([
    'Votre compte est désactivé. Contactez l’équipe du service.',
    'Your account is deactivated. Contact the team of the service.',
  ])
}

/** Returns the error of the amount, in its field. */
function errorsOf({ say }: Request, { floor, available }: AskFacts, { refused }: AskTyped): FieldError[] {
  const wrong = (text: string): FieldError[] => [{ field: 'amount', text }]
  if (refused === 'amount_unreadable')
    return wrong(say(['Un montant est un nombre entier de francs.', 'An amount is a whole number of francs.']))
  if (refused === 'sous_le_plancher')
    return wrong(say(['Demandez au moins {sum}.', 'Request at least {sum}.'], { sum: writeAmount(floor) }))
  if (refused === 'montant_non_eligible')
    return wrong(
      say(
        ['{sum} sont disponibles : demandez cette somme au plus.', '{sum} are available: request that much at most.'],
        { sum: writeAmount(available) },
      ),
    )
  return []
}

/** The note of a refusal that is not about the amount. */
function refusedNote(request: Request, { destination }: AskFacts, { refused }: AskTyped): Html {
  const { say, language } = request
  const text = () => {
    switch (refused) {
      case 'destination_introuvable':
      case 'destination_non_designee':
        return say([
          'La destination de vos reversements a changé entre-temps. Rien n’est demandé. Vérifiez-la, puis recommencez.',
          'The destination of your settlements has changed meanwhile. Nothing was requested. Check it, then start again.',
        ])
      case 'destination_trop_recente':
        return destination === null
          ? null
          : say(
              [
                'Rien n’est demandé : la destination sert à partir du {when}.',
                'Nothing was requested: the destination can be used from {when}.',
              ],
              { when: writeDate(destination.serves_from, language) },
            )
      case 'merchant_inactive':
        return inactive(request)
      case 'idempotency_key_reused':
        return say([
          'Ce formulaire a déjà servi à une demande d’un autre montant : regardez la liste. Rien de plus n’est demandé.',
          'This form has already requested another amount: look at the list. Nothing more was requested.',
        ])
      case 'idempotency_in_progress':
        return say([
          'Cette demande est déjà en route. Attendez un instant, puis regardez la liste.',
          'This request is already being processed. Wait a moment, then look at the list.',
        ])
      default:
        return null
    }
  }
  const said = text()
  return html`${said !== null && html`<div role="alert">${note('bad', null, said)}</div>`}`
}

/** The step-up about the amount and the designated destination. */
export function askConfirmation(request: Request, amount: number, destination: AskDestination): Confirmation {
  const { say, at, language } = request
  const title = say(['Demander un reversement', 'Request a settlement'])
  const { id, name, operator, last4, designated_at } = destination
  return {
    kind: 'confirm',
    subject: id,
    content: { amount, beneficiary_id: id, name, operator, last4, designated_at: designated_at.toISOString() },
    title,
    back: at('/settlements'),
    shown: html`<h1><span class="sr">${title}${say([' : ', ': '])}</span>${drawAmount(amount)}</h1>${rows([
      { name: say(['Vers', 'To']), value: destinationTitle(request, destination) },
      { name: say(['Au nom de', 'Holder']), value: name },
      { name: say(['Désignée', 'Designated']), value: writeDate(designated_at, language) },
      {
        name: say(['Pris sur le solde disponible', 'Taken from the available balance']),
        value: writeAmount(amount),
        all: true,
      },
    ])}`,
  }
}
