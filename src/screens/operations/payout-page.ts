import { figures, id, linkButton, note, operatorName, rows } from '../../console/components.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { type BatchToDecide, readBatchToDecide } from '../../payout-batches/approval-store.ts'
import { type RequestToDecide, readRequestOfPayout } from '../../payouts/approval-store.ts'
import { readOwnPayout } from '../../payouts/find-payouts.ts'
import type { PayoutRow } from '../../payouts/payout.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeNumber, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { TransitionRead } from '../../platform/postgres/record-transitions.ts'
import type { Tenant } from '../../values/caller.ts'
import { isOperatorCode } from '../../values/operators.ts'
import type { Names } from '../approvals/words.ts'
import { readStopsFor, type StopOf, stopHolding, stopNotes } from '../stop-note.ts'
import { subjectLink } from '../subject-link.ts'
import { operationPage } from './operation-page.ts'
import { type OrderStory, operationStory, operatorInWords, readOrderStory } from './operation-story.ts'
import { sayFailure } from './payment-page.ts'
import { readTraces, type Traces } from './read-traces.ts'
import { decisionEvent, type Happened, traceEvents } from './trace-events.ts'

/** A payout as its merchant sees it. The recipient's number is whole, because the merchant chose it. */
export type PayoutPage = {
  readonly payout: PayoutRow
  readonly moves: readonly TransitionRead[]
  readonly order: OrderStory
  readonly traces: Traces
  readonly operator_reference: string | null
  /** The stop of the company that holds it. Null: none, or it has left already. */
  readonly stop: StopOf | null
  readonly batch: Pick<
    BatchToDecide,
    'id' | 'reference' | 'line_count' | 'approved_at' | 'made_by' | 'decided_by' | 'created_at'
  > | null
  /** The request from which it came. Null when no cap held it. */
  readonly asked: Pick<RequestToDecide, 'id' | 'made_by' | 'decided_by' | 'decided_at' | 'created_at'> | null
}

/** Reads the facts on the page of a payout. Null when it is not this merchant's, or not of this mode. */
export async function readPayoutPage(db: Db, tenant: Tenant, payout_id: string): Promise<PayoutPage | null> {
  const found = await readOwnPayout(db, { ...tenant, payout_id })
  if (found === null) return null
  const { payout, moves, instruction } = found
  const { batch_id } = payout
  const [batch, request] = await Promise.all([
    batch_id === null ? null : readBatchToDecide(db, { ...tenant, batch_id }),
    batch_id === null ? readRequestOfPayout(db, tenant, payout_id) : null,
  ])
  const made = request ?? payout
  const [stops, order, traces] = await Promise.all([
    payout.status === 'created' ? readStopsFor(db, tenant) : [],
    readOrderStory(db, instruction),
    readTraces(db, tenant, payout_id, batch === null ? { subject_id: made.id, made_at: made.created_at } : null),
  ])
  return {
    ...{ payout, order, moves, traces },
    stop: stopHolding(stops, payout.operator),
    operator_reference: instruction?.operator_reference ?? null,
    batch:
      batch && pick(batch, ['id', 'reference', 'line_count', 'approved_at', 'made_by', 'decided_by', 'created_at']),
    asked: request && pick(request, ['id', 'made_by', 'decided_by', 'decided_at', 'created_at']),
  }
}

function pick<Row, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>
}

/** The page of one payout: its state in a sentence, its timeline, and the facts. */
export function payoutView(request: ScreenRequest<'console'>, page: PayoutPage, names: Names): ScreenView {
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
    { name: say(['Créé', 'Created']), value: writeShortDate(payout.created_at, language) },
    { name: say(['Numéro de l’envoi', 'Identifier']), value: id(payout.id) },
  ])
  return operationPage(request, {
    list: { path: '/payouts', words: ['Envois', 'Payouts'] },
    title: say(['Envoi de ', 'Payout of ']),
    amount: payout.amount,
    status: [shape, words],
    sentence: sentenceOf(request, page),
    advice: adviceOf(request, page),
    next: nextOf(request, payout),
    story: operationStory(request, {
      ...{ kind: 'payout', operator: payout.operator, moves, order },
      traces: [...decided(request, page, names), ...traceEvents(request, page.traces, names, page.payout.operator)],
    }),
    rows: facts,
    facts: page,
  })
}

