import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount } from '../../platform/http/pages/write-values.ts'
import type { SimulatorOrder, ViewContext } from './facts.ts'
import { icon } from './icons.ts'
import { sayIn } from './say.ts'

/** Replaces an operator's app in test mode: the payer approves or declines, and goes back to the page. */
export function simulatorView(
  { reference, amount, answered }: SimulatorOrder,
  { language }: ViewContext,
): { title: string; main: Html } {
  const say = sayIn(language)
  const title = say('sim_title')
  const choice = html`<form method="post" action="/simulator/${reference}?lang=${language}" class="acts"><button name="answer" value="yes">${say('sim_yes')}</button><button name="answer" value="no" class="button second">${say('sim_no')}</button></form>`
  const said = html`<div class="note"><p>${say('sim_answered')}</p></div>`
  const main = html`<article class="slip"><div>${icon('phone')}<h1 tabindex="-1">${title} ${drawAmount(amount)}</h1><p class="lead">${say('sim_text')}</p></div><section>${answered ? said : choice}<p class="after"><a class="tap" href="/return/${reference}">${say('sim_back')}</a></p></section></article>`
  return { title, main }
}
