import { refusalOf } from '../../acts/act.ts'
import { proposeDestination } from '../../beneficiaries/propose-destination.ts'
import { linkButton, panel } from '../../console/components.ts'
import { choices, type FieldError, field, form, select } from '../../console/forms.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import { numberFields, type TypedNumber } from '../number-fields.ts'
import { destinationWords } from '../settlements/ask-view.ts'
import type { DestinationFacts, Withdrawable } from './destination-facts.ts'

type Request = ScreenRequest<'console'>

/** The form of a proposal as typed. `to`: `iban`, `wallet`, or the id of a destination of the book. */
export type TypedProposal = TypedNumber & { readonly to: string; readonly iban: string; readonly holder: string }

export const nothingTyped: TypedProposal = { to: 'iban', iban: '', msisdn: '', operator: '', holder: '' }

export type Shown = {
  readonly typed?: TypedProposal
  readonly errors?: readonly FieldError[]
  /** The refusal of the operation, in a sentence. */
  readonly refused?: string
  readonly now: Date
}

/** The form of a proposal, or the reason why the page has none. */
export function proposePart(request: Request, facts: DestinationFacts, shown: Shown): Html {
  const { say, can, at } = request
  const title =
    facts.designated === null
      ? say(['Proposer une destination', 'Propose a destination'])
      : say(['Proposer une autre destination', 'Propose another destination'])
  if (!can('destination.propose'))
    return panel(
      title,
      html`<p class="soft">${say(['Un propriétaire ou un comptable propose.', 'An owner or an accountant proposes.'])}</p>`,
    )
  if (facts.waiting !== null) {
    const waits = say([
      'Une proposition attend déjà. Elle est décidée ou retirée d’abord.',
      'A proposal waits already. It is decided or withdrawn first.',
    ])
    return panel(title, html`<p class="soft">${waits}</p>`)
  }
  if (!facts.has_second && !facts.is_owner) {
    const team = linkButton(at('/team'), say(['Équipe', 'Team']), 'second')
    const words = say(refusalOf(proposeDestination, 'no_second').words)
    return panel(title, html`<p>${words}</p><p class="acts">${team}</p>`)
  }
  const { typed = nothingTyped, errors = [] } = shown
  const accounts = [
    { value: 'iban', label: say(['Un compte bancaire', 'A bank account']) },
    { value: 'wallet', label: say(['Un numéro mobile', 'A mobile number']) },
    ...facts.known.map((one) => ({ value: one.id, label: `${destinationWords(request, one)}, ${one.name}` })),
  ]
  const { withdrawable, designated, cooling_hours } = facts
  const first = withdrawable !== null && withdrawFirst(request, withdrawable)
  const stops = designated !== null && html`<p>${say(nothingLeaves, { hours: cooling_hours })}</p>`
  const called = !facts.has_second && html`<p>${say(companyCalls)}</p>`
  const iban = field(
    {
      name: 'iban',
      label: say(['IBAN', 'IBAN']),
      hint: say(['D’un compte bancaire. Il commence par CI.', 'Of a bank account. It begins with CI.']),
      value: typed.iban,
      more: { maxlength: '64', autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false' },
    },
    errors,
  )
  const wallet = numberFields(
    say,
    typed,
    {
      hint: say(['D’un numéro mobile, avec son opérateur.', 'Of a mobile number, with its operator.']),
      none: say(['Aucun', 'None']),
    },
    errors,
  )
  const holder = field(
    {
      name: 'holder',
      label: say(['Au nom de', 'Holder']),
      hint: say(['Tel que la banque ou l’opérateur l’écrit.', 'As the bank or the operator writes it.']),
      value: typed.holder,
      more: { maxlength: '200', autocomplete: 'off' },
    },
    errors,
  )
  const to = select({ name: 'to', label: say(['Vers', 'To']), value: typed.to, choices: accounts }, errors)
  // The style shows the fields of the chosen account alone.
  const account = html`<div data-for="iban">${iban}</div><div class="stack" data-for="wallet">${wallet}</div>`
  const button = html`<button class="second">${say(['Proposer', 'Propose'])}</button>`
  const content = html`${called}${to}${account}${holder}${stops}${first}${button}`
  return panel(title, form(request, at('/destination'), content))
}

const companyCalls: Words = [
  'Un autre compte : nous vous rappelons au numéro de votre contrat, puis deux personnes du service confirment.',
  'Another account: we call you back at the number of your contract, then two people of the service confirm.',
]

const nothingLeaves = [
  'Une seule destination sert à la fois. Dès que la nouvelle est confirmée, l’ancienne ne sert plus, et rien ne se retire pendant {hours} h.',
  'One destination serves at a time. Once the new one is confirmed, the former one serves no more, and nothing can be withdrawn for {hours} h.',
] as const

/** Offers to withdraw what is available to the present destination in the same act. */
function withdrawFirst(request: Request, { available, destination }: Withdrawable): Html {
  const { say, fields } = request
  const fillings = { sum: writeAmount(available), to: destinationWords(request, destination) }
  return choices({
    name: 'withdraw',
    legend: say(['Avant le changement', 'Before the change']),
    kind: 'checkbox',
    chosen: fields.all('withdraw'),
    choices: [
      {
        value: String(available),
        label: say(['Retirer d’abord {sum} vers {to}', 'Withdraw {sum} to {to} first'], fillings),
        hint: say(['La demande part avec celle-ci.', 'The request leaves with this one.']),
      },
    ],
  })
}
