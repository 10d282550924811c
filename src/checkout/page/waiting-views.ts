import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import { operatorNames } from '../../values/operators.ts'
import { shortReference } from '../../values/short-reference.ts'
import { smallBill } from './bill.ts'
import type { SessionFacts, ViewContext } from './facts.ts'
import { type IconName, icon } from './icons.ts'
import { refusedAbove } from './refusals.ts'
import { type Say, sayIn } from './say.ts'
import { formAddress } from './write-frame.ts'

type Attempt = NonNullable<SessionFacts['attempt']>
/** A page while an attempt is with the operator. */
export type Waiting = { title: string; main: Html }

/** The values that each of these pages needs. */
function told(facts: SessionFacts, { language }: ViewContext) {
  const say = sayIn(language)
  const attempt: Attempt = facts.attempt!
  const operator = attempt.operator === null ? say('your_operator') : operatorNames[attempt.operator]
  const digits = attempt.msisdn_end ?? '··'
  return { say, attempt, operator, digits, amount: writeAmount(attempt.amount_collected) }
}

function slip(
  facts: SessionFacts,
  context: ViewContext,
  drawing: IconName,
  title: string,
  rest: Html,
  tone: 'care' | null = null,
): Waiting {
  const section = html`<section${tone !== null && html` class="${tone}"`}>${icon(drawing)}<h1 tabindex="-1">${title}</h1>${rest}</section>`
  const main = html`<article class="slip">${smallBill(facts, context)}${section}</article>`
  return { title, main }
}

/**
 * The note that the page waits, with a link to refresh it by hand. Without script it also has a link to stop or resume
 * refreshing. The page says that it updates itself only where it does: once the script runs, or in a `noscript` element.
 */
function wait(facts: SessionFacts, context: ViewContext, say: Say): Html {
  const here = formAddress(facts.address, context)
  const { still } = context
  const other = html`<a class="tap" href="${here}${!still && '&still=1'}">${still ? say('refresh_start') : say('refresh_stop')}</a>`
  const refresh = html`<a class="tap" href="${here}${still && '&still=1'}">${say('refresh')}</a>`
  const live = html`<p class="after"><span data-live hidden>${say('updates_itself')}</span> ${refresh}</p>`
  const noScript = html`<noscript><p class="after">${!still && say('updates_itself')} ${other}</p></noscript>`
  return html`<p class="wait" role="status">${say('waiting')}</p>${live}${noScript}`
}

/**
 * The link for a payer who typed a wrong number. A second number is impossible during an attempt, so the link only sets
 * `other=1` in the address, and the page explains the steps before the payer can type another number.
 */
function otherNumber(facts: SessionFacts, context: ViewContext): Html {
  const { say, digits } = told(facts, context)
  const { other_number, still } = context
  const turned = formAddress(facts.address, { ...context, other_number: !other_number })
  const link = html`<a class="tap" href="${turned}${still && '&still=1'}">${say(other_number ? 'other_keep' : 'wrong_number')}</a>`
  if (!other_number) return html`<p class="after">${link}</p>`
  const text = html`<h2>${say('other_title')}</h2><p>${say('other_text', { digits })}</p>`
  return html`<div class="note care" role="status">${text}<p class="after">${link}</p></div>`
}

export function startingView(facts: SessionFacts, context: ViewContext): Waiting {
  const { say } = told(facts, context)
  const rest = html`<p class="lead">${say('starting_text')}</p>${wait(facts, context, say)}`
  return slip(facts, context, 'clock', say('starting_title'), rest)
}

/** The payer approves a prompt on the phone. */
export function approveView(facts: SessionFacts, context: ViewContext): Waiting {
  const { say, attempt, operator, digits, amount } = told(facts, context)
  const code = attempt.next_action?.dial_code ?? null
  const steps = [say('approve_1', { operator, digits }), say('approve_2', { amount }), say('approve_3')]
  const lost = code !== null && html`<p class="after">${say('approve_lost')} ${dialLink(code, say, 'tap')}</p>`
  const list = html`<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>`
  const rest = html`${list}${lost}${otherNumber(facts, context)}${wait(facts, context, say)}`
  return slip(facts, context, 'phone', say('approve_title'), rest)
}

