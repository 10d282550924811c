import { type Html, html } from '../../platform/http/html.ts'
import type { Verification, ViewContext } from './facts.ts'
import { type IconName, icon } from './icons.ts'
import { receiptRows } from './receipt-view.ts'
import { sayIn } from './say.ts'

type Valid = Extract<Verification, { valid: true }>

/** The public check of a receipt: a field for its text, and the result of the last check. */
export function verifyView(
  verification: Verification | null,
  asked: string,
  context: ViewContext,
): { title: string; main: Html } {
  const say = sayIn(context.language)
  if (verification === null) {
    const title = say('verify_title')
    const head = html`${icon('look')}<h1 tabindex="-1">${title}</h1><p class="lead">${say('verify_text')}</p>`
    const main = html`<article class="slip"><section>${head}${form(asked, context)}</section></article>`
    return { title, main }
  }
  const another = html`<section><h2>${say('verify_another')}</h2>${form('', context)}</section>`
  const { title, main } = verification.valid ? genuine(verification, context) : notGenuine(context)
  return { title, main: html`<article class="slip">${main}${another}</article>` }
}

/** A form with GET: a receipt's text holds no secret, so the address may contain it. */
function form(asked: string, { language }: ViewContext): Html {
  const say = sayIn(language)
  const label = html`<label for="receipt">${say('verify_label')}</label>`
  const limits = html` maxlength="2000" spellcheck="false" autocapitalize="off" autocomplete="off" required`
  const field = html`<div class="field">${label}<textarea id="receipt" name="receipt"${limits}>${asked}</textarea></div>`
  const content = html`<input type="hidden" name="lang" value="${language}">${field}<button>${say('verify_button')}</button>`
  return html`<form method="get" action="/verify" class="acts">${content}</form>`
}

/** The result for a genuine receipt. A refund or test mode is in its heading. */
function genuine({ claim, status }: Valid, context: ViewContext): { title: string; main: Html } {
  const say = sayIn(context.language)
  const back = { succeeded: null, refunded: 'verify_refunded', partially_refunded: 'verify_part_refunded' } as const
  const name = claim.livemode ? back[status] : 'verify_test'
  const [title, drawing, tone]: [string, IconName, string | null] =
    name === null ? [say('verify_valid'), 'done', null] : [say(name), 'hand', 'care']
  const head = html`${icon(drawing)}<h1 tabindex="-1">${title}</h1><p class="lead">${say('verify_valid_text')}</p>`
  const lines = receiptRows(claim, context, { status })
  const main = html`<section${tone !== null && html` class="${tone}"`}>${head}${lines}</section>`
  return { title, main }
}

function notGenuine({ language }: ViewContext): { title: string; main: Html } {
  const say = sayIn(language)
  const title = say('verify_invalid')
  const head = html`${icon('failed')}<h1 tabindex="-1">${title}</h1><p class="lead">${say('verify_invalid_text')}</p>`
  const main = html`<section class="bad">${head}</section>`
  return { title, main }
}
