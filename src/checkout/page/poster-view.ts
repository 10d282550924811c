import { type Html, html } from '../../platform/http/html.ts'
import { drawQr } from '../../platform/http/pages/draw-qr.ts'
import { drawAmount, writeAmount } from '../../platform/http/pages/write-values.ts'
import { operatorNames } from '../../values/operators.ts'
import { logoOf } from './bill.ts'
import type { LinkFacts, ViewContext } from './facts.ts'
import { sayIn } from './say.ts'

/** An A6 sheet for a counter: the merchant, the amount or its bounds, the address as a QR code and as text, and the operators. */
export function posterView(facts: LinkFacts, { language }: ViewContext): { title: string; main: Html } {
  const say = sayIn(language)
  const merchant = facts.merchant_name
  const names = facts.operators.map((operator) => html`<li class="${operator}">${operatorNames[operator]}</li>`)
  const { min_amount, max_amount } = facts
  const bounds =
    min_amount === null || max_amount === null
      ? null
      : say('poster_bounds', { min: writeAmount(min_amount), max: writeAmount(max_amount) })
  const price = facts.price === null ? say('poster_any') : drawAmount(facts.price.amount_collected)
  const address = html`${say('poster_address')} <span>${facts.url.replace(/^https:\/\//, '')}</span>`
  const parts = [
    html`${logoOf(facts)}<h1${merchant.length > 40 && html` class="long"`}>${merchant}</h1>`,
    facts.description !== null && html`<p class="for">${facts.description}</p>`,
    html`<p class="price">${price}${bounds !== null && html`<small>${bounds}</small>`}</p>`,
    drawQr(facts.url, say('poster_qr', { merchant })),
    html`<div><p class="scan">${say('poster_pay')}</p><p class="address">${address}</p></div>`,
    html`<ul class="operators">${names}</ul>`,
  ]
  const print = html`<button type="button" data-print hidden>${say('poster_print')}</button>`
  const below = html`<p class="acts">${print}<span>${say('poster_size')}</span></p>`
  const main = html`<article class="sheet">${parts}</article>${below}`
  return { title: merchant, main }
}
