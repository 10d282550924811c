import { refusalOf } from '../../acts/act.ts'
import { canDecideOn } from '../../acts/second-person.ts'
import { actFields } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { id as code, differs, linkButton, panel, rows, status } from '../../console/components.ts'
import { type FieldError, form } from '../../console/forms.ts'
import { defineDeskScreen, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import type { Registry } from '../../operators/routing/registry.ts'
import type { Clock } from '../../platform/clock.ts'
import { html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { giveUpRefund, recordPaidRefund } from '../../refunds/close-refund.ts'
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
      rows: refunds.map(({ operator, created_at, amount_returned, ...row }) => {
        const how = row.status === 'manual' ? say(['à la main', 'by hand']) : say(['pas encore parti', 'not sent yet'])
        const under = `${operatorWord(operator, say)}, ${how}`
        return { ...row, under, since: created_at, amount: amount_returned }
      }),
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

/** The two ends of a refund by hand, by the second of two people: paid, or given up. */
export const postRefundPaid = deskAct(recordPaidRefund, closing('paid', 'paid_back'))
export const postRefundGivenUp = deskAct(giveUpRefund, closing('given-up', 'given_up'))

function closing(verb: string, done: string) {
  return {
    path: `/refunds/:id/${verb}`,
    back: ({ at, params }: Request) => at(`/refunds/${params.id}`),
    done: ({ params }: Request) => `/refunds/${params.id}?done=${done}`,
    again: (request: Request, deps: RefundDeps & ActScreenDeps, errors: readonly FieldError[]) =>
      withRefund(request, deps, (refund) => refundView(request, deps, refund, errors)),
  }
}

async function refundView(
  request: Request,
  { sql, registry }: RefundDeps,
  refund: RefundRow,
  errors: readonly FieldError[] = [],
): Promise<ScreenView> {
  const { say, at, can, actor } = request
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
        ? say(refusalOf(recordPaidRefund, 'same_person').words)
        : say(['Les opérations ou la finance le finissent.', 'Operations or finance close it.'])
  const mark = html`<button class="wide">${say(['Marquer rendu', 'Mark as refunded'])}</button>`
  const abandon = html`<button class="stop">${say(['Abandonner', 'Give up'])}</button>`
  const paid = form(
    request,
    at(`/refunds/${id}/paid`),
    html`${actFields(request, recordPaidRefund.fields, errors)}${mark}`,
  )
  const up = form(
    request,
    at(`/refunds/${id}/given-up`),
    html`${actFields(request, giveUpRefund.fields, errors)}${abandon}`,
  )
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
      mayClose && html`${panel(say(['Rendre', 'Refund by hand']), paid)}${panel(say(['Abandonner', 'Give up']), up)}`,
    beside: panel(say(['Ce qu’on en sait', 'What is known']), facts),
    open,
    facts: { refund: viewRefund(refund), waits_for: awaited, merchant },
  })
}
