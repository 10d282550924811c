import { type Html, html } from '../../platform/http/html.ts'
import { drawQr } from '../../platform/http/pages/draw-qr.ts'
import { drawAmount, writeAmount } from '../../platform/http/pages/write-values.ts'
import { shortReference } from '../../values/short-reference.ts'
import { logoOf } from './bill.ts'
import type { Receipt, SessionFacts, ViewContext } from './facts.ts'
import { icon } from './icons.ts'
import { type BesideClaim, type Claim, linesOf, titleOf } from './receipt-lines.ts'
import { sayIn } from './say.ts'

/** The text below the title of a live receipt. */
const texts = {
  succeeded: 'receipt_text',
  refunded: 'receipt_refunded_text',
  partially_refunded: 'receipt_part_text',
} as const satisfies Record<Receipt['status'], string>

/** The page of a paid session: the receipt, the QR code that proves it, and the way back to the merchant. */
export function receiptView(
  facts: SessionFacts,
  receipt: Receipt,
  context: ViewContext,
): { title: string; main: Html } {
  const say = sayIn(context.language)
  const merchant = receipt.merchant_name
  const title = titleOf(receipt, context.language)
  const text = receipt.livemode ? say(texts[receipt.status], { merchant }) : say('receipt_test_text', { merchant })
  const paid = receipt.status === 'succeeded'
  const back =
    facts.return_url !== null &&
    html`<p class="acts"><a class="button" href="${facts.return_url}" rel="noreferrer">${say('back_to', { merchant })}</a></p>`
  const code = html`<p class="code">${say('receipt_code_before')} <b>${receipt.code}</b></p>`
  const sum = drawAmount(receipt.amount_collected)
  const told = tellSeller(receipt, context)
  const named = html`<h1 tabindex="-1">${title} ${sum}</h1>${code}<p class="lead">${text}</p>${told}`
  const pictures = html`${logoOf(facts)}${icon(paid ? 'done' : 'back')}`
  const head = html`<div${!paid && html` class="care"`}>${pictures}${named}${back}</div>`
  const { status, description, merchant_reference, reference_in_address, msisdn_end, verify_url } = receipt
  const beside = { status, description, merchant_reference, reference_in_address, msisdn_end }
  const lines = receiptRows(receipt, context, beside)
  const heading = html`<h2 id="receipt">${say(receipt.livemode ? 'receipt' : 'receipt_test')}</h2>`
  const print = html`<button type="button" class="button second" data-print hidden>${say('print')}</button>`
  const pdf = html`<a href="${facts.address}/receipt.pdf?lang=${context.language}">${say('receipt_pdf')}</a>`
  const acts = html`${share(receipt, context)}<p class="acts">${print}</p><p class="links">${pdf}</p>`
  const rows = html`<section aria-labelledby="receipt">${heading}${lines}${acts}</section>`
  const checked = html`<p>${say(receipt.livemode ? 'qr_text' : 'qr_test_text')}</p>`
  const check = html`<p class="links"><a href="${verify_url}">${say('qr_link')}</a></p>`
  const proof = html`<section class="proof">${drawQr(verify_url, say('qr_receipt'))}${checked}${check}</section>`
  return { title, main: html`<article class="slip">${head}${rows}${proof}</article>` }
}

/** Opens the chat of the seller who gave a number with their link, with the code by which they find the payment, and the address of its check. */
function tellSeller(receipt: Receipt, { language }: ViewContext): Html | false {
  if (receipt.whatsapp === null || receipt.status !== 'succeeded') return false
  const say = sayIn(language)
  const told = { amount: writeAmount(receipt.amount_collected), code: receipt.code, url: receipt.verify_url }
  const text = encodeURIComponent(say(receipt.livemode ? 'tell_text' : 'tell_test_text', told))
  const to = `https://wa.me/${receipt.whatsapp}?text=${text}`
  return html`<p class="acts"><a class="button" href="${to}" rel="noreferrer">${say('tell_seller')}</a></p>`
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

/** The lines of a receipt, for its own page and for the check. */
export function receiptRows(claim: Claim, { language }: ViewContext, more: BesideClaim): Html {
  const lines = linesOf(claim, more, language).map(
    ({ name, value, kind }) =>
      html`<div${kind !== null && html` class="${kind}"`}><dt>${name}</dt><dd>${value}</dd></div>`,
  )
  return html`<dl class="rows">${lines}</dl>`
}
