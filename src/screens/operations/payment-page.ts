import { readSession } from '../../checkout/store.ts'
import { figures, id, note, operatorName, rows, status } from '../../console/components.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { usualSilence } from '../../operators/port.ts'
import { readPaymentFile } from '../../payments/find-payments.ts'
import { type OwnWords, readPaymentsOf } from '../../payments/store.ts'
import { html } from '../../platform/http/html.ts'
import { writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { FailureCode } from '../../values/failure-codes.ts'
import { isOperatorCode } from '../../values/operators.ts'
import { failureWords } from './failure-words.ts'
import { operationPage } from './operation-page.ts'
import { type OrderStory, operationStory, operatorInWords, readOrderStory } from './operation-story.ts'

type File = NonNullable<Awaited<ReturnType<typeof readPaymentFile>>>

/** One payment as its merchant sees it: the number of its payer by its last four digits. */
export type PaymentPage = {
  readonly payment: File['payment']
  readonly own: OwnWords
  readonly moves: File['moves']
  readonly order: OrderStory
  readonly operator_reference: string | null
  /** Sent, and its operator has not concluded it in its time. */
  readonly in_doubt: boolean
  /** The link that its session was opened from. */
  readonly link_id: string | null
}

/** Everything on the page of a payment; null: it is not this merchant's, or not of this mode. */
export async function readPaymentPage(sql: Sql, tenant: Tenant, payment_id: string): Promise<PaymentPage | null> {
  const [row] = await readPaymentsOf(sql, tenant, [payment_id])
  const file = row && (await readPaymentFile(sql, payment_id))
  if (!row || !file) return null
  const { checkout_session_id: session_id, description, metadata } = row
  const { payment, moves, instruction } = file
  const [order, session] = await Promise.all([
    readOrderStory(sql, instruction),
    session_id === null ? null : readSession(sql, { ...tenant, session_id }),
  ])
  const silent = instruction?.state === 'unknown' || (instruction?.sent_ms_ago ?? 0) > usualSilence()
  return {
    ...{ payment, moves, order, own: { description, metadata } },
    operator_reference: instruction?.operator_reference ?? null,
    in_doubt: payment.status === 'pending' && silent,
    link_id: session?.link_id ?? null,
  }
}

/** The page of one payment: how it stands in a sentence, its whole story, and the facts. */
export function paymentView(request: ScreenRequest<'console'>, page: PaymentPage): ScreenView {
  const { say, at, language } = request
  const { payment, own, order, moves, in_doubt } = page
  const [shape, words] = statusWords.payment[in_doubt ? 'in_doubt' : payment.status]
  const { succeeded_at } = payment
  const paid = succeeded_at !== null
  const lost = payment.status === 'failed' || payment.status === 'expired'
  const facts = rows([
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
    !!payment.amount_refunded && {
      name: say(['Remboursé', 'Refunded']),
      value: html`<a href="${at('/refunds')}">${writeAmount(payment.amount_refunded)}</a>`,
    },
    payment.payer !== null && { name: say(['Numéro', 'Number']), value: figures(`•• ${payment.payer.slice(-4)}`) },
    payment.operator !== null && {
      name: say(['Opérateur', 'Operator']),
      value: isOperatorCode(payment.operator) ? operatorName(payment.operator) : payment.operator,
    },
    payment.merchant_reference !== null && {
      name: say(['Votre référence', 'Your reference']),
      value: id(payment.merchant_reference),
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
    page.link_id !== null && {
      name: say(['Lien', 'Link']),
      value: html`<a href="${at('/links')}">${say(['voir vos liens', 'see your links'])}</a>`,
    },
    payment.checkout_session_id !== undefined && {
      name: say(['Page de paiement', 'Payment page']),
      value: id(payment.checkout_session_id),
    },
    { name: say(['Créé', 'Made']), value: writeShortDate(new Date(payment.created_at), language) },
    paid && { name: say(['Payé', 'Paid']), value: writeShortDate(new Date(succeeded_at), language) },
    { name: say(['Numéro du paiement', 'Identifier']), value: id(payment.id) },
  ])
  const advice =
    in_doubt &&
    note(
      'care',
      say(['Ne lui demandez pas de payer une deuxième fois', 'Do not ask for a second payment']),
      say([
        'Nous demandons à l’opérateur jusqu’à une preuve. Sinon, une personne de l’équipe s’en occupe.',
        'We ask the operator until there is proof. Otherwise, somebody of the team takes care of it.',
      ]),
    )
  return operationPage(request, {
    list: { path: '/payments', words: ['Paiements', 'Payments'] },
    title: say(['Paiement de ', 'Payment of ']),
    amount: payment.amount,
    status: status(shape, say(words)),
    sentence: sentenceOf(request, page),
    advice,
    story: operationStory(request, {
      ...{ kind: 'payment', operator: payment.operator, moves, order },
      created: { at: new Date(payment.created_at), words: say(['Paiement demandé', 'Payment asked for']) },
    }),
    rows: facts,
    facts: page,
  })
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
      return say(['Le client a payé, puis {sum} lui sont rendus.', 'The payer paid, then {sum} were given back.'], {
        sum: writeAmount(payment.amount_refunded ?? 0),
      })
  }
}

/** Why it failed, as a sentence. */
export function sayFailure(say: ScreenRequest<'console'>['say'], code: string | null): string {
  const words: Words = failureWords[code as FailureCode] ?? failureWords.operator_refused
  return say(words)
}