/** The payer dials a code to open the operator's menu, because no prompt comes by itself. */
export function dialView(facts: SessionFacts, context: ViewContext): Waiting {
  const { say, attempt, amount, digits } = told(facts, context)
  const code = attempt.next_action!.dial_code!
  const lead = html`<p class="lead">${say('dial_text', { digits })}<strong class="big">${code}</strong></p>`
  const dial = html`<p class="acts">${dialLink(code, say, 'button')}</p>`
  const steps = html`<ol class="steps"><li>${say('approve_2', { amount })}</li><li>${say('approve_3')}</li></ol>`
  const rest = html`${lead}${dial}${steps}${otherNumber(facts, context)}${wait(facts, context, say)}`
  return slip(facts, context, 'phone', say('dial_title'), rest)
}

/** The payer types the operator's one-time code here, and we pass it on. */
export function codeView(facts: SessionFacts, context: ViewContext): Waiting {
  const { say, attempt, operator } = told(facts, context)
  const code = attempt.next_action?.dial_code ?? null
  // Here `invalid_request` means that the typed text is not a code.
  const wrong = context.refusal === 'invalid_request'
  const above = wrong ? null : refusedAbove(context)
  const to = formAddress(`${facts.address}/code`, context)
  const note =
    above !== null && html`<div class="note bad" role="alert"><h2>${above.title}</h2><p>${above.text}</p></div>`
  const dial = code !== null && html`<p class="links">${dialLink(code, say)}</p>`
  const content = html`<input type="hidden" name="nonce" value="${facts.nonce}">
${note}${codeField(say, code, wrong)}${dial}<button>${say('code_button')}</button>`
  const form = html`<form method="post" action="${to}" class="acts" novalidate>${content}</form>`
  const rest = html`<p class="lead">${say('code_text', { operator })}</p>${form}${otherNumber(facts, context)}`
  return slip(facts, context, 'keys', say('code_title'), rest)
}

/** The field of the payer's code. `code`: the number to dial for it, or null when the operator sends it. */
function codeField(say: Say, code: string | null, wrong: boolean): Html {
  const label = html`<label for="code">${say('code_label')}</label>`
  const hint = html`<p class="hint" id="code-hint">${code === null ? say('code_digits') : say('code_how', { code })}</p>`
  const error = wrong && html`<p class="error" id="code-error">${say('error_code')}</p>`
  const kind = html` type="text" inputmode="numeric" autocomplete="one-time-code"`
  const described = html` aria-describedby="${wrong && 'code-error '}code-hint"${wrong && html` aria-invalid="true" autofocus`}`
  const input = html`<input${kind} id="code" name="code" maxlength="20" required${described}>`
  return html`<div class="field">${label}${hint}${error}${input}</div>`
}

/** A link that dials a code. */
function dialLink(code: string, say: Say, style?: 'tap' | 'button'): Html {
  const styled = style !== undefined && html` class="${style}"`
  return html`<a${styled} href="tel:${encodeURIComponent(code)}">${say('dial_button', { code })}</a>`
}

/** The operator checks the code that the payer typed. */
export function checkingView(facts: SessionFacts, context: ViewContext): Waiting {
  const { say, operator } = told(facts, context)
  const rest = html`<p class="lead">${say('checking_text', { operator })}</p>${wait(facts, context, say)}`
  return slip(facts, context, 'keys', say('checking_title'), rest)
}

/** The payer approves in the operator's own app or page and comes back here. */
export function redirectView(facts: SessionFacts, context: ViewContext): Waiting {
  const { say, attempt, operator, amount } = told(facts, context)
  const url = attempt.next_action?.url
  const link =
    url !== undefined &&
    html`<p class="acts"><a class="button" href="${url}" rel="noreferrer">${say('redirect_button', { operator })}</a></p>`
  const lead = html`<p class="lead">${say('redirect_text', { amount })}</p>`
  const rest = html`${lead}${link}${otherNumber(facts, context)}${wait(facts, context, say)}`
  return slip(facts, context, 'away', say('redirect_title', { operator }), rest)
}

/** The outcome is uncertain. The heading tells the payer not to pay again. */
export function unsureView(facts: SessionFacts, context: ViewContext): Waiting {
  const { say, attempt, operator } = told(facts, context)
  const help = say('reference_for_help', { merchant: facts.merchant_name })
  const lead = html`<p class="lead">${say('unsure_text', { operator })}</p><p class="lead">${say('unsure_keep')}</p>`
  const reference = html`<strong class="big">${shortReference(attempt.payment_id)}</strong>`
  const number = html`<p class="lead">${help} ${reference} <span class="hint">${attempt.payment_id}</span></p>`
  const rest = html`${lead}${number}${wait(facts, context, say)}`
  return slip(facts, context, 'hand', say('unsure_title'), rest, 'care')
}
