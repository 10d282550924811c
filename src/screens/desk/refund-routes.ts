import { id as code, differs, linkButton, panel, rows, status } from '../../console/components.ts'
import { type FieldError, field, form } from '../../console/forms.ts'
import { readLine } from '../../console/read-typed.ts'
import type { Words } from '../../console/say.ts'
import { defineDeskScreen, moved, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { readMerchantName } from '../../merchants/store.ts'
import type { Registry } from '../../operators/routing/registry.ts'
import { canDecideOn } from '../../people/second-person.ts'
import type { Clock } from '../../platform/clock.ts'
import { html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type CloseRefundResult, type Closing, closeRefund } from '../../refunds/close-refund.ts'
import { readAwaitedRefund, readRefund, readWaitingRefunds } from '../../refunds/find-refunds.ts'
import { type RefundRow, viewRefund } from '../../refunds/refund.ts'
import { operatorWord, personName } from './case-words.ts'
import { actOn, readAround, subjectPage } from './subject-page.ts'
import { waitingListView } from './waiting-list.ts'

export type RefundDeps = { sql: Sql; clock: Clock; registry: Registry }
type Request = ScreenRequest<'desk'>

const withRefund = actOn(readRefund)

/** Refunds to make by hand, or unsent for an hour, oldest first. */
export const getDeskRefunds = defineDeskScreen<RefundDeps>({
  method: 'GET',
  path: '/refunds',
  operation: 'deskRefunds',
  summary: 'Read the manual refunds and those unsent for an hour',
  right: 'cases.read',
  menu: { group: 'money', icon: 'back', words: ['Remboursements', 'Refunds'], count: 'to_give_back' },
  async handle(request, deps) {
    const { say, livemode, at, can } = request
    const refunds = await readWaitingRefunds(deps.sql, livemode)
    return waitingListView(request, deps, {
      path: '/refunds',
      acts:
        can('refunds.manage') &&
        linkButton(at('/refunds/find'), say(['Rembourser un paiement', 'Refund a payment']), 'second'),
      title: say(['Remboursements qui attendent', 'Refunds to make']),
      none: {
        title: say(['Aucun remboursement n’attend', 'No refund to make']),
        text: say([
          'Ici viennent ceux qu’une personne fait à la main, et ceux qui ne sont pas partis depuis une heure.',
          'Those that a person makes by hand show here, and those that have not left for an hour.',
        ]),
      },
      rows: refunds.map(({ operator, created_at, amount_returned, ...row }) => ({
        ...row,
        under: `${operatorWord(operator, say)}, ${row.status === 'manual' ? say(['à la main', 'by hand']) : say(['pas encore parti', 'not sent yet'])}`,
        since: created_at,
        amount: amount_returned,
      })),
      facts: { refunds: refunds.map(viewRefund) },
    })
  },
})

export const getDeskRefund = defineDeskScreen<RefundDeps>({
  method: 'GET',
  path: '/refunds/:id',
  operation: 'deskRefund',
  summary: 'Read a refund',
  right: 'cases.read',
  handle: (request, deps) => withRefund(request, deps, (refund) => refundView(request, deps, refund)),
})

/** Records a refund by hand as paid: the second of two people enters the proof. */
export const postRefundPaid = closing(
  'paid',
  'deskRefundPaid',
  'Enter the proof of a refund by hand: the second of two people',
)

/** Records that a refund by hand was not paid: its amount returns to the merchant. */
export const postRefundGivenUp = closing(
  'given-up',
  'deskRefundGivenUp',
  'Give a refund by hand up: the second of two people',
)

function closing(act: 'paid' | 'given-up', operation: string, summary: string) {
  const name = act === 'paid' ? 'reference' : 'reason'
  return defineDeskScreen<RefundDeps>({
    method: 'POST',
    path: `/refunds/:id/${act}`,
    operation,
    summary,
    right: 'refunds.manage',
    confirm: (request, deps) =>
      withRefund(request, deps, async (refund) => {
        const { say, at, fields } = request
        if (refund.status !== 'manual')
          return refundView(request, deps, refund, [{ field: 'main', text: say(whyNot.already_closed) }])
        const typed = readLine(fields.text(name), act === 'paid' ? 255 : 500)
        if (typed === null) return refundView(request, deps, refund, [{ field: name, text: say(missing) }])
        const { id, merchant_id, payment_id, amount_returned } = refund
        const merchant = await readMerchantName(deps.sql, merchant_id)
        const says =
          act === 'paid'
            ? say(['Rendu au payeur, preuve : {typed}', 'Refunded to the payer, proof: {typed}'], { typed })
            : say(['Abandonné : {typed}', 'Given up: {typed}'], { typed })
        return {
          kind: 'confirm',
          subject: id,
          content: { refund_id: id, merchant_id, payment_id, amount_returned, [name]: typed, act },
          title: say(['Remboursement', 'Refund']),
          back: at(`/refunds/${id}`),
          shown: html`<h1>${drawAmount(amount_returned)}</h1><p class="say">${merchant}, ${operatorWord(refund.operator, say)}</p><p class="soft">${says}</p>`,
        }
      }),
    handle: (request, deps) =>
      withRefund(request, deps, async (refund) => {
        const typed = request.fields.text(name)
        const closed_by = request.actor
        const end: Closing =
          act === 'paid'
            ? { kind: 'paid', hand_reference: typed, closed_by }
            : { kind: 'given_up', reason: typed, closed_by }
        const result = await closeRefund(deps, refund.id, end)
        if (result.kind === 'closed')
          return moved(request.at(`/refunds/${refund.id}?done=${act === 'paid' ? 'paid_back' : 'given_up'}`))
        const now = (await readRefund(deps.sql, refund.id)) ?? refund
        return refundView(request, deps, now, [
          { field: result.code === 'reference_used' ? 'reference' : 'main', text: request.say(whyNot[result.code]) },
        ])
      }),
  })
}

const missing = ['Écrivez-le sur une ligne.', 'Write it on one line.'] as const satisfies Words
const whyNot: Readonly<Record<Extract<CloseRefundResult, { kind: 'refused' }>['code'], Words>> = {
  resource_not_found: ['Il n’y a rien à cette adresse.', 'There is nothing at this address.'],
  not_by_hand: [
    'L’opérateur fait ce remboursement : personne ne le fait à la main.',
    'The operator makes this refund: nobody makes it by hand.',
  ],
  already_closed: ['Ce remboursement est déjà fini.', 'This refund has ended already.'],
  same_person: [
    'Vous l’avez demandé, ou vous avez fait entrer qui l’a demandé depuis moins de 90 jours : une autre personne le finit.',
    'You asked for it, or let in within 90 days the person who did: another person closes it.',
  ],
  reference_used: [
    'Cette preuve est déjà celle d’un autre remboursement.',
    'This proof is that of another refund already.',
  ],
}

async function refundView(
  request: Request,
  { sql, registry }: RefundDeps,
  refund: RefundRow,
  errors: readonly FieldError[] = [],
): Promise<ScreenView> {
  const { say, at, fields, can, actor } = request
  const { id, requested_by, closed_by, reason, hand_reference, closing_reason } = refund
  const [around, awaited] = await Promise.all([
    readAround(sql, refund, [requested_by, closed_by], actor.person),
    readAwaitedRefund({ sql, registry }, { ...refund, refund_id: id }),
  ])
  const { merchant, names } = around
  const [shape, words] = statusWords.refund[refund.status]
  const open = refund.status === 'manual'
  const mayClose = open && can('refunds.manage') && canDecideOn(around.reader, [requested_by])
  const why =
    !open || mayClose
      ? null
      : can('refunds.manage')
        ? say(whyNot.same_person)
        : say(['Les opérations ou la finance le finissent.', 'Operations or finance close it.'])
  const paid = html`${field({ name: 'reference', label: say(['Preuve du virement', 'Proof of the transfer']), hint: say(['Telle que l’opérateur ou la banque l’écrit. Elle sert une fois.', 'As the operator or the bank writes it. It serves once.']), value: fields.text('reference'), more: { maxlength: '255' } }, errors)}<button class="wide">${say(['Marquer rendu', 'Mark as refunded'])}</button>`
  const up = html`${field({ name: 'reason', label: say(['Pourquoi', 'Why']), value: fields.text('reason'), more: { maxlength: '500' } }, errors)}<button class="stop">${say(['Abandonner', 'Give up'])}</button>`
  const facts = rows([
    { name: say(['Paiement', 'Payment']), value: code(refund.payment_id) },
    awaited === null
      ? null
      : {
          name: say(['Attend la fin de', 'Waits for the end of']),
          value: html`<a href="${at(`/refunds/${awaited}`)}">${code(awaited)}</a>`,
        },
    { name: say(['Demandé par', 'Requested by']), value: personName(requested_by, names, say) },
    reason === null ? null : { name: say(['Raison', 'Reason']), value: reason },
    closed_by === null ? null : { name: say(['Fini par', 'Closed by']), value: personName(closed_by, names, say) },
    hand_reference === null ? null : { name: say(['Preuve', 'Proof']), value: hand_reference },
    closing_reason === null ? null : { name: say(['Abandonné', 'Given up']), value: closing_reason },
  ])
  const noLongerOwed = say(['{net} ne sont plus dus au marchand.', '{net} are no longer owed to the merchant.'], {
    net: writeAmount(refund.net_amount),
  })
  return subjectPage(request, id, around, errors, {
    back: { to: '/refunds', words: say(['Remboursements', 'Refunds']) },
    title: say(['Remboursement', 'Refund']),
    standing: status(shape, say(words)),
    amount: { said: say(['Remboursement de ', 'Refund of ']), francs: refund.amount_returned },
    line: html`${merchant}, ${operatorWord(refund.operator, say)}`,
    slip: html`<section>${differs([{ same: true, text: noLongerOwed }])}${why !== null && html`<p class="hint gap">${why}</p>`}</section>`,
    below:
      mayClose &&
      html`${panel(say(['Rendre', 'Refund by hand']), form(request, at(`/refunds/${id}/paid`), paid))}${panel(say(['Abandonner', 'Give up']), form(request, at(`/refunds/${id}/given-up`), up))}`,
    beside: panel(say(['Ce qu’on en sait', 'What is known']), facts),
    open,
    facts: { refund: viewRefund(refund), waits_for: awaited, merchant },
  })
}
