import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeNumber, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { showEnd } from '../../values/msisdn.ts'
import { operatorNames } from '../../values/operators.ts'
import { type InAddress, nothingInAddress } from '../link-address.ts'
import { priceOf } from './bill.ts'
import type { AttemptFacts, LinkFacts, SessionFacts, ViewContext } from './facts.ts'
import { type Field, refusedAbove, refusedField, sayOutOfBounds } from './refusals.ts'
import { sayIn } from './say.ts'
import { formAddress } from './write-frame.ts'

type Facts = SessionFacts | LinkFacts
type Refused = { field: Field; sentence: string } | null

/**
 * The form by which a payer pays: an amount where it is free, the number, the operator. It works as plain HTML; the
 * script proposes the operator while the number is typed. `novalidate`, because our sentences are clearer than a
 * browser's, are in the page's language, and stand beside their field.
 * @param failed the attempt that has failed before: its number, of which only the end is shown, and its operator stand in
 * the form, unless the payer has said that the number was wrong
 */
export function askForm(facts: Facts, context: ViewContext, failed: AttemptFacts | null = null): Html {
  const again = context.other_number ? null : failed
  const refused = refusedField(facts, context)
  const free = facts.kind === 'link' && facts.price === null
  const amountAlone = facts.kind === 'link' && facts.fee_on_top && free
  const asked = { amount: free, msisdn: !amountAlone, operator: !amountAlone, code: false }
  // The refused field may be fixed here, such as the amount of a session: then the form says so above its fields.
  const elsewhere = refused === null || asked[refused.field] ? null : refused
  const above =
    elsewhere === null
      ? refusedAbove(context)
      : { title: sayIn(context.language)('failed_title'), text: elsewhere.sentence }
  const fields = [
    !amountAlone && html`<input type="hidden" name="fee" value="${priceOf(facts)?.fee_amount ?? 0}">\n`,
    again !== null && html`<input type="hidden" name="retry" value="${again.payment_id}">\n`,
    above !== null && html`<div class="note bad" role="alert"><h2>${above.title}</h2><p>${above.text}</p></div>\n`,
    free && amountField(facts, context, refused),
    !amountAlone && numberField(context, refused, again),
    !amountAlone && operatorField(facts, context, refused, again),
  ]
  return html`<form method="post" action="${formAddress(facts.address, context, inAddress(facts))}" class="acts" novalidate>
<input type="hidden" name="nonce" value="${facts.nonce}">
${fields}${button(facts, context, failed !== null)}
</form>${until(facts, context)}`
}

/** The fields in the address of a link's page; a session has them already. */
function inAddress(facts: Facts): InAddress {
  return facts.kind === 'link' ? facts.in_address : nothingInAddress
}

function until({ expires_at }: Facts, { language }: ViewContext): Html | null {
  if (expires_at === null) return null
  return html`<p class="after">${sayIn(language)('until', { date: writeShortDate(new Date(expires_at), language) })}</p>`
}

function button(facts: Facts, { language }: ViewContext, again: boolean): Html {
  const say = sayIn(language)
  const price = priceOf(facts)
  if (facts.kind === 'link' && facts.fee_on_top && price === null) {
    return html`<button>${say('continue')}</button><p class="after">${say('fee_is_added')}</p>`
  }
  if (price === null) {
    // The script fills in the typed number.
    const filled = say('pay', { amount: '{amount}' })
    return html`<button data-pay="${filled}">${say('pay_free')}</button><p class="after">${say('what_next')}</p>`
  }
  const amount = writeAmount(price.amount_collected)
  return html`<button>${again ? say('retry', { amount }) : say('pay', { amount })}</button><p class="after">${say('what_next')}</p>`
}

/** The attributes that link a field to its hint and its error, and mark it as wrong. */
function tied(field: Field, refused: Refused): Html {
  const wrong = refused?.field === field
  return html` aria-describedby="${wrong ? `${field}-error ` : ''}${field}-hint"${wrong && html` aria-invalid="true" autofocus`}`
}