/** Advice while it is not final: that it waits for a stop to end, and not to send it again. */
function adviceOf({ say, language }: ScreenRequest<'console'>, { payout, stop }: PayoutPage): Html {
  if (payout.status === 'created' && stop !== null) return stopNotes({ say, language }, [stop])
  if (payout.status === 'created' || payout.status === 'processing') {
    const leave = say([
      'Vous pouvez quitter cette page. Ne refaites pas cet envoi.',
      'You may leave this page. Do not send it again.',
    ])
    return html`<div><p class="hint">${leave}</p></div>`
  }
  if (payout.status !== 'indeterminate') return html``
  return note(
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
}

/** The acts that may follow once it has ended: send again, or to another number. */
function nextOf({ say, at, can }: ScreenRequest<'console'>, { id: payout_id, status, failure_code }: PayoutRow): Html {
  if (!can('payouts.make') || (status !== 'succeeded' && status !== 'failed')) return html``
  const again = at(`/send?again=${payout_id}`)
  if (status === 'succeeded')
    return html`<div><p class="acts">${linkButton(again, say(['Envoyer encore', 'Send again']), 'second')}</p></div>`
  const other = linkButton(at('/send'), say(['Vers un autre numéro', 'To another number']), 'second')
  const words =
    failure_code === 'recipient_not_found'
      ? say(['Choisir un autre opérateur', 'Choose another operator'])
      : say(['Renvoyer au même numéro', 'Send to the same number again'])
  return html`<div><p class="acts">${linkButton(again, words)}${other}</p></div>`
}

/** The people who requested and approved a payout: of a request or a batch. A call of the merchant's program made other payouts. */
function decided(request: ScreenRequest<'console'>, page: PayoutPage, names: Names): Happened[] {
  const { asked, batch, traces, payout } = page
  const { say } = request
  const of = asked ?? batch
  if (of === null) {
    return traces.call === null
      ? [{ at: payout.created_at, begins: true, icon: 'log', text: say(['Envoi demandé', 'Payout requested']) }]
      : []
  }
  const seen = say(['Voir la demande', 'See the request'])
  const asking = { noun: 'payout_request', id: of.id, words: seen } as const
  const under = html`<p>${batch === null ? subjectLink(request, asking) : batchPiece(request, page)}</p>`
  const made =
    batch === null ? (['Demandé par', 'Requested by'] as const) : (['Lot fait par', 'Batch created by'] as const)
  const at = asked === null ? batch!.approved_at : asked.decided_at
  return [
    ...(traces.call === null
      ? [
          {
            ...decisionEvent(request, names, { at: of.created_at, person: of.made_by, words: made, under }),
            begins: true,
          } as const,
        ]
      : []),
    ...(of.decided_by === null || at === null
      ? []
      : [decisionEvent(request, names, { at, person: of.decided_by, words: ['Approuvé par', 'Approved by'], under })]),
  ]
}

function numberOf({ msisdn }: PayoutRow): string {
  return writeNumber(msisdn.replace(/^\+225/, ''))
}

function takenWords({ say }: ScreenRequest<'console'>, { status }: PayoutRow): string {
  if (status === 'succeeded') return say(['Pris en tout', 'Taken in all'])
  return status === 'failed'
    ? say(['Revenu dans l’argent de vos envois', 'Back in your money for payouts'])
    : say(['Mis de côté', 'Set aside'])
}

/** The batch's name with its link, and the payout's line in it. */
function batchPiece({ say, at }: ScreenRequest<'console'>, { batch, payout }: PayoutPage) {
  const { id: batch_id, reference, line_count: n } = batch!
  const words = reference ?? say(['Lot', 'Batch'])
  const rank = say(['ligne {rank} sur {n}', 'line {rank} of {n}'], { rank: payout.rank!, n })
  return html`<a href="${at(`/batches/${batch_id}`)}">${words}</a>, ${rank}`
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
          'L’envoi à {name} a échoué. {why} {total} sont revenus dans l’argent de vos envois.',
          'The payout to {name} failed. {why} {total} are back in your money for payouts.',
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
