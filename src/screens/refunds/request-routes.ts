import { randomUUID } from 'node:crypto'
import { actField } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { id as code, differs, linkButton, panel, rows, status } from '../../console/components.ts'
import { type FieldError, form, hiddenField } from '../../console/forms.ts'
import { quoted, sayWords } from '../../console/say.ts'
import { defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { writeAmount, writeNumberEnd, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { declineAsked } from '../../refunds/ask-refund.ts'
import type { RefundDeps } from '../../refunds/create-refund.ts'
import { decideRefundOf, type Refundable, readRefundable } from '../../refunds/read-refundable.ts'
import { type RefundRequest, readRequest, readWaitingRequests, refundReasons } from '../../refunds/refund-request.ts'
import { writeFrancs } from '../../values/read-typed.ts'
import { operatorWord, personName } from '../desk/case-words.ts'
import { actOn, readAround, subjectPage } from '../desk/subject-page.ts'
import { waitingListView } from '../desk/waiting-list.ts'
import { sayRefusal } from './refund-form-view.ts'

type Deps = { readonly sql: Sql; readonly clock: Clock } & Pick<RefundDeps, 'canRefund'>
type Request = ScreenRequest<'desk'>

const withRequest = actOn(readRequest)

const getRequests = defineDeskScreen<Deps>({
  method: 'GET',
  path: '/refund-requests',
  operation: 'deskRefundRequests',
  summary: 'Read the refunds that merchants ask for',
  right: 'cases.read',
  menu: {
    group: 'money',
    icon: 'back',
    words: ['Remboursements demandés', 'Refunds asked for'],
    count: 'to_refund',
  },
  async handle(request, deps) {
    const { say, livemode } = request
    const waiting = await readWaitingRequests(deps.sql, livemode)
    return waitingListView(request, deps, {
      path: '/refund-requests',
      title: say(['Remboursements demandés', 'Refunds asked for']),
      none: {
        title: say(['Aucun remboursement demandé', 'No refund asked for']),
        text: say(['Un marchand le demande sur la page d’un paiement.', 'A merchant asks on the page of a payment.']),
      },
      rows: waiting.map(({ id, merchant_id, reason, note, asked_at: since, amount }) => {
        const under = amount === null ? say(['tout ce qui reste', 'all that is left']) : say(['une partie', 'a part'])
        return {
          id,
          merchant_id,
          under,
          reason: note ?? sayWords(say, refundReasons[reason]),
          since,
          amount: amount ?? 0,
        }
      }),
      facts: { requests: waiting },
    })
  },
})

const getRequest = defineDeskScreen<Deps>({
  method: 'GET',
  path: '/refund-requests/:id',
  operation: 'deskRefundRequest',
  summary: 'Read a refund that a merchant asks for, with its payment',
  right: 'cases.read',
  handle: (request, deps) => show(request, deps, []),
})

const postDecline = deskAct<unknown, RefundRequest, Deps & ActScreenDeps>(declineAsked, {
  path: '/refund-requests/:id/refuse',
  back: ({ at, params }) => at(`/refund-requests/${params.id}`),
  done: ({ params }) => `/refund-requests/${params.id}?done=declined`,
  again: (request, deps, errors) => show(request, deps, errors),
})

const show = (request: Request, deps: Deps, errors: readonly FieldError[]): Promise<ScreenAnswer> =>
  withRequest(request, deps, (asked) => requestView(request, deps, asked, errors))

const states = {
  asked: ['wait', ['À vérifier', 'To check']],
  accepted: ['ok', ['Accepté', 'Accepted']],
  refused: ['bad', ['Refusé', 'Refused']],
  withdrawn: ['off', ['Retiré par le marchand', 'Withdrawn by the merchant']],
} as const

async function requestView(request: Request, deps: Deps, asked: RefundRequest, errors: readonly FieldError[]) {
  const { say, can, actor, livemode } = request
  const { id, payment_id, amount, status: state, asked_by, decided_by, reason, note } = asked
  const [found, around] = await Promise.all([
    readRefundable(deps, { payment_id, livemode }),
    readAround(deps.sql, asked, [asked_by, decided_by], actor.person),
  ])
  const decided = decideRefundOf(found!, amount)
  const francs = decided.kind === 'made' ? decided.parts.amount_returned : (amount ?? found!.left)
  const open = state === 'asked'
  const deciding = open && can('refunds.manage')
  const [shape, words] = states[state]
  const title = say(['Remboursement demandé', 'Refund asked for'])
  const { payment } = found!
  const payer = payment.payer === null ? '' : ` ${writeNumberEnd(payment.payer.slice(-4))}`
  const why = sayWords(say, refundReasons[reason])
  const by = personName(asked_by, around.names, say)
  const line = html`${around.merchant}, ${operatorWord(payment.operator, say)}${payer}. ${by} : ${why}.`
  const said = note !== null && html`<div><p>${say(quoted, { text: note })}</p></div>`
  const refused = decided.kind === 'refused' && html`<div><p class="error">${sayRefusal(say, decided)}</p></div>`
  return subjectPage(request, id, around, errors, {
    back: { to: '/refund-requests', words: title },
    title,
    standing: status(shape, say(words)),
    amount: { said: `${title}${say([' : ', ': '])}`, francs },
    line,
    slip: html`${said}${endedPart(request, asked)}${open && refused}
${deciding && decided.kind === 'made' && refundForm(request, asked, found!, decided.parts.amount)}`,
    below: deciding && declineForm(request, id, errors),
    beside: factsPanel(request, asked, found!),
    open,
    facts: { request: asked, merchant: around.merchant, left: found!.left, available: found!.available },
    deciding,
  })
}

function endedPart({ say, at }: Request, { answer, refund_id }: RefundRequest): Piece {
  if (answer !== null) return html`<div><p>${say(quoted, { text: answer })}</p></div>`
  if (refund_id === null) return undefined
  const see = linkButton(at(`/refunds/${refund_id}`), say(['Voir le remboursement', 'See the refund']), 'second')
  return html`<div><p class="acts">${see}</p></div>`
}

/** Makes the refund by the act that makes every refund: a second person confirms it above the sum of one. */
function refundForm(request: Request, asked: RefundRequest, found: Refundable, francs: number): Html {
  const { say, at } = request
  const { id, payment_id, reason, note } = asked
  const why = note ?? sayWords(say, refundReasons[reason])
  const hidden = [
    hiddenField('form', randomUUID()),
    hiddenField('given', found.given.amount),
    hiddenField('amount', writeFrancs(francs)),
    hiddenField('reason', why),
    hiddenField('request', id),
  ]
  const button = html`<button class="wide">${say(['Rembourser', 'Refund'])}</button>`
  return form(request, at(`/payments/${payment_id}/refund`), html`${hidden}${button}`)
}

function declineForm(request: Request, id: string, errors: readonly FieldError[]): Html {
  const { say, at } = request
  const answer = actField(request, 'answer', declineAsked.fields.answer!, errors)
  const content = html`${answer}<button class="stop">${say(['Refuser', 'Refuse'])}</button>`
  return panel(say(['Refuser', 'Refuse']), form(request, at(`/refund-requests/${id}/refuse`), content), {
    id: 'refuse',
  })
}

const SOON_MS = 600_000

function factsPanel({ say, at, language }: Request, asked: RefundRequest, found: Refundable): Html {
  const { payment, given, left, available, refunds } = found
  const { succeeded_at } = payment
  const soon = succeeded_at !== null && asked.asked_at.getTime() - Date.parse(String(succeeded_at)) < SOON_MS
  const unusual = differs([
    {
      same: !soon,
      text: soon
        ? html`<b>${say(['Moins de 10 minutes', 'Less than 10 minutes'])}</b> ${say(['après le paiement.', 'after the payment.'])}`
        : say(['Plus de 10 minutes après le paiement.', 'More than 10 minutes after the payment.']),
    },
    {
      same: refunds.length === 0,
      text:
        refunds.length === 0
          ? say(['Rien n’est encore rendu.', 'Nothing is refunded yet.'])
          : say(['Une partie est déjà rendue ou en route.', 'A part is refunded or on its way.']),
    },
  ])
  const facts = rows([
    {
      name: say(['Paiement', 'Payment']),
      value: html`<a href="${at(`/cases/${payment.id}`)}">${code(payment.id)}</a>`,
    },
    { name: say(['Montant', 'Amount']), value: writeAmount(payment.amount) },
    { name: say(['Déjà rendu ou en route', 'Refunded or on its way']), value: writeAmount(given.amount) },
    { name: say(['Reste à rembourser', 'Left to refund']), value: writeAmount(left), all: true },
    { name: say(['Solde disponible du marchand', 'The merchant’s available balance']), value: writeAmount(available) },
    { name: say(['Demandé', 'Asked for']), value: writeShortDate(asked.asked_at, language) },
  ])
  return panel(say(['Ce qu’on en sait', 'What is known']), html`${unusual}${facts}`)
}

/** The desk's screens of the refunds that merchants ask for. */
export const refundRequestScreens = [getRequests, getRequest, postDecline] as const
