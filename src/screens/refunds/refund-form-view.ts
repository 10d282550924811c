import { sayRefusal as sayRefused } from '../../console/acts/act-screen.ts'
import { backLink, id as code, note, panel, rows, status } from '../../console/components.ts'
import { choices, errorList, type FieldError, field, form, hiddenField } from '../../console/forms.ts'
import type { Say } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import type { RefusedOrder } from '../../operators/doubts/ask-refused.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeNumberEnd, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { createRefund } from '../../refunds/create-refund.ts'
import type { RefundDecision } from '../../refunds/decide-refund.ts'
import type { RefundParts } from '../../refunds/divide-refund.ts'
import { decideRefundOf, type Refundable } from '../../refunds/read-refundable.ts'
import { viewRefund } from '../../refunds/refund.ts'
import { failedPart } from '../ask-first.ts'
import { operatorWord } from '../desk/case-words.ts'

type Request = ScreenRequest<'desk'>

/** The payment, with its merchant's name or null. */
export type RefundGround = { readonly found: Refundable; readonly merchant: string | null }

/** The values of the form on the page. */
export type RefundTyped = {
  readonly amount: string
  readonly reason: string
  readonly by_hand: boolean
  /** One form makes one refund, also when it is submitted again. */
  readonly form_id: string
}

/** The most characters of a reason. */
const REASON_MAX = 500

/** The page of a payment to refund: the remaining amount, the cost for each party, and the form. */
export function refundFormView(
  request: Request,
  { found, merchant }: RefundGround,
  typed: RefundTyped,
  errors: readonly FieldError[],
): ScreenView {
  const { say, at } = request
  const { payment, left, refunds } = found
  const title = say(['Rembourser un paiement', 'Refund a payment'])
  const [shape, words] = statusWords.payment[payment.status]
  const payer = payment.payer === null ? '' : ` ${writeNumberEnd(payment.payer.slice(-4))}`
  const back = at(`/refunds/find?merchant=${payment.merchant_id}`)
  const head = html`<p>${status(shape, say(words))}</p>${sumLine(say, title, left)}`
  const whom = html`<p class="say">${merchant}, ${operatorWord(payment.operator, say)}${payer}</p>`
  const known = panel(say(['Ce qu’on en sait', 'What is known']), factRows(request, found))
  const already =
    refunds.length > 0 &&
    panel(say(['Déjà remboursé ou en route', 'Refunded already or on its way']), refundRows(request, found))
  const main = html`${backLink(back, say(['Chercher un autre paiement', 'Find another payment']))}${errorList(say, errors)}
<div class="two"><article class="slip"><header>${head}${whom}</header>
${formPart(request, found, typed, errors)}</article>
<div class="stack">${known}${already}</div></div>`
  const { by_hand } = typed
  const facts = { ...found, merchant, refunds: refunds.map(viewRefund), form: typed.form_id, by_hand, errors }
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title, main, facts }
}

function sumLine(say: Say, title: string, francs: number): Html {
  return html`<h1><span class="sr">${title}${say([' : ', ': '])}</span>${drawAmount(francs)}</h1>`
}

function formPart(request: Request, found: Refundable, typed: RefundTyped, errors: readonly FieldError[]): Html {
  const { say, at } = request
  const { payment, given, left, operator_refunds } = found
  const whole = decideRefundOf(found, null)
  // If funds are short, a smaller part may still be covered, so the page keeps the form.
  if (whole.kind === 'refused' && whole.code !== 'insufficient_funds')
    return html`<div>${note('plain', null, sayRefusal(say, whole))}</div>`
  const costs =
    whole.kind === 'made'
      ? html`<p class="hint">${sayCosts(say, whole.parts)}</p>`
      : note('care', null, sayRefusal(say, whole))
  const hand = {
    value: '1',
    label: say(['Rendre à la main', 'Refund by hand']),
    hint: say([
      'L’opérateur n’envoie rien. Une autre personne entre la preuve.',
      'The operator sends nothing. Another person enters the proof.',
    ]),
  }
  const onlyWhole = say([
    'L’opérateur ne rend que la somme entière, en une fois. Une partie se rend à la main.',
    'The operator refunds only the whole amount, at once. A partial refund is made by hand.',
  ])
  const byHand = choices({
    name: 'by_hand',
    legend: say(['Comment', 'How']),
    kind: 'checkbox',
    chosen: typed.by_hand ? ['1'] : [],
    choices: [hand],
  })
  const way =
    operator_refunds === 'none'
      ? html`<p>${sayWay(say, found, true)}</p>`
      : html`${operator_refunds === 'whole' && html`<p>${onlyWhole}</p>`}${byHand}`
  const amount = field(
    {
      name: 'amount',
      label: say(['Somme à rendre, F CFA', 'Amount to refund, F CFA']),
      hint: say(['{sum} au plus.', '{sum} at most.'], { sum: writeAmount(left) }),
      value: typed.amount,
      more: { inputmode: 'numeric', autocomplete: 'off', maxlength: '24' },
    },
    errors,
  )
  const reason = field(
    {
      name: 'reason',
      label: say(['Raison', 'Reason']),
      hint: say(['Facultative. Le marchand la lit.', 'Optional. The merchant reads it.']),
      value: typed.reason,
      more: { maxlength: String(REASON_MAX) },
    },
    errors,
  )
  const asked = hiddenField('request', request.fields.text('request'))
  const hidden = html`${hiddenField('form', typed.form_id)}${hiddenField('given', String(given.amount))}${asked}`
  const button = html`<button class="wide">${say(['Rembourser', 'Refund'])}</button>`
  const content = html`${hidden}<div class="stack">${costs}${amount}${reason}${way}${button}</div>`
  return form(request, at(`/payments/${payment.id}/refund`), content, { class: '' })
}

