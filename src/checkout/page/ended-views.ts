import { type Html, html } from '../../platform/http/html.ts'
import { askForm } from './ask-form.ts'
import { smallBill, wholeBill } from './bill.ts'
import type { LinkFacts, PageRefusal, SessionFacts, ViewContext } from './facts.ts'
import { type IconName, icon } from './icons.ts'
import { sayOutOfBounds } from './refusals.ts'
import { sayFailure, sayIn } from './say.ts'
import { formAddress } from './write-frame.ts'

/** A page with its title, for a situation that does not wait. */
export type Told = { title: string; main: Html }

/** The page after a failure: the cause, the assurance that no money was taken, and the form to try again. */
export function failedView(facts: SessionFacts, context: ViewContext): Told {
  const say = sayIn(context.language)
  const code = facts.attempt?.failure_code ?? null
  const why = code === null ? say('lapsed') : sayFailure(context.language, code)
  const title = say('failed_title')
  const note = html`<div class="note bad"><h1 tabindex="-1">${title}</h1><p>${why}</p><p class="safe">${say('nothing_taken')}</p></div>`
  const again =
    facts.payable && facts.operators.length > 0
      ? html`<p class="lead">${say(context.other_number ? 'try_other' : 'try_again')}</p>${askForm(facts, context, facts.attempt)}`
      : html`<p class="lead">${say(facts.payable ? 'inactive_text' : 'expired_text', { merchant: facts.merchant_name })}</p>`
  return {
    title,
    main: html`<article class="slip">${smallBill(facts, context)}<section>${note}${again}</section></article>`,
  }
}

/** The page before the first attempt. */
export function askView(facts: SessionFacts | LinkFacts, context: ViewContext): Told {
  const say = sayIn(context.language)
  const merchant = facts.merchant_name
  const title = say('title_pay', { merchant })
  // An open session cannot be paid when the merchant's account cannot collect, or when there is no operator.
  const excluded = sayOutOfBounds(facts, context.language)
  if (facts.payable && facts.operators.length === 0 && excluded !== null) {
    const more = html`<p class="after">${excluded}</p>`
    return plain(facts, context, 'shut', say('amount_title'), say('inactive_text', { merchant }), more)
  }
  if (!facts.payable || facts.operators.length === 0) return inactiveView(facts, context)
  const main = html`<article class="slip">${wholeBill(facts, context)}<section>${askForm(facts, context)}</section></article>`
  return { title, main }
}

export function inactiveView(facts: SessionFacts | LinkFacts, context: ViewContext): Told {
  const say = sayIn(context.language)
  const merchant = facts.merchant_name
  return plain(facts, context, 'shut', say('inactive_title', { merchant }), say('inactive_text', { merchant }))
}

/** The session's time is over. The page says that failed attempts took nothing. */
export function expiredView(facts: SessionFacts, context: ViewContext): Told {
  const say = sayIn(context.language)
  const text = say('expired_text', { merchant: facts.merchant_name })
  return plain(facts, context, 'clock', say('expired_title'), `${say('nothing_taken')} ${text}`)
}

export function closedView(facts: SessionFacts, context: ViewContext): Told {
  const say = sayIn(context.language)
  return plain(facts, context, 'shut', say('closed_title'), say('closed_text'))
}

export function unavailableView(facts: LinkFacts, context: ViewContext): Told {
  const say = sayIn(context.language)
  return plain(facts, context, 'shut', say('link_title'), say('link_text', { merchant: facts.merchant_name }))
}

/** The page of a link that is paid once, and of its sessions, while another payer is paying it. */
export function busyView(facts: SessionFacts | LinkFacts, context: ViewContext): Told {
  const say = sayIn(context.language)
  const here = formAddress(facts.address, context, facts.kind === 'link' ? facts.in_address : undefined)
  const look = html`<p class="after"><a class="tap" href="${here}">${say('refresh')}</a></p>`
  return plain(facts, context, 'clock', say('busy_link_title'), say('busy_link_text'), look)
}

function plain(
  facts: SessionFacts | LinkFacts,
  context: ViewContext,
  drawing: IconName,
  title: string,
  text: string,
  more: Html | null = null,
): Told {
  const head = html`${icon(drawing)}<h1 tabindex="-1">${title}</h1><p class="lead">${text}</p>`
  const main = html`<article class="slip">${smallBill(facts, context)}<section class="care">${head}${more}</section></article>`
  return { title, main }
}

/** Refusals that have no other page: the drawing, the sentences, and whether a refresh can help. */
const bare = {
  resource_not_found: ['look', 'not_found_title', 'not_found_text', false],
  method_not_allowed: ['look', 'not_found_title', 'not_found_text', false],
  lien_indisponible: ['shut', 'link_title', 'link_bare_text', false],
  session_expired: ['clock', 'expired_title', 'expired_bare_text', false],
  session_closed: ['shut', 'closed_title', 'closed_text', false],
  too_many_attempts: ['hand', 'too_many_title', 'too_many_text', true],
  rate_limit_exceeded: ['hand', 'busy_title', 'busy_text', true],
  merchant_inactive: ['shut', 'closed_title', 'link_bare_text', false],
  payment_failed: ['failed', 'fault_title', 'fault_text', true],
  bornes_illisibles: ['failed', 'fault_title', 'bounds_text', false],
  idempotency_in_progress: ['clock', 'stale_title', 'stale_text', true],
  invalid_request: ['back', 'stale_title', 'stale_text', true],
  invalid_msisdn: ['back', 'error_title', 'error_number', true],
  invalid_operator: ['back', 'error_title', 'error_operator', true],
  invalid_amount: ['back', 'error_title', 'error_amount', true],
  amount_too_small: ['back', 'error_title', 'error_amount', true],
  amount_too_large: ['back', 'error_title', 'error_amount', true],
  amount_above_limit: ['back', 'error_title', 'error_above_limit', true],
} as const satisfies Record<PageRefusal, readonly [IconName, string, string, boolean]>

/** The seller wrote the address, so only they can correct it. */
const wrongAddress = ['shut', 'address_title', 'address_text', false] as const

/** The page of a refusal alone. It shows the id that finds the request in our logs, and no facts. */
export function refusedView(code: PageRefusal, context: ViewContext): Told {
  const say = sayIn(context.language)
  const [drawing, titleName, textName, again] = context.wrong_address ? wrongAddress : bare[code]
  const title = say(titleName)
  const look =
    again &&
    html`<p class="acts"><a class="button" href="${context.in_language[context.language]}">${say('open_again')}</a></p>`
  const head = html`${icon(drawing)}<h1 tabindex="-1">${title}</h1><p class="lead">${say(textName)}</p>`
  const number = html`<p class="after">${say('request_id', { id: context.request_id })}</p>`
  const main = html`<article class="slip"><section class="care">${head}${look}${number}</section></article>`
  return { title, main }
}
