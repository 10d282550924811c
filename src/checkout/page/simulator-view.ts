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
  const yes = html`<button name="answer" value="yes">${say('sim_yes')}</button>`
  const no = html`<button name="answer" value="no" class="button second">${say('sim_no')}</button>`
  const choice = html`<form method="post" action="/simulator/${reference}?lang=${language}" class="acts">${yes}${no}</form>`
  const said = html`<div class="note"><p>${say('sim_answered')}</p></div>`
  const named = html`<h1 tabindex="-1">${title} ${drawAmount(amount)}</h1><p class="lead">${say('sim_text')}</p>`
  const back = html`<p class="after"><a class="tap" href="/return/${reference}">${say('sim_back')}</a></p>`
  const next = html`<section>${answered ? said : choice}${back}</section>`
  const main = html`<article class="slip"><div>${icon('phone')}${named}</div>${next}</article>`
  return { title, main }
}
