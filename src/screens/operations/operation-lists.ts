import { figures, id, operatorName, status } from '../../console/components.ts'
import { rowLink } from '../../console/list.ts'
import { amount, type ListColumn, moment, type StateWords, wordsOf } from '../../console/lists/columns.ts'
import { byId, defineList } from '../../console/lists/define-list.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { operationColumns } from '../../listings/export-columns.ts'
import { findOperations } from '../../listings/find-operations.ts'
import { allOf, idPrefixes, type ListedOperation, type OperationKind } from '../../listings/listed-operation.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeNumber, writeNumberEnd } from '../../platform/http/pages/write-values.ts'
import { type OperatorCode, operatorNames } from '../../values/operators.ts'
import type { MerchantRight } from '../../values/rights.ts'
import { addressOf } from '../subject-link.ts'
import { filteredWords, inBoth, operationFilters, reasonWords } from './list-filters.ts'

type Request = ScreenRequest<'console'>

type OperationWords = {
  readonly name: string
  readonly right: MerchantRight
  readonly title: Words
  readonly none: Words
  readonly columns: readonly ListColumn<ListedOperation>[]
}

/** Declares the list of a merchant's operations of one kind. */
export function operationList(kind: OperationKind, { name, right, title, none, columns }: OperationWords) {
  return defineList({
    name,
    rows: 'operations',
    path: `/${name}`,
    right,
    title,
    filters: operationFilters(kind, wordsOf(statusesOf(kind))),
    filtered: filteredWords(kind),
    cursor: byId('starting_after', idPrefixes[kind]),
    read: (db, tenant, wanted, page) => findOperations(db, tenant, { ...allOf(kind), ...wanted }, page),
    columns,
    size: kind === 'settlement' ? 'few' : 'many',
    none: { icon: kind === 'payment' ? 'in' : 'out', title: none },
    // The merchant chose the recipients of its payouts, so it may see their whole numbers.
    file: operationColumns(kind === 'payout'),
    worded: { status: wordsOf(statusesOf(kind)), operator: inBoth(operatorNames), failure_code: reasonWords() },
  })
}

/** Returns the shape and words of each status of a kind. */
export function statusesOf(kind: OperationKind): StateWords<string> {
  const { in_doubt: _, ...payment } = statusWords.payment
  return kind === 'payment' ? payment : statusWords[kind]
}

/** The columns of a list, between the counterparty and the amount. */
function columnsOf(
  kind: OperationKind,
  party: Words,
  more: readonly ListColumn<ListedOperation>[],
): readonly ListColumn<ListedOperation>[] {
  const states = statusesOf(kind)
  return [
    (request) => ({ title: request.say(party), kind: 'k', cell: (row) => partyCell(request, row) }),
    ({ say }) => ({
      title: say(['État', 'State']),
      kind: 's',
      cell: (row) => {
        const known = states[row.status]
        return known === undefined ? row.status : status(known[0], say(known[1]))
      },
    }),
    ...more,
    moment(({ created_at }) => created_at),
    amount(['Montant, F CFA', 'Amount, F CFA'], (row) => row.amount),
  ]
}

const operator: ListColumn<ListedOperation> = ({ say }) => ({
  title: say(['Opérateur', 'Operator']),
  kind: '',
  cell: (row) => operatorName(row.operator as OperatorCode | null),
})

const reference: ListColumn<ListedOperation> = ({ say }) => ({
  title: say(['Référence', 'Reference']),
  kind: 'w',
  cell: (row) => (row.reference === null ? '' : id(row.reference)),
})

export const paymentList = operationList('payment', {
  name: 'payments',
  right: 'payments.read',
  title: ['Paiements', 'Payments'],
  none: ['Aucun paiement ici', 'No payment here'],
  columns: columnsOf('payment', ['Payé par', 'Paid by'], [operator, reference]),
})

export const payoutList = operationList('payout', {
  name: 'payouts',
  right: 'payouts.read',
  title: ['Envois', 'Payouts'],
  none: ['Aucun envoi ici', 'No payout here'],
  columns: columnsOf('payout', ['Envoyé à', 'Sent to'], [operator, reference]),
})

export const batchList = operationList('batch', {
  name: 'batches',
  right: 'payouts.read',
  title: ['Lots', 'Batches'],
  none: ['Aucun lot ici', 'No batch here'],
  columns: columnsOf('batch', ['Lot', 'Batch'], [reference]),
})

export const refundList = operationList('refund', {
  name: 'refunds',
  right: 'payments.read',
  title: ['Remboursements', 'Refunds'],
  none: ['Aucun remboursement ici', 'No refund here'],
  columns: columnsOf('refund', ['Paiement', 'Payment'], []),
})

/**
 * The cell of a row's counterparty: the last four digits of a payer, the whole number of a recipient, because the merchant chose it. A refund
 * without a reason is known by its payment.
 */
export function partyCell(request: Request, row: ListedOperation): Html {
  const number = numberOf(row)
  const payment = row.kind === 'refund' && row.parent_id !== null ? id(row.parent_id) : null
  const nameless = request.say(['Sans nom', 'No name'])
  const main = row.name ?? number ?? row.reference ?? row.description ?? payment ?? nameless
  const reason = row.kind === 'settlement' && row.description !== null ? ` · ${row.description}` : ''
  const under = row.name === null ? (row.description ?? '') : `${number ?? ''}${reason}`
  const page = addressOf(request, row.kind === 'batch' ? 'payout_batch' : row.kind, row.id)
  // This person may not see its page.
  if (page === null) return html`${main}${under !== '' && html`<span class="sub">${figures(under)}</span>`}`
  return rowLink(page, main, under === main ? '' : under)
}

function numberOf({ kind, msisdn, last4 }: ListedOperation): string | null {
  if (kind === 'payout' && msisdn !== null) return writeNumber(`0${msisdn.e164.slice(-9)}`)
  if (!last4) return last4
  return kind === 'settlement' ? `•• ${last4}` : writeNumberEnd(last4)
}
