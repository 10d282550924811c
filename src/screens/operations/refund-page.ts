import { id, note, operatorName, rows } from '../../console/components.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import type { Registry } from '../../operators/routing/registry.ts'
import { html } from '../../platform/http/html.ts'
import { writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { TransitionRead } from '../../platform/postgres/record-transitions.ts'
import { type OwnRefund, readAwaitedRefund, readOwnRefund } from '../../refunds/find-refunds.ts'
import type { Tenant } from '../../values/caller.ts'
import { isOperatorCode } from '../../values/operators.ts'
import type { Names } from '../approvals/words.ts'
import { subjectLink } from '../subject-link.ts'
import { operationPage } from './operation-page.ts'
import { type OrderStory, operationStory, operatorInWords, readOrderStory } from './operation-story.ts'
import { sayFailure } from './payment-page.ts'
import { readTraces, type Traces } from './read-traces.ts'
import { traceEvents } from './trace-events.ts'

/** A refund as its merchant sees it. */
export type RefundPage = {
  readonly refund: OwnRefund
  /** The refund of the same payment for which it waits. Null: none. */
  readonly waits_for: string | null
  readonly moves: readonly TransitionRead[]
  readonly order: OrderStory
  readonly traces: Traces
}

/** Reads the facts on the page of a refund. Null when it is not this merchant's, or not of this mode. */
export async function readRefundPage(
  { sql: db, registry }: { sql: Db; registry: Registry },
  tenant: Tenant,
  refund_id: string,
): Promise<RefundPage | null> {
  const found = await readOwnRefund(db, { ...tenant, refund_id })
  if (found === null) return null
  const { refund, moves, instruction } = found
  const [order, traces, waits_for] = await Promise.all([
    readOrderStory(db, instruction),
    readTraces(db, tenant, refund_id, null),
    readAwaitedRefund({ sql: db, registry }, { ...tenant, refund_id }),
  ])
  return { refund, waits_for, moves, order, traces }
}

/** The page of one refund: its state in a sentence, its timeline, and the facts with the link to its payment. */
export function refundView(request: ScreenRequest<'console'>, page: RefundPage, names: Names): ScreenView {
  const { say, language } = request
  const { refund, moves, order, traces } = page
  const [shape, words] = statusWords.refund[refund.status]
  const facts = rows([
    { name: say(['Montant', 'Amount']), value: writeAmount(refund.amount) },
    { name: say(['Rendu au client', 'Returned to the payer']), value: writeAmount(refund.amount_returned) },
    { name: say(['Frais qui vous reviennent', 'Fees returned to you']), value: writeAmount(refund.fee_amount) },
    {
      name: say(['Pris sur votre solde', 'Taken from your balance']),
      value: writeAmount(refund.status === 'failed' ? 0 : refund.net_amount),
      all: true,
    },
    {
      name: say(['Paiement', 'Payment']),
      value: subjectLink(request, { noun: 'payment', id: refund.payment_id, words: id(refund.payment_id) }),
    },
    page.waits_for !== null && {
      name: say(['Attend la fin de', 'Waits for the end of']),
      value: subjectLink(request, { noun: 'refund', id: page.waits_for, words: id(page.waits_for) }),
    },
    refund.operator !== null && {
      name: say(['Opérateur', 'Operator']),
      value: isOperatorCode(refund.operator) ? operatorName(refund.operator) : refund.operator,
    },
    refund.reason !== null && { name: say(['Raison', 'Reason']), value: refund.reason },
    refund.hand_reference !== null && { name: say(['Preuve', 'Proof']), value: id(refund.hand_reference) },
    { name: say(['Demandé', 'Requested']), value: writeShortDate(refund.created_at, language) },
    { name: say(['Numéro du remboursement', 'Identifier']), value: id(refund.id) },
  ])
  const asked = say(['Demandé par l’équipe du service', 'Requested by the team of the service'])
  const under = refund.reason === null ? null : html`<p>${refund.reason}</p>`
  return operationPage(request, {
    list: { path: '/refunds', words: ['Remboursements', 'Refunds'] },
    title: say(['Remboursement de ', 'Refund of ']),
    amount: refund.amount,
    status: [shape, words],
    sentence: sentenceOf(request, refund),
    advice:
      refund.status === 'processing' &&
      note(
        'plain',
        null,
        say([
          'Ne rendez pas cet argent vous-même : le client serait remboursé deux fois.',
          'Do not return this money yourself: the payer would be refunded twice.',
        ]),
      ),
    story: operationStory(request, {
      ...{ kind: 'refund', operator: refund.operator, moves, order },
      traces: [
        { at: refund.created_at, begins: true, icon: 'person', text: asked, under },
        ...traceEvents(request, traces, names, refund.operator),
      ],
    }),
    rows: facts,
    facts: page,
  })
}

function sentenceOf({ say, language }: ScreenRequest<'console'>, refund: OwnRefund): string {
  const operator = operatorInWords(refund.operator, say)
  const sum = writeAmount(refund.amount_returned)
  switch (refund.status) {
    case 'requested':
      return say(
        [
          '{sum} vont être rendus au client. Votre part est déjà prise sur votre solde.',
          '{sum} are about to be returned to the payer. Your share has already been taken from your balance.',
        ],
        { sum },
      )
    case 'processing':
      return say(
        [
          '{operator} rend {sum} au client, et n’a pas encore confirmé.',
          '{operator} is returning {sum} to the payer and has not confirmed yet.',
        ],
        { operator, sum },
      )
    case 'manual':
      return say(
        [
          'Notre équipe rend {sum} au client à la main : l’opérateur ne le fait pas.',
          'Our team returns {sum} to the payer by hand, because the operator does not.',
        ],
        { sum },
      )
    case 'succeeded':
      return say(['Le client a reçu {sum} le {when}.', 'The payer received {sum} on {when}.'], {
        sum,
        when: writeShortDate(refund.concluded_at ?? refund.created_at, language),
      })
    case 'failed':
      return say(
        [
          'Le remboursement a échoué. {why} {net} reviennent sur votre solde disponible.',
          'The refund failed. {why} {net} are back in your available balance.',
        ],
        { why: refund.closing_reason ?? sayFailure(say, refund.failure_code), net: writeAmount(refund.net_amount) },
      )
  }
}
