import { operatorNames } from '../../words/operators.ts'
import type { Price, Receipt, SessionFacts, ViewContext } from '../page-facts.ts'
import { drawQr } from './draw-qr.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { sayIn } from './say.ts'
import { drawAmount, writeAmount, writeDate } from './write-values.ts'

type Claim = Pick<Receipt, 'merchant_name' | 'payment_id' | 'operator' | 'paid_at'> & Price

const titles = {
  succeeded: 'receipt_title',
  refunded: 'receipt_refunded',
  partially_refunded: 'receipt_part_refunded',
} as const satisfies Record<Receipt['status'], string>

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

/** It is paid: that it is, the receipt to keep, the code that proves it, and the way back to the merchant. */
export function receiptView(
  facts: SessionFacts,
  receipt: Receipt,
  context: ViewContext,
): { title: string; main: Html } {
  const say = sayIn(context.language)
  const merchant = receipt.merchant_name
  const title = say(titles[receipt.status])
  const paid = receipt.status === 'succeeded'
  const head = html`<div${!paid && html` class="care"`}>${icon(paid ? 'done' : 'back')}<h1 tabindex="-1">${title} ${drawAmount(receipt.amount_collected)}</h1><p class="lead">${say(texts[receipt.status], { merchant })}</p>${facts.return_url !== null && html`<p class="acts"><a class="button" href="${facts.return_url}" rel="noreferrer">${say('back_to', { merchant })}</a></p>`}</div>`
  const rows = html`<section aria-labelledby="receipt"><h2 id="receipt">${say('receipt')}</h2>${receiptRows(
    receipt,
    context,
    {
      status: receipt.status,
      description: receipt.description,
      merchant_reference: receipt.merchant_reference,
    },
  )}<p class="acts"><button type="button" class="button second" data-print hidden>${say('print')}</button></p></section>`
  const proof = html`<section class="proof">${drawQr(receipt.verify_url, say('qr_receipt'))}<p>${say('qr_text')}</p><p class="links"><a href="${receipt.verify_url}">${say('qr_link')}</a></p></section>`
  return { title, main: html`<article class="slip">${head}${rows}${proof}</article>` }
}

/** The lines of a receipt, for its own page and for whoever checks it. */
export function receiptRows(
  claim: Claim,
  { language }: ViewContext,
  more: Partial<Pick<Receipt, 'status' | 'description' | 'merchant_reference'>>,
): Html {
  const say = sayIn(language)
  const row = (name: string, value: string | null | undefined, kind: string | null = null) =>
    typeof value === 'string' &&
    html`<div${kind !== null && html` class="${kind}"`}><dt>${name}</dt><dd>${value}</dd></div>`
  const operator = claim.operator === null ? null : operatorNames[claim.operator]
  const withFee = claim.fee_amount > 0
  return html`<dl class="rows">${row(say('paid_to'), claim.merchant_name)}${row(say('description'), more.description)}${withFee && row(say('amount'), writeAmount(claim.amount))}${withFee && row(say('fee'), writeAmount(claim.fee_amount), 'fee')}${row(say('amount_taken'), writeAmount(claim.amount_collected), 'all')}${row(say('paid_with'), operator)}${row(say('date'), writeDate(new Date(claim.paid_at), language))}${row(say('reference'), claim.payment_id, 'id')}${row(say('merchant_reference'), more.merchant_reference, 'id')}${row(say('status'), more.status === undefined ? null : say(words[more.status]))}</dl>`
}
