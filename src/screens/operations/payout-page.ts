import { figures, id, note, operatorName, rows, status } from '../../console/components.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { type BatchToDecide, readBatchToDecide } from '../../payout-batches/approval-store.ts'
import { readPayoutFile } from '../../payouts/find-payouts.ts'
import type { PayoutRow } from '../../payouts/payout.ts'
import { readPayout } from '../../payouts/store.ts'
import { html } from '../../platform/http/html.ts'
import { writeAmount, writeNumber, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { TransitionRead } from '../../platform/postgres/record-transitions.ts'
import type { Tenant } from '../../values/caller.ts'
import { isOperatorCode } from '../../values/operators.ts'
import { operationPage } from './operation-page.ts'
import { type OrderStory, operationStory, operatorInWords, readOrderStory } from './operation-story.ts'
import { sayFailure } from './payment-page.ts'

/** One payout as its merchant sees it: the recipient's number is whole, because the merchant chose it. */
export type PayoutPage = {
  readonly payout: PayoutRow
  readonly moves: readonly TransitionRead[]
  readonly order: OrderStory
  readonly operator_reference: string | null
  readonly batch: Pick<BatchToDecide, 'id' | 'reference' | 'line_count' | 'approved_at'> | null
}

/** Everything on the page of a payout; null: it is not this merchant's, or not of this mode. */
export async function readPayoutPage(db: Db, tenant: Tenant, payout_id: string): Promise<PayoutPage | null> {
  const payout = await readPayout(db, { ...tenant, payout_id })
  const file = payout && (await readPayoutFile(db, payout_id))
  if (!payout || !file) return null
  const { batch_id } = payout
  const [order, batch] = await Promise.all([
    readOrderStory(db, file.instruction),
    batch_id === null ? null : readBatchToDecide(db, { ...tenant, batch_id }),
  ])
  return {
    ...{ payout, order, moves: file.moves },
    operator_reference: file.instruction?.operator_reference ?? null,
    batch: batch && {
      ...{ id: batch.id, reference: batch.reference },
      ...{ line_count: batch.line_count, approved_at: batch.approved_at },
    },
  }
}

/** The page of one payout: how it stands in a sentence, its whole story, and the facts. */
export function payoutView(request: ScreenRequest<'console'>, page: PayoutPage): ScreenView {
  const { say, language } = request
  const { payout, order, moves } = page
  const [shape, words] = statusWords.payout[payout.status]
  const name = payout.name ?? payout.label
  const facts = rows([
    { name: say(['Montant', 'Amount']), value: writeAmount(payout.amount) },
    { name: say(['Frais', 'Fees']), value: writeAmount(payout.fee_amount) },
    { name: takenWords(request, payout), value: writeAmount(payout.total_debited), all: true },
    name !== null && { name: say(['Pour', 'For']), value: name },
    { name: say(['Numéro', 'Number']), value: figures(numberOf(payout)) },
    payout.operator !== null && {
      name: say(['Opérateur', 'Operator']),
      value: isOperatorCode(payout.operator) ? operatorName(payout.operator) : payout.operator,
    },
    payout.reference !== null && { name: say(['Votre référence', 'Your reference']), value: id(payout.reference) },
    page.operator_reference !== null && {
      name: say(['Chez l’opérateur', 'At the operator']),
      value: id(page.operator_reference),
    },
    page.batch !== null && { name: say(['Lot', 'Batch']), value: batchPiece(request, page) },
    { name: say(['Créé', 'Made']), value: writeShortDate(payout.created_at, language) },
    { name: say(['Numéro de l’envoi', 'Identifier']), value: id(payout.id) },
  ])
  const advice =
    payout.status === 'indeterminate' &&
    note(
      'care',
      say(['Ne refaites pas cet envoi', 'Do not send it again']),
      say(
        [
          'S’il est arrivé, la personne serait payée deux fois. Nous ne le renvoyons pas non plus : nous demandons à {operator} jusqu’à une preuve.',
          'If it has arrived, the person would be paid twice. We do not send it again either: we ask {operator} until there is proof.',
        ],
        { operator: operatorInWords(payout.operator, say) },
      ),
    )
  const asked = say(['Envoi demandé, {sum} mis de côté', 'Payout asked for, {sum} set aside'], {
    sum: writeAmount(payout.total_debited),
  })
  return operationPage(request, {
    list: { path: '/payouts', words: ['Envois', 'Payouts'] },
    title: say(['Envoi de ', 'Payout of ']),
    amount: payout.amount,
    status: status(shape, say(words)),
    sentence: sentenceOf(request, page),
    advice,
    story: operationStory(request, {
      ...{ kind: 'payout', operator: payout.operator, moves, order },
      created: { at: payout.created_at, words: asked },
    }),
    rows: facts,
    facts: page,
  })
}

function numberOf({ msisdn }: PayoutRow): string {
  return writeNumber(msisdn.replace(/^\+225/, ''))
}

function takenWords({ say }: ScreenRequest<'console'>, { status }: PayoutRow): string {
  if (status === 'succeeded') return say(['Dépensé', 'Spent'])
  return status === 'failed'
    ? say(['Revenu sur votre solde', 'Back in your balance'])
    : say(['Mis de côté', 'Set aside'])
}

/** The batch by its name and the line in it; the way to it where somebody approved it, because that page has something to say. */
function batchPiece({ say, at }: ScreenRequest<'console'>, { batch, payout }: PayoutPage) {
  const { id: batch_id, reference, line_count: n, approved_at } = batch!
  const words = reference ?? say(['Lot', 'Batch'])
  const rank = say(['ligne {rank} sur {n}', 'line {rank} of {n}'], { rank: payout.rank!, n })
  return html`${approved_at === null ? words : html`<a href="${at(`/approvals/${batch_id}`)}">${words}</a>`}, ${rank}`
}

function sentenceOf({ say, language }: ScreenRequest<'console'>, { payout, moves }: PayoutPage): string {
  const operator = operatorInWords(payout.operator, say)
  const name = payout.name ?? payout.label ?? numberOf(payout)
  const sum = writeAmount(payout.amount)
  switch (payout.status) {
    case 'created':
      return say(
        [
          'L’envoi à {name} va partir. L’argent est mis de côté.',
          'The payout to {name} is about to leave. The money is set aside.',
        ],
        { name },
      )
    case 'processing':
      return say(
        [
          '{operator} traite l’envoi à {name}. L’argent est mis de côté.',
          '{operator} processes the payout to {name}. The money is set aside.',
        ],
        { operator, name },
      )
    case 'succeeded':
      return say(
        ['{name} a reçu {sum} avec {operator} le {when}.', '{name} received {sum} with {operator} on {when}.'],
        {
          ...{ name, sum, operator },
          when: writeShortDate(moves.at(-1)?.transitioned_at ?? payout.created_at, language),
        },
      )
    case 'failed':
      return say(
        [
          'L’envoi à {name} a échoué. {why} {total} reviennent sur votre solde d’envoi.',
          'The payout to {name} failed. {why} {total} are back in your payout balance.',
        ],
        { name, why: sayFailure(say, payout.failure_code), total: writeAmount(payout.total_debited) },
      )
    case 'indeterminate':
      return say(
        [
          '{operator} n’a pas confirmé l’envoi à {name}. L’argent est mis de côté en attendant.',
          '{operator} has not confirmed the payout to {name}. The money is set aside meanwhile.',
        ],
        { operator, name },
      )
  }
}
