import { type Html, html } from '../../platform/http/html.ts'
import { drawQr } from '../../platform/http/pages/draw-qr.ts'
import { drawAmount, writeAmount, writeDate } from '../../platform/http/pages/write-values.ts'
import { showEnd } from '../../values/msisdn.ts'
import { operatorNames } from '../../values/operators.ts'
import { shortReference } from '../../values/short-reference.ts'
import { logoOf } from './bill.ts'
import type { Price, Receipt, SessionFacts, ViewContext } from './facts.ts'
import { icon } from './icons.ts'
import { sayIn } from './say.ts'

type Claim = Pick<Receipt, 'merchant_name' | 'livemode' | 'payment_id' | 'operator' | 'paid_at'> & Price

const titles = {
  succeeded: 'receipt_title',
  refunded: 'receipt_refunded',
  partially_refunded: 'receipt_part_refunded',
} as const satisfies Record<Receipt['status'], string>

/** The text below the title of a live receipt. */
const texts = {
  succeeded: 'receipt_text',
  refunded: 'receipt_refunded_text',
  partially_refunded: 'receipt_part_text',
} as const satisfies Record<Receipt['status'], string>

const words = {
  succeeded: 'status_paid',
  refunded: 'status_refunded',
  partially_refunded: 'status_part_refunded',
} as const satisfies Record<Receipt['status'], string>

/** The page of a paid session: the receipt, the QR code that proves it, and the way back to the merchant. */
export function receiptView(
  facts: SessionFacts,
  receipt: Receipt,
  context: ViewContext,
): { title: string; main: Html } {
  const say = sayIn(context.language)
  const merchant = receipt.merchant_name
  const title = receipt.livemode
    ? say(titles[receipt.status])
    : say('receipt_in_test', { status: say(words[receipt.status]) })
  const text = receipt.livemode ? say(texts[receipt.status], { merchant }) : say('receipt_test_text', { merchant })
  const paid = receipt.status === 'succeeded'
  const back =
    facts.return_url !== null &&
    html`<p class="acts"><a class="button" href="${facts.return_url}" rel="noreferrer">${say('back_to', { merchant })}</a></p>`
  const named = html`<h1 tabindex="-1">${title} ${drawAmount(receipt.amount_collected)}</h1><p class="lead">${text}</p>`
  const pictures = html`${logoOf(facts)}${icon(paid ? 'done' : 'back')}`
  const head = html`<div${!paid && html` class="care"`}>${pictures}${named}${back}</div>`
  const { status, description, merchant_reference, msisdn_end, verify_url } = receipt
  const lines = receiptRows(receipt, context, { status, description, merchant_reference, msisdn_end })
  const heading = html`<h2 id="receipt">${say(receipt.livemode ? 'receipt' : 'receipt_test')}</h2>`
  const print = html`<button type="button" class="button second" data-print hidden>${say('print')}</button>`
  const acts = html`${share(receipt, context)}<p class="acts">${print}</p>`
  const rows = html`<section aria-labelledby="receipt">${heading}${lines}${acts}</section>`
  const checked = html`<p>${say(receipt.livemode ? 'qr_text' : 'qr_test_text')}</p>`
  const check = html`<p class="links"><a href="${verify_url}">${say('qr_link')}</a></p>`
  const proof = html`<section class="proof">${drawQr(verify_url, say('qr_receipt'))}${checked}${check}</section>`
  return { title, main: html`<article class="slip">${head}${rows}${proof}</article>` }
}

/**
 * Shares the receipt as a message with the address of its check, and never with the address of this page. Uses the
 * phone's own menu when the script finds one, otherwise links that need no script.
 */
function share(receipt: Receipt, { language, brand_name: brand }: ViewContext): Html {
  const say = sayIn(language)
  const { merchant_name: merchant, verify_url: url, livemode } = receipt
  const amount = writeAmount(receipt.amount_collected)
  const told = { brand, merchant, amount, reference: shortReference(receipt.payment_id) }
  const text = livemode ? say('share_text', told) : say('share_test_text', told)
  const title = say(livemode ? 'receipt' : 'receipt_test')
  const message = encodeURIComponent(`${text} ${url}`)
  const mail = html`<a href="mailto:?subject=${encodeURIComponent(title)}&amp;body=${message}">${say('share_mail')}</a>`
  const links = html`<a href="https://wa.me/?text=${message}" rel="noreferrer">WhatsApp</a>${mail}`
  const data = html` data-share="${text}" data-url="${url}" data-title="${title}"`
  const button = html`<button type="button" class="button second"${data} hidden>${say('share')}</button>`
  return html`<p class="acts links" data-unshared>${say('share_by')} ${links}</p><p class="acts">${button}</p>`
}

/** The lines of a receipt, for its own page and for the check. In test mode every line with "paid" also says that it is a test. */
export function receiptRows(
  claim: Claim,
  { language }: ViewContext,
  more: Partial<Pick<Receipt, 'status' | 'description' | 'merchant_reference' | 'msisdn_end'>>,
): Html {
  const say = sayIn(language)
  const row = (name: string, value: string | null | undefined, kind: string | null = null) =>
    typeof value === 'string' &&
    html`<div${kind !== null && html` class="${kind}"`}><dt>${name}</dt><dd>${value}</dd></div>`
  const operator = claim.operator === null ? null : operatorNames[claim.operator]
  const withFee = claim.fee_amount > 0
  const number = more.msisdn_end == null ? null : showEnd(more.msisdn_end)
  const status = more.status === undefined ? null : say(words[more.status])
  const said = status === null || claim.livemode ? status : say('receipt_in_test', { status })
  const lines = [
    row(say(claim.livemode ? 'paid_to' : 'merchant'), claim.merchant_name),
    row(say('description'), more.description),
    withFee && row(say('amount'), writeAmount(claim.amount)),
    withFee && row(say('fee'), writeAmount(claim.fee_amount), 'fee'),
    row(say(claim.livemode ? 'amount_taken' : 'total'), writeAmount(claim.amount_collected), 'all'),
    row(say('paid_with'), operator),
    row(say('payer_number'), number),
    row(say('date'), writeDate(new Date(claim.paid_at), language)),
    row(say('reference'), shortReference(claim.payment_id), 'short'),
    row(say('long_reference'), claim.payment_id, 'id'),
    row(say('merchant_reference'), more.merchant_reference, 'id'),
    row(say('status'), said),
  ]
  return html`<dl class="rows">${lines}</dl>`
}
