import { actFields } from '../../console/acts/act-fields.ts'
import { backLink, note, pageHead, panel, rows } from '../../console/components.ts'
import { errorList, type FieldError, form } from '../../console/forms.ts'
import { sayWords } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { feeFields, momentInWords } from '../../merchants/fee-fields.ts'
import { type FeeTerms, feeInWords, feeServiceWords } from '../../merchants/fee-words.ts'
import type { FeeService } from '../../merchants/fees.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { FeeCost } from './fee-cost.ts'
import type { FeesOf } from './merchant-facts.ts'
import { feeRows } from './term-rows.ts'

type Request = ScreenRequest<'desk'>

/** The page of a merchant's fees, with the form of new ones for finance. */
export function feesView(
  request: Request,
  facts: { merchant_id: number; name: string; fees: readonly FeesOf[]; errors: readonly FieldError[] },
): ScreenView {
  const { say, at, can } = request
  const { merchant_id, name, fees, errors } = facts
  const title = say(['Frais', 'Fees'])
  const lead = say(
    [
      '{name} · les frais valent dans les deux modes, réel et test.',
      '{name} · fees hold in both modes, real and test.',
    ],
    { name },
  )
  const inForce = panel(say(['En vigueur et à venir', 'In force and planned']), rows(feeRows(request, fees)))
  const setting = can('fees.manage')
    ? panel(say(['Nouveaux frais', 'New fees']), feeForm(request, merchant_id, errors))
    : note('plain', null, say(['La finance change les frais.', 'Finance changes the fees.']))
  const head = html`${backLink(at(`/merchants/${merchant_id}`), name)}${pageHead({ title, lead })}`
  const main = html`${head}${errorList(say, errors)}<div class="two flip">${inForce}${setting}</div>`
  return {
    kind: 'view',
    status: errors.length > 0 ? 422 : 200,
    title: `${title} · ${name}`,
    main,
    facts: { merchant_id, merchant: name, fees, errors },
  }
}

function feeForm(request: Request, merchant_id: number, errors: readonly FieldError[]): Html {
  const { say, at } = request
  const content = html`${actFields(request, feeFields, errors)}
<button class="wide">${say(['Voir ce que cela change', 'See the effect'])}</button>`
  return form(request, at(`/merchants/${merchant_id}/fees`), content)
}

/** The fees as a person signs them. */
export type SignedFees = {
  readonly merchant: { readonly name: string }
  readonly service: FeeService
  readonly fees: FeeTerms
  readonly today: FeeTerms | 'none'
  /** A moment, or `now`. */
  readonly from: string
}

/** The summary in the step-up: the new fees, and the last whole month under them and under those in force. */
export function wantedFees(
  { say, language, livemode }: Request,
  { name, service, fees, today, from: moment, cost }: SignedFees & { name: string; cost: FeeCost },
): Html {
  const from =
    moment === 'now'
      ? say(['dès maintenant', 'from now on'])
      : say(['dès le {at}', 'from {at}'], { at: sayWords(say, momentInWords(moment)) })
  const months = new Intl.DateTimeFormat(language === 'fr' ? 'fr-FR' : 'en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  const counted = {
    n: cost.operations,
    month: months.format(cost.month),
    sum: writeAmount(cost.amount),
    mode: livemode ? say(['en argent réel', 'in real money']) : say(['en test', 'in test mode']),
  }
  const basis = say(
    ['Opérations réussies en {month}, {mode} : {n}, {sum}.', 'Successful operations of {month}, {mode}: {n}, {sum}.'],
    counted,
  )
  const more = cost.whole ? '' : say([' Il y en a plus.', ' There are more.'])
  const facts = [
    { name: say(['Frais en vigueur', 'Fees in force']), value: writeAmount(cost.in_force) },
    { name: say(['Nouveaux frais', 'New fees']), value: writeAmount(cost.wanted) },
    { name: say(['Différence', 'Difference']), value: writeDifference(cost.wanted - cost.in_force), all: true },
  ]
  const ofService = say(feeServiceWords[service]).toLowerCase()
  const before = say(['Aujourd’hui : {fees}', 'Today: {fees}'], {
    fees: sayWords(say, feeInWords(today === 'none' ? null : today)),
  })
  return html`<h1>${sayWords(say, feeInWords(fees))}</h1><p class="say">${name}, ${ofService}, ${from}.</p>
<p class="soft">${before}</p><p>${basis}${more}</p>${rows(facts)}`
}

function writeDifference(francs: number): string {
  const amount = writeAmount(Math.abs(francs))
  if (francs > 0) return `+${amount}`
  return francs < 0 ? `−${amount}` : amount
}
