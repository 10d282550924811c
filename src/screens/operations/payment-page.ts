import { amountSource } from '../../checkout/link-address.ts'
import { readLink } from '../../checkout/link-store.ts'
import type { SessionLabel } from '../../checkout/session-list-store.ts'
import { readSession } from '../../checkout/store.ts'
import { figures, id, note, operatorName, rows, status } from '../../console/components.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { whatsApp } from '../../console/share.ts'
import { statusWords } from '../../console/words.ts'
import { usualSilence } from '../../operators/port.ts'
import { type OwnPayment, readOwnPayment } from '../../payments/find-payments.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { writeAmount, writeNumberEnd, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { RefundRow } from '../../refunds/refund.ts'
import { readRefundsOf } from '../../refunds/store.ts'
import type { Tenant } from '../../values/caller.ts'
import type { FailureCode } from '../../values/failure-codes.ts'
import { isOperatorCode } from '../../values/operators.ts'
import { shortCode } from '../../values/short-reference.ts'
import type { Names } from '../approvals/words.ts'
import { failureWords } from './failure-words.ts'
import { operationPage } from './operation-page.ts'
import { type OrderStory, operationStory, operatorInWords, readOrderStory } from './operation-story.ts'
import { readTraces, type Traces } from './read-traces.ts'
import { type Happened, traceEvents } from './trace-events.ts'

/** The most refunds on the page of a payment. */
const REFUNDS_SHOWN = 20

/** A payment as its merchant sees it, with the last four digits of the payer's number. */
export type PaymentPage = Pick<OwnPayment, 'payment' | 'own' | 'moves'> & {
  readonly order: OrderStory
  readonly traces: Traces
  readonly refunds: readonly Pick<RefundRow, 'id' | 'amount' | 'status' | 'created_at'>[]
  readonly operator_reference: string | null
  /** Whether it was sent and its operator has not concluded it in time. */
  readonly in_doubt: boolean
  /** The payment link of its session. */
  readonly link: { readonly id: string; readonly description: string | null } | null
  /** The reference of its session and the source of its amount. */
  readonly label: SessionLabel | null
}

/** Reads the facts on the page of a payment. Null when it is not this merchant's, or not of this mode. */
export async function readPaymentPage(db: Db, tenant: Tenant, payment_id: string): Promise<PaymentPage | null> {
  const found = await readOwnPayment(db, { ...tenant, payment_id })
  if (found === null) return null
  const { payment, own, moves, instruction } = found
  const session_id = payment.checkout_session_id
  const session = session_id === undefined ? null : await readSession(db, { ...tenant, session_id })
  const link_id = session?.link_id ?? null
  const made = session ?? { id: payment_id, created_at: new Date(payment.created_at) }
  const [order, traces, link, refunds] = await Promise.all([
    readOrderStory(db, instruction),
    readTraces(db, tenant, payment_id, link_id === null ? { subject_id: made.id, made_at: made.created_at } : null),
    link_id === null ? null : readLink(db, { ...tenant, link_id }),
    payment.amount_refunded === undefined && payment.status !== 'succeeded'
      ? []
      : readRefundsOf(db, { ...tenant, payment_id }, REFUNDS_SHOWN),
  ])
  const silent = instruction?.state === 'unknown' || (instruction?.sent_ms_ago ?? 0) > usualSilence()
  return {
    ...{ payment, own, moves, order, traces },
    refunds: refunds.map(({ id, amount, status, created_at }) => ({ id, amount, status, created_at })),
    operator_reference: instruction?.operator_reference ?? null,
    in_doubt: payment.status === 'pending' && silent,
    link: link && { id: link.id, description: link.description },
    label: session && { reference: session.reference, amount_source: amountSource(session) },
  }
}

/**
 * The page of one payment: its state in a sentence, its timeline, and the facts.
 * @param refund the link to its refund
 * @param receipt_url the payer's page with the receipt. Null: nobody paid on a page
 */
