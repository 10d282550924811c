import { actField } from '../../console/acts/act-fields.ts'
import { backLink, linkButton, pageHead, panel, status } from '../../console/components.ts'
import { choices, errorList, type FieldError, form } from '../../console/forms.ts'
import { sayWords } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeNumberEnd, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { askFields } from '../../refunds/ask-refund.ts'
import { divideRefund } from '../../refunds/divide-refund.ts'
import { type RefundReason, type RefundRequest, refundReasons } from '../../refunds/refund-request.ts'
import { type Names, writePerson } from '../approvals/words.ts'

type Request = ScreenRequest<'console'>

/** A payment whose merchant asks for a refund. Amounts in francs. */
export type AskRefundFacts = {
  readonly payment: {
    readonly id: string
    readonly amount: number
    readonly amount_collected: number
    readonly fee_amount: number
    readonly payer: string | null
    readonly created_at: string
  }
  readonly given: { readonly amount: number; readonly fee_amount: number }
  /** The part of the payment's amount that is neither refunded nor on its way. */
  readonly left: number
  readonly available: number
}

/** The form that asks for a refund: how much, and why. */
export function askRefundView(request: Request, facts: AskRefundFacts, errors: readonly FieldError[]): ScreenView {
  const { say, at, language, fields } = request
  const { payment, left } = facts
  const title = say(['Demander un remboursement', 'Ask for a refund'])
  const number = payment.payer === null ? '' : `${writeNumberEnd(payment.payer.slice(-4))} · `
  const lead = say(['{number}{sum} payés le {when}', '{number}{sum} paid on {when}'], {
    ...{ number, sum: writeAmount(payment.amount) },
    when: writeShortDate(new Date(payment.created_at), language),
  })
  const reasons = (Object.keys(refundReasons) as RefundReason[]).map((value) => {
    return { value, label: sayWords(say, refundReasons[value]) }
  })
  const why = choices(
    {
      name: 'reason',
      legend: say(['Raison', 'Reason']),
      kind: 'radio',
      chosen: [fields.text('reason')],
      choices: reasons,
    },
    errors,
  )
  const all = html`<p>${say(['Tout rendre : {sum}, ou une partie.', 'Refund all: {sum}, or a part.'], { sum: writeAmount(left) })}</p>`
  const much = html`${all}${actField(request, 'amount', askFields.amount, errors)}`
  const more = actField(request, 'note', askFields.note, errors)
  const button = html`<button class="wide">${say(['Demander le remboursement', 'Ask for the refund'])}</button>`
  const content = html`<div class="stack">${why}${much}${more}${button}</div>`
  const asking = form(request, at(`/payments/${payment.id}/refund`), content, { class: 'slip' })
  const main = html`${backLink(at(`/payments/${payment.id}`), say(['Paiement', 'Payment']))}
${pageHead({ title, lead })}${errorList(say, errors)}
<div class="two">${asking}<div class="stack">${whatHappens(request, facts)}</div></div>`
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title, main, facts: { left, errors } }
}

function whatHappens({ say }: Request, { payment, given, left, available }: AskRefundFacts): Html {
  const { net_amount, fee_amount, amount_returned } = divideRefund(payment, given, left)
  const taken = say(
    [
      'Votre demande part au service. S’il l’accepte, {net} sont pris sur votre argent disponible.',
      'Your request goes to the service. If it accepts, {net} are taken from your available money.',
    ],
    { net: writeAmount(net_amount) },
  )
  const checked = say([
    'Une personne du service la vérifie. Rien n’est mis de côté avant.',
    'A person of the service checks it. Nothing is set aside before.',
  ])
  const paid = say(
    ['Votre client reçoit {sum} sur le numéro qui a payé.', 'Your payer receives {sum} on the number that paid.'],
    {
      sum: writeAmount(amount_returned),
    },
  )
  const fees = say(['Nos frais de {sum} sont rendus aussi.', 'Our fees of {sum} are returned too.'], {
    sum: writeAmount(fee_amount),
  })
  const short =
    net_amount > available &&
    html`<p class="hint">${say(
      [
        'Aujourd’hui {sum} sont disponibles : la demande peut être refusée pour cela.',
        'Today {sum} are available: the request may be refused for that.',
      ],
      { sum: writeAmount(available) },
    )}</p>`
  const steps = html`<ol class="steps"><li><p>${taken}</p></li><li><p>${checked}</p></li><li><p>${paid}</p></li></ol>`
  const free = fee_amount > 0 && html`<p class="hint">${fees}</p>`
  return panel(say(['Ce qui se passe', 'What happens']), html`${steps}${free}${short}`)
}

/** Where a request stands, on the page of its payment. */
export function requestPart(request: Request, asked: RefundRequest, names: Names): Html {
  const { say, at, language, can, actor } = request
  const { id, payment_id, status: state, amount, asked_by, asked_at, decided_at, answer, refund_id, reason } = asked
  const reader = { say, names, me: actor.person }
  const what = amount === null ? say(['tout ce qui reste', 'all that is left']) : writeAmount(amount)
  const title = html`<h2 id="rf">${say(['Remboursement demandé : {what}', 'Refund asked for: {what}'], { what })}</h2>`
  const why = sayWords(say, refundReasons[reason])
  const when = writeShortDate(asked_at, language)
  const by = html`<p class="soft">${when}, ${say(['par', 'by'])} ${writePerson(reader, asked_by)}. ${why}.</p>`
  const first = html`<li class="ok"><p><b>${say(['Demandé', 'Asked for'])}</b></p>${by}</li>`
  const on = decided_at === null ? '' : writeShortDate(decided_at, language)
  const withdraw =
    state === 'asked' &&
    can('refunds.ask') &&
    form(
      request,
      at(`/refund-requests/${id}/withdraw`),
      html`<button class="quiet">${say(['Retirer la demande', 'Withdraw the request'])}</button>`,
      { class: 'acts' },
    )
  const see =
    refund_id !== null &&
    html`<p class="acts">${linkButton(at(`/refunds/${refund_id}`), say(['Voir le remboursement', 'See the refund']), 'second')}</p>`
  const again = state === 'refused' || state === 'withdrawn' ? askButton(request, payment_id) : null
  const steps = html`<ol class="steps gap">${first}${decidedStep(request, state, on, answer)}</ol>`
  return html`<section aria-labelledby="rf">${title}${steps}${withdraw}${see}${again}</section>`
}

function decidedStep({ say }: Request, state: RefundRequest['status'], on: string, answer: string | null): Html {
  const checked = html`<b>${say(['Vérifié par le service', 'Checked by the service'])}</b>`
  switch (state) {
    case 'asked':
      return html`<li><p>${checked}</p><p>${status('wait', say(['En attente', 'Waiting']))}</p></li>`
    case 'accepted':
      return html`<li class="ok"><p>${checked}</p><p class="soft">${say(['Accepté', 'Accepted'])}, ${on}</p></li>`
    case 'refused':
      return html`<li><p>${checked}</p><p>${status('bad', say(['Refusé', 'Refused']))} ${on}</p><p>${answer}</p></li>`
    case 'withdrawn':
      return html`<li><p>${status('off', say(['Retiré', 'Withdrawn']))} ${on}</p></li>`
  }
}

/** The way to the form. Null for people who may not ask. */
export function askButton({ say, at, can }: Request, payment_id: string): Html | null {
  if (!can('refunds.ask')) return null
  const words = say(['Demander un remboursement', 'Ask for a refund'])
  return html`<p class="acts">${linkButton(at(`/payments/${payment_id}/refund`), words, 'second')}</p>`
}