function factRows({ say, language }: Request, { payment, given, left, available }: Refundable): Html {
  return rows([
    { name: say(['Paiement', 'Payment']), value: code(payment.id) },
    { name: say(['Montant', 'Amount']), value: writeAmount(payment.amount) },
    payment.amount_collected !== payment.amount && {
      name: say(['Pris au payeur', 'Taken from the payer']),
      value: writeAmount(payment.amount_collected),
    },
    { name: say(['Nos frais', 'Our fees']), value: writeAmount(payment.fee_amount) },
    payment.merchant_reference !== null && {
      name: say(['Référence du marchand', 'The merchant’s reference']),
      value: code(payment.merchant_reference),
    },
    payment.succeeded_at !== null && {
      name: say(['Payé', 'Paid']),
      value: writeShortDate(new Date(payment.succeeded_at), language),
    },
    { name: say(['Déjà rendu ou en route', 'Refunded or on its way']), value: writeAmount(given.amount) },
    { name: say(['Reste à rembourser', 'Left to refund']), value: writeAmount(left), all: true },
    { name: say(['Solde disponible du marchand', 'The merchant’s available balance']), value: writeAmount(available) },
  ])
}

function refundRows({ say, at, language }: Request, { refunds }: Refundable): Html {
  return rows(
    refunds.map(({ id, created_at, amount, status: standing }) => {
      const [shape, words] = statusWords.refund[standing]
      const link = html`<a href="${at(`/refunds/${id}`)}">${writeAmount(amount)}</a>`
      return { name: writeShortDate(created_at, language), value: html`${link} ${status(shape, say(words))}` }
    }),
  )
}

/** Writes the cost of a whole refund for each party, in a sentence. */
function sayCosts(say: Say, { amount_returned, net_amount, fee_amount }: RefundParts): string {
  return say(
    [
      'Tout rendre : le payeur reçoit {returned}, {net} sont pris au marchand, {fee} à nos frais.',
      'A full refund: the payer receives {returned}; {net} come from the merchant, {fee} from our fees.',
    ],
    { returned: writeAmount(amount_returned), net: writeAmount(net_amount), fee: writeAmount(fee_amount) },
  )
}

/** Says whether the operator or a person makes the refund. */
function sayWay(say: Say, { payment }: Refundable, by_hand: boolean): string {
  return by_hand
    ? say([
        'L’argent se rend à la main. Une autre personne entre la preuve.',
        'The refund is made by hand. Another person enters the proof.',
      ])
    : say(['{operator} le rend au payeur.', '{operator} returns it to the payer.'], {
        operator: operatorWord(payment.operator, say),
      })
}

/** The signed content of a refund. */
export type RefundContent = RefundParts & { readonly by_hand: true | null; readonly reason: string | null }

/** Draws what a person confirms: the amount, the payer, the cost for each party, and the way of the refund. */
export function drawRefund(
  { say }: Request,
  { found, merchant }: RefundGround,
  { by_hand, reason, ...parts }: RefundContent,
  asked: readonly RefusedOrder[],
): Html {
  const { payment } = found
  const title = say(['Rembourser un paiement', 'Refund a payment'])
  const payer = payment.payer === null ? '' : ` ${writeNumberEnd(payment.payer.slice(-4))}`
  const whom = html`<p class="say">${merchant}, ${operatorWord(payment.operator, say)}${payer}</p>`
  const way = html`<p class="soft">${sayWay(say, found, by_hand ?? false)}</p>`
  return html`${sumLine(say, title, parts.amount)}${whom}${way}${rows([
    { name: say(['Le payeur reçoit', 'The payer receives']), value: writeAmount(parts.amount_returned) },
    { name: say(['Pris à nos frais', 'From our fees']), value: writeAmount(parts.fee_amount) },
    { name: say(['Pris au marchand', 'From the merchant']), value: writeAmount(parts.net_amount), all: true },
    reason !== null && { name: say(['Raison', 'Reason']), value: reason },
    { name: say(['Paiement', 'Payment']), value: code(payment.id) },
  ])}${failedPart(say, asked, 'refund')}`
}

/** Writes the reason why a payment cannot be refunded, in a sentence. */
export function sayRefusal(say: Say, refusal: Extract<RefundDecision, { kind: 'refused' }>): string {
  const francs = 'left' in refusal ? refusal.left : 'needed' in refusal ? refusal.needed : 0
  const fillings = { sum: writeAmount(francs) }
  return sayRefused({ say }, createRefund, { kind: 'refused', code: refusal.code, fillings })
}