export function paymentView(
  request: ScreenRequest<'console'>,
  page: PaymentPage,
  { names, refund, receipt_url }: { names: Names; refund: Piece; receipt_url: string | null },
): ScreenView {
  const { say } = request
  const { payment, order, moves, in_doubt } = page
  const [shape, words] = statusWords.payment[in_doubt ? 'in_doubt' : payment.status]
  const advice = in_doubt
    ? note(
        'care',
        say(['Ne lui demandez pas de payer une deuxième fois', 'Do not ask for a second payment']),
        say([
          'Nous demandons à l’opérateur jusqu’à une preuve. Sinon, une personne de l’équipe du service s’en occupe.',
          'We ask the operator until there is proof. Otherwise, somebody of the team of the service takes care of it.',
        ]),
      )
    : refund
  return operationPage(request, {
    list: { path: '/payments', words: ['Paiements', 'Payments'] },
    title: say(['Paiement de ', 'Payment of ']),
    amount: payment.amount,
    status: [shape, words],
    sentence: sentenceOf(request, page),
    advice,
    next: receipt_url !== null && receiptAgain(request, page, receipt_url),
    story: operationStory(request, {
      ...{ kind: 'payment', operator: payment.operator, moves, order },
      traces: [...begun(request, page), ...traceEvents(request, page.traces, names, page.payment.operator)],
    }),
    rows: factsOf(request, page),
    facts: page,
  })
}

/** Sends the payer's page with their receipt again, for the payer who has lost it. Neither text nor address has their number. */
function receiptAgain({ say, merchant_name }: ScreenRequest<'console'>, { payment }: PaymentPage, url: string): Piece {
  if (payment.succeeded_at === null) return false
  const text = say(
    ['{merchant} : reçu de {amount}, code {code}. {url}', '{merchant}: receipt of {amount}, code {code}. {url}'],
    { merchant: merchant_name, amount: writeAmount(payment.amount), code: shortCode(payment.id), url },
  )
  const words = say(['Renvoyer le reçu par WhatsApp', 'Send the receipt again by WhatsApp'])
  return html`<p class="acts">${whatsApp(words, text, 'second')}</p>`
}

/** The facts of a payment, each with its name. */
function factsOf({ say, at, language }: ScreenRequest<'console'>, { payment, own, ...page }: PaymentPage): Html {
  const { succeeded_at } = payment
  const paid = succeeded_at !== null
  const lost = payment.status === 'failed' || payment.status === 'expired'
  return rows([
    { name: say(['Montant', 'Amount']), value: writeAmount(payment.amount) },
    payment.amount_collected !== payment.amount && {
      name: say(['Pris au client', 'Taken from the payer']),
      value: writeAmount(payment.amount_collected),
    },
    { name: say(['Frais', 'Fees']), value: writeAmount(payment.fee_amount) },
    !lost && {
      name: paid ? say(['Vous recevez', 'You receive']) : say(['Vous recevrez', 'You will receive']),
      value: writeAmount(payment.net_amount),
      all: true,
    },
    ...page.refunds.map((refund) => {
      const [mark, said] = statusWords.refund[refund.status]
      return {
        name: say(['Rendu', 'Refund']),
        value: html`<a href="${at(`/refunds/${refund.id}`)}">${writeAmount(refund.amount)}</a> ${status(mark, say(said))}`,
      }
    }),
    payment.payer !== null && {
      name: say(['Numéro', 'Number']),
      value: figures(writeNumberEnd(payment.payer.slice(-4))),
    },
    payment.operator !== null && {
      name: say(['Opérateur', 'Operator']),
      value: isOperatorCode(payment.operator) ? operatorName(payment.operator) : payment.operator,
    },
    payment.merchant_reference !== null && {
      name: say(['Votre référence', 'Your reference']),
      value: id(payment.merchant_reference),
    },
    page.label?.reference != null && { name: say(['Référence', 'Reference']), value: id(page.label.reference) },
    page.label?.amount_source === 'address' && {
      name: say(['Montant', 'Amount']),
      value: say([
        'écrit dans l’adresse du lien : comparez-le au prix',
        'written in the address of the link: compare it with the price',
      ]),
    },
    page.operator_reference !== null && {
      name: say(['Chez l’opérateur', 'At the operator']),
      value: id(page.operator_reference),
    },
    own.description !== null && { name: say(['Objet', 'Description']), value: own.description },
    ...Object.entries(own.metadata ?? {}).map(([name, value]) => ({
      name,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    })),
    page.link !== null && {
      name: say(['Lien', 'Link']),
      value: html`<a href="${at(`/links/${page.link.id}`)}">${page.link.description ?? id(page.link.id)}</a>`,
    },
    payment.checkout_session_id !== undefined && {
      name: say(['Page de paiement', 'Payment page']),
      value: html`<a href="${at(`/sessions/${payment.checkout_session_id}`)}">${id(payment.checkout_session_id)}</a>`,
    },
    { name: say(['Créé', 'Created']), value: writeShortDate(new Date(payment.created_at), language) },
    paid && { name: say(['Payé', 'Paid']), value: writeShortDate(new Date(succeeded_at), language) },
    paid && { name: say(['Code du reçu', 'Code of the receipt']), value: figures(shortCode(payment.id)) },
    { name: say(['Numéro du paiement', 'Identifier']), value: id(payment.id) },
  ])
}

