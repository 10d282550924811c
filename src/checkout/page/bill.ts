import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount } from '../../platform/http/pages/write-values.ts'
import type { LinkFacts, Price, SessionFacts, ViewContext } from './facts.ts'
import { sayIn } from './say.ts'

/**
 * The head of the page where a payer decides: the merchant, the amount and the order. When the payer bears a fee, the
 * large figure is the sum to be collected, and the rows below give its parts.
 */
export function wholeBill(facts: SessionFacts | LinkFacts, context: ViewContext): Html {
  const say = sayIn(context.language)
  const price = priceOf(facts)
  const sum = price !== null && html` ${drawAmount(price.amount_collected)}`
  const title = html`<span class="to">${say('to')}</span> <span class="who">${facts.merchant_name}</span>${sum}`
  return html`<header class="bill">${logoOf(facts)}<h1 tabindex="-1">${title}</h1>
${orderOf(facts, context)}${price !== null && rowsOf(price, context)}</header>`
}

/** The short form of the bill, above the payer's next step, which is then the heading. */
export function smallBill(facts: SessionFacts | LinkFacts, context: ViewContext): Html {
  const price = priceOf(facts)
  const sum = price !== null && html` ${drawAmount(price.amount_collected)}`
  const title = html`<p><span class="who">${facts.merchant_name}</span>${sum}</p>`
  return html`<div class="bill small">${logoOf(facts)}${title}${orderOf(facts, context)}</div>`
}

/** Characters of a description that the page shows at once: three lines on the smallest phone. */
const SHORT_MAX = 90

/** The merchant's description of the order. A long one shows its first lines, and the rest after a tap. */
function orderOf({ description, reference }: SessionFacts | LinkFacts, { language }: ViewContext): Html {
  const say = sayIn(language)
  const named = reference !== null && html`<p class="for">${say('order_reference', { reference })}</p>`
  if (description === null) return html`${named}`
  if (description.length <= SHORT_MAX && !description.includes('\n'))
    return html`<p class="for">${description}</p>${named}`
  const more = html`<span class="more">${say('read_all')}</span>`
  return html`<details class="for"><summary><span class="clip">${description}</span> ${more}</summary></details>${named}`
}

/** The merchant's picture. Screen readers skip it, because the name stands beside it. */
export function logoOf({ merchant_logo }: SessionFacts | LinkFacts): Html | null {
  return merchant_logo == null ? null : html`<img class="logo" src="${merchant_logo}" alt="">`
}

/** The price of a session, or that of a link with a fixed amount. */
export function priceOf(facts: SessionFacts | LinkFacts): Price | null {
  return facts.kind === 'session' ? facts : facts.price
}

function rowsOf({ amount, fee_amount, amount_collected }: Price, { language }: ViewContext): Html | null {
  if (fee_amount === 0) return null
  const say = sayIn(language)
  const lines = [
    html`<div><dt>${say('amount')}</dt><dd>${writeAmount(amount)}</dd></div>`,
    html`<div class="fee"><dt>${say('fee')}</dt><dd>${writeAmount(fee_amount)}</dd></div>`,
    html`<div class="all"><dt>${say('total')}</dt><dd>${writeAmount(amount_collected)}</dd></div>`,
  ]
  return html`<dl class="rows">${lines}</dl>\n`
}