function errorAt(field: Field, refused: Refused): Html | false {
  return refused?.field === field && html`<p class="error" id="${field}-error">${refused.sentence}</p>`
}

function amountField({ min_amount, max_amount }: LinkFacts, { language, typed }: ViewContext, refused: Refused): Html {
  const say = sayIn(language)
  const [min, max] = [writeAmount(min_amount ?? 1), max_amount === null ? null : writeAmount(max_amount)]
  const bounds = max === null ? say('free_min', { min }) : say('free_bounds', { min, max })
  const label = html`<label for="amount">${say('free_amount')}</label><p class="hint" id="amount-hint">${bounds}</p>`
  const kind = html` type="text" inputmode="numeric" autocomplete="off"`
  const attributes = html` id="amount" name="amount" value="${typed.amount}" maxlength="40" required${tied('amount', refused)}`
  return html`<div class="field">${label}${errorAt('amount', refused)}<input${kind}${attributes}></div>
`
}

function numberField({ language, typed }: ViewContext, refused: Refused, again: AttemptFacts | null): Html {
  const say = sayIn(language)
  const end = again?.msisdn_end ?? null
  const number = writeNumber(typed.msisdn ?? '') || (end === null ? '' : showEnd(end))
  const hint = end === null ? say('number_hint') : say('number_kept')
  const label = html`<label for="msisdn">${say('number')}</label><p class="hint" id="msisdn-hint">${hint}</p>`
  const kind = html` type="tel" inputmode="tel" autocomplete="tel-national"`
  const attributes = html` id="msisdn" name="msisdn" value="${number}" maxlength="40" required${tied('msisdn', refused)}`
  return html`<div class="field">${label}${errorAt('msisdn', refused)}<input${kind}${attributes}></div>
`
}

function operatorField(
  facts: Facts,
  { language, typed }: ViewContext,
  refused: Refused,
  again: AttemptFacts | null,
): Html {
  const say = sayIn(language)
  const { operators, unavailable_operators, failing_operators } = facts
  // A free amount has its refusal at its own field.
  const excluded = priceOf(facts) === null ? null : sayOutOfBounds(facts, language)
  const amounts = excluded !== null && html`<p class="hint" id="operator-amounts">${excluded}</p>`
  // An operator that does not know the number is not selected again. Without a choice we predict the operator.
  const before = again?.failure_code === 'payer_not_found' ? null : again?.operator
  const chosen = typed.operator ?? before
  const choices = operators.map((operator) => {
    const checked = (chosen === operator || operators.length === 1) && html` checked`
    const input = html`<input type="radio" name="operator" value="${operator}"${checked}>`
    return html`<label>${input}<span class="${operator}">${operatorNames[operator]}</span></label>`
  })
  const names = unavailable_operators.map((operator) => operatorNames[operator]).join(', ')
  const down =
    names !== '' && html`<p class="error" id="operator-down">${say('operators_down', { operators: names })}</p>`
  // Shown by the style sheet for the operator that is chosen, and of all of them where a browser cannot tell.
  const failing = failing_operators.map(
    (operator) =>
      html`<p class="note care failing ${operator}">${say('operator_failing', { operator: operatorNames[operator] })}</p>`,
  )
  const described = [
    refused?.field === 'operator' && 'operator-error ',
    names !== '' && 'operator-down ',
    amounts && 'operator-amounts ',
    'operator-hint',
  ]
  const hint = html`${say('operator_hint')} <noscript>${say('operator_unchosen')}</noscript>`
  const parts = [
    html`<legend>${say('operator')}</legend>${errorAt('operator', refused)}${down}${amounts}`,
    html`<div class="choices">${choices}</div>${failing.length > 0 && html`<div role="status">${failing}</div>`}`,
    html`<p class="hint under" id="operator-hint">${hint}</p>`,
  ]
  return html`<fieldset class="field" aria-describedby="${described}">${parts}</fieldset>
`
}