/** The beginning of a payment that no call of the merchant's program made. */
function begun({ say }: ScreenRequest<'console'>, { payment, link, traces }: PaymentPage): Happened[] {
  if (traces.call !== null) return []
  const text =
    link === null
      ? say(['Paiement demandé', 'Payment requested'])
      : say(['Demandé par le lien « {link} »', 'Requested through the link “{link}”'], {
          link: link.description ?? link.id,
        })
  return [{ at: new Date(payment.created_at), begins: true, icon: link === null ? 'log' : 'link', text }]
}

function sentenceOf({ say, language }: ScreenRequest<'console'>, { payment, in_doubt }: PaymentPage): string {
  const operator = operatorInWords(payment.operator, say)
  const net = writeAmount(payment.net_amount)
  if (in_doubt) {
    return say(
      [
        'Nous ne savons pas encore si le client a payé : {operator} n’a pas confirmé.',
        'We do not know yet whether the payer has paid: {operator} has not confirmed.',
      ],
      { operator },
    )
  }
  switch (payment.status) {
    case 'created':
      return say([
        'La demande va partir. Rien n’est encore payé.',
        'The request is about to leave. Nothing is paid yet.',
      ])
    case 'pending':
      return say(
        [
          '{operator} attend l’accord du client. Rien n’est encore payé.',
          '{operator} waits for the payer. Nothing is paid yet.',
        ],
        { operator },
      )
    case 'succeeded':
      return say(
        [
          'Le client a payé avec {operator} le {when}. Vous recevez {net}, ajoutés à votre solde disponible.',
          'The payer paid with {operator} on {when}. You receive {net}, added to your available balance.',
        ],
        { operator, net, when: writeShortDate(new Date(payment.succeeded_at!), language) },
      )
    case 'failed':
      return say(['{why} Rien n’est payé.', '{why} Nothing is paid.'], {
        why: sayFailure(say, payment.failure_code),
      })
    case 'expired':
      return say([
        'Le client n’a pas payé à temps. Rien n’est payé.',
        'The payer did not pay in time. Nothing is paid.',
      ])
    case 'refunded':
    case 'partially_refunded':
      return say(['Le client a payé, puis {sum} lui sont rendus.', 'The payer paid, then {sum} were refunded.'], {
        sum: writeAmount(payment.amount_refunded ?? 0),
      })
  }
}

/** Writes the reason of a failure as a sentence. */
export function sayFailure(say: ScreenRequest<'console'>['say'], code: string | null): string {
  const words: Words = failureWords[code as FailureCode] ?? failureWords.operator_refused
  return say(words)
}
