import { backLink, note, pageHead, panel, rows } from '../../console/components.ts'
import { errorList, type FieldError, field, form, select } from '../../console/forms.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import type { FeeSchedule } from '../../merchants/fees.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeDay } from '../../platform/http/pages/write-values.ts'
import type { FeeCost } from './fee-cost.ts'
import type { WantedFees } from './fee-form.ts'
import { feeInWords, feeServices, feeServiceWords } from './fee-words.ts'
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
  const main = html`${backLink(at(`/merchants/${merchant_id}`), name)}${pageHead({ title, lead })}${errorList(say, errors)}<div class="two flip">${inForce}${setting}</div>`
  return {
    kind: 'view',
    status: errors.length > 0 ? 422 : 200,
    title: `${title} · ${name}`,
    main,
    facts: { merchant_id, merchant: name, fees, errors },
  }
}

function feeForm(request: Request, merchant_id: number, errors: readonly FieldError[]): Html {
  const { say, at, fields } = request
  const typed = (name: string) => fields.text(name)
  const numeric = { inputmode: 'decimal', autocomplete: 'off' }
  const sum = (name: string, label: string, hint?: string) =>
    field({ name, label, value: typed(name), more: numeric, ...(hint === undefined ? {} : { hint }) }, errors)
  const content = html`${select({ name: 'service', label: say(['Sur', 'On']), value: typed('service'), choices: feeServices.map((value) => ({ value, label: say(feeServiceWords[value]) })) }, errors)}
${sum('percent', say(['Pourcentage', 'Percentage']), say(['Comme 1,75. Écrivez 0 s’il n’y en a pas.', 'Such as 1.75. Write 0 for none.']))}
${sum('fixed', say(['Somme fixe en plus, F CFA', 'Fixed amount added, F CFA']))}
${sum('minimum', say(['Au moins, F CFA', 'At least, F CFA']))}
${sum('maximum', say(['Au plus, F CFA', 'At most, F CFA']), say(['Vide : sans limite.', 'Empty: no limit.']))}
${select(
  {
    name: 'bearer',
    label: say(['Qui le paie', 'Paid by']),
    hint: say(['Les frais d’un envoi viennent toujours en plus.', 'The fee of a payout is always added.']),
    value: typed('bearer'),
    choices: [
      { value: 'merchant', label: say(['Le marchand', 'The merchant']) },
      { value: 'payer', label: say(['Le payeur', 'The payer']) },
    ],
  },
  errors,
)}
${field({ name: 'from', type: 'date', label: say(['Dès le', 'From']), hint: say(['Vide : tout de suite. Un paiement garde les frais du moment où il est demandé.', 'Empty: at once. A payment keeps the fees of the moment at which it is asked for.']), value: typed('from') }, errors)}
<button class="wide">${say(['Voir ce que cela change', 'See the effect'])}</button>`
  return form(request, at(`/merchants/${merchant_id}/fees`), content)
}

/** The summary in the step-up: the new fees, and the last whole month under them and under those in force. */
export function wantedFees(
  { say, language, livemode }: Request,
  { name, wanted, in_force, cost }: { name: string; wanted: WantedFees; in_force: FeeSchedule | null; cost: FeeCost },
): Html {
  const from =
    wanted.effective_from instanceof Date
      ? say(['dès le {at}', 'from {at}'], { at: writeDay(wanted.effective_from, language) })
      : say(['dès maintenant', 'from now on'])
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
  const difference = cost.wanted - cost.in_force
  const facts = [
    { name: say(['Frais en vigueur', 'Fees in force']), value: writeAmount(cost.in_force) },
    { name: say(['Nouveaux frais', 'New fees']), value: writeAmount(cost.wanted) },
    {
      name: say(['Différence', 'Difference']),
      value: `${difference > 0 ? '+' : difference < 0 ? '−' : ''}${writeAmount(Math.abs(difference))}`,
      all: true,
    },
  ]
  return html`<h1>${feeInWords(wanted, say)}</h1><p class="say">${name}, ${say(feeServiceWords[wanted.service]).toLowerCase()}, ${from}.</p>
<p class="soft">${say(['Aujourd’hui : {fees}', 'Today: {fees}'], { fees: feeInWords(in_force, say) })}</p><p>${basis}${more}</p>${rows(facts)}`
}
