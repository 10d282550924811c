import { blank, figures, id, linkButton, operatorName, pageHead, panel, status } from '../../console/components.ts'
import { field, select } from '../../console/forms.ts'
import { type Column, chips, filters, leftOut, list, moneyCell, pages, rowLink, tabs } from '../../console/list.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import type { ListedOperation } from '../../listings/listed-operation.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeNumber, writeNumberEnd, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { FailureCode } from '../../values/failure-codes.ts'
import { type OperatorCode, operatorCodes, operatorNames } from '../../values/operators.ts'
import type { Page } from '../../values/page.ts'
import { addressOf } from '../subject-link.ts'
import { reasonsOfKind, sayReason } from './failure-words.ts'
import { type ChosenFilters, type FilterName, isStatusGroup, listAddress, type statusGroups } from './list-filters.ts'

type Request = ScreenRequest<'console'>

/** The words of a list of one kind. */
export type ListKind = {
  readonly kind: 'payment' | 'payout' | 'batch' | 'refund' | 'settlement'
  readonly path: string
  readonly title: Words
  readonly party: Words
  /** False for batches and refunds. */
  readonly has_operator: boolean
  readonly none: Words
}

export const listKinds = {
  payment: {
    kind: 'payment',
    path: '/payments',
    title: ['Paiements', 'Payments'],
    party: ['Payé par', 'Paid by'],
    has_operator: true,
    none: ['Aucun paiement ici', 'No payment here'],
  },
  payout: {
    kind: 'payout',
    path: '/payouts',
    title: ['Envois', 'Payouts'],
    party: ['Envoyé à', 'Sent to'],
    has_operator: true,
    none: ['Aucun envoi ici', 'No payout here'],
  },
  batch: {
    kind: 'batch',
    path: '/batches',
    title: ['Lots', 'Batches'],
    party: ['Lot', 'Batch'],
    has_operator: false,
    none: ['Aucun lot ici', 'No batch here'],
  },
  refund: {
    kind: 'refund',
    path: '/refunds',
    title: ['Remboursements', 'Refunds'],
    party: ['Paiement', 'Payment'],
    has_operator: false,
    none: ['Aucun remboursement ici', 'No refund here'],
  },
  settlement: {
    kind: 'settlement',
    path: '/settlements',
    title: ['Reversements', 'Settlements'],
    party: ['Versé à', 'Paid to'],
    has_operator: false,
    none: ['Aucun reversement ici', 'No settlement here'],
  },
} as const satisfies Record<string, ListKind>

type Status = readonly [Parameters<typeof status>[0], Words]

/** Returns the shape and words of each status of a kind. */
export function statusesOf(kind: ListKind['kind']): Readonly<Record<string, Status>> {
  const { in_doubt: _, ...payment } = statusWords.payment
  return kind === 'payment' ? payment : statusWords[kind]
}

/** Returns the address of an operation's page. Null when this person may not see it; the row is then text. */
function pageOfOperation(request: Request, { kind, id: of }: ListedOperation): string | null {
  return addressOf(request, kind === 'batch' ? 'payout_batch' : kind, of)
}

/** The words of a group of statuses. */
const groupWords: Readonly<Record<keyof typeof statusGroups, Words>> = {
  done: ['Réussis', 'Succeeded'],
  lost: ['Échoués ou expirés', 'Failed or expired'],
  ended: ['Finis', 'Ended'],
}

export type ListFacts = {
  readonly chosen: ChosenFilters
  readonly page: Page<ListedOperation>
  readonly starting_after: string
  /** The typed filters that cannot be read, and so are not applied. */
  readonly unread: readonly string[]
}

/**
 * The page of a list: its states, its filters, its rows, and the export of exactly these rows.
 * @param own `act`: a form beside the list; `columns`: in place of the usual ones
 */
export function listView(
  request: Request,
  what: ListKind,
  { chosen, page, starting_after, unread }: ListFacts,
  own: { readonly act?: Html; readonly columns?: Column<ListedOperation>[]; readonly size?: 'few' } = {},
): Html {
  const { say, at, can } = request
  const path = at(what.path)
  const address = (changed: Partial<ChosenFilters>, more = {}) => listAddress(path, { ...chosen, ...changed }, more)
  const states = Object.entries(statusesOf(what.kind))
  const on = chipsOf(request, what, chosen, address)
  const content =
    page.rows.length > 0
      ? html`${list({ caption: say(what.title), columns: own.columns ?? columnsOf(request, what), rows: page.rows, size: own.size ?? 'many' })}${pages(say, { newer: starting_after === '' ? null : address({}), older: page.after === null ? null : address({}, { starting_after: page.after }) })}`
      : blank(what.kind === 'payment' ? 'in' : 'out', {
          title: say(what.none),
          text: on.length > 0 ? say(['Retirez un filtre pour en voir plus.', 'Remove a filter to see more.']) : '',
          acts: on.length > 0 ? linkButton(path, say(['Tout voir', 'Show all']), 'second') : '',
        })
  const parts = [
    say(['Période', 'Period']),
    what.has_operator && say(['opérateur', 'operator']),
    say(['montant', 'amount']),
    what.kind !== 'refund' && say(['référence', 'reference']),
  ]
  const summary = parts.filter(Boolean).join(', ')
  const drawn = html`${tabs(
    say,
    ['État', 'State'],
    [
      { words: ['Tous', 'All'], to: address({ status: '' }), current: chosen.status === '' },
      ...states.map(([name, [, words]]) => ({
        words,
        // Only failures have a reason.
        to: address({ status: name, ...(name !== 'failed' && { reason: '' }) }),
        current: chosen.status === name,
      })),
    ],
  )}
${filters(say, summary, filterFields(request, what, chosen), { status: chosen.status })}
${leftOut(say, unread)}
${chips(say, on, can('exports.take') && page.rows.length > 0 ? (format) => listAddress(`${path}/export`, chosen, { format }) : null)}
${panel(null, content, { flush: true })}`
  return html`${pageHead({ title: say(what.title), lead: leadOf(request, what), acts: actsOf(request, what) })}
${own.act === undefined ? drawn : html`<div class="two flip">${own.act}<div>${drawn}</div></div>`}`
}

/** The link to the related list, of the same money. */
function leadOf({ say, at, can }: Request, { kind }: ListKind): Html | string {
  if (kind === 'payment')
    return html`<a href="${at('/refunds')}">${say(['Voir les remboursements', 'See the refunds'])}</a>`
  if (kind === 'refund')
    return html`<a href="${at('/payments')}">${say(['Voir les paiements', 'See the payments'])}</a>`
  if (kind === 'settlement') {
    return say([
      'Ce que le service vous doit, versé à votre destination.',
      'What the service owes you, paid to your destination.',
    ])
  }
  if (!can('payouts.read')) return ''
  return kind === 'payout'
    ? html`<a href="${at('/batches')}">${say(['Voir les lots', 'See the batches'])}</a>`
    : html`<a href="${at('/payouts')}">${say(['Voir les envois', 'See the payouts'])}</a>`
}

/** The link to a new operation of this kind. */
function actsOf({ say, at, can }: Request, { kind }: ListKind): Html | null {
  if (kind !== 'batch' || !can('payouts.make')) return null
  return linkButton(at('/batches/new'), say(['Nouveau lot depuis un fichier', 'New batch from a file']), '')
}

/** Whether failures of a kind have a reason. */
function failsForReason(kind: ListKind['kind']): kind is 'payment' | 'payout' | 'refund' {
  return kind === 'payment' || kind === 'payout' || kind === 'refund'
}

function filterFields({ say }: Request, { kind, has_operator }: ListKind, chosen: ChosenFilters): Html {
  const reasons = failsForReason(kind)
    ? reasonsOfKind(kind).map((value) => ({ value, label: sayReason(say, value) }))
    : null
  const operators = operatorCodes.map((code) => ({ value: code, label: operatorNames[code] }))
  return html`${field({ name: 'from', label: say(['Du', 'From']), type: 'date', value: chosen.from })}
${field({ name: 'to', label: say(['Au', 'To']), type: 'date', value: chosen.to })}
${has_operator && select({ name: 'operator', label: say(['Opérateur', 'Operator']), value: chosen.operator, choices: [{ value: '', label: say(['Tous', 'All']) }, ...operators] })}
${field({ name: 'min', label: say(['Au moins, F CFA', 'At least, F CFA']), value: chosen.min, more: { inputmode: 'numeric' } })}
${field({ name: 'max', label: say(['Au plus, F CFA', 'At most, F CFA']), value: chosen.max, more: { inputmode: 'numeric' } })}
${kind !== 'refund' && field({ name: 'reference', label: kind === 'settlement' ? say(['Référence de la banque', 'Reference of the bank']) : say(['Votre référence', 'Your reference']), value: chosen.reference })}
${reasons !== null && select({ name: 'reason', label: say(['Raison de l’échec', 'Failure reason']), value: chosen.reason, choices: [{ value: '', label: say(['Toutes', 'All']) }, ...reasons] })}`
}

function chipsOf(
  { say }: Request,
  { kind }: ListKind,
  chosen: ChosenFilters,
  address: (changed: Partial<ChosenFilters>) => string,
) {
  const words: Readonly<Record<FilterName, (value: string) => string>> = {
    status: (value) => say(isStatusGroup(value) ? groupWords[value] : (statusesOf(kind)[value]?.[1] ?? ['', ''])),
    from: (value) => say(['depuis le {day}', 'from {day}'], { day: value }),
    to: (value) => say(['jusqu’au {day}', 'to {day}'], { day: value }),
    operator: (value) => operatorNames[value as OperatorCode],
    min: (value) => say(['au moins {sum}', 'at least {sum}'], { sum: writeAmount(Number(value)) }),
    max: (value) => say(['au plus {sum}', 'at most {sum}'], { sum: writeAmount(Number(value)) }),
    reference: (value) => value,
    reason: (value) => sayReason(say, value as FailureCode),
  }
  return (Object.entries(chosen) as [FilterName, string][])
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ({ text: words[name](value), without: address({ [name]: '' }) }))
}

function columnsOf(request: Request, what: ListKind): Column<ListedOperation>[] {
  const { say, language } = request
  const states = statusesOf(what.kind)
  const operator: Column<ListedOperation> = {
    title: say(['Opérateur', 'Operator']),
    kind: '',
    cell: (row) => operatorName(row.operator as OperatorCode | null),
  }
  const reference: Column<ListedOperation> = {
    title: say(['Référence', 'Reference']),
    kind: 'w',
    cell: (row) => (row.reference === null ? '' : id(row.reference)),
  }
  return [
    { title: say(what.party), kind: 'k', cell: (row) => partyCell(request, row) },
    {
      title: say(['État', 'State']),
      kind: 's',
      cell: (row) => {
        const known = states[row.status]
        return known === undefined ? row.status : status(known[0], say(known[1]))
      },
    },
    ...(what.has_operator ? [operator] : []),
    // A refund has no reference.
    ...(what.kind === 'refund' ? [] : [reference]),
    { title: say(['Quand', 'When']), kind: 't', cell: ({ created_at }) => writeShortDate(created_at, language) },
    { title: say(['Montant, F CFA', 'Amount, F CFA']), kind: 'm', cell: ({ amount }) => moneyCell(amount) },
  ]
}

/**
 * The cell of a row's counterparty: the last four digits of a payer, the whole number of a recipient, because the merchant chose it. A refund
 * without a reason is known by its payment.
 */
export function partyCell(request: Request, row: ListedOperation): Html {
  const { say } = request
  const number =
    row.kind === 'payout' && row.msisdn !== null
      ? writeNumber(`0${row.msisdn.e164.slice(-9)}`)
      : row.last4 && (row.kind === 'settlement' ? `•• ${row.last4}` : writeNumberEnd(row.last4))
  const payment = row.kind === 'refund' && row.parent_id !== null ? id(row.parent_id) : null
  const main = row.name ?? number ?? row.reference ?? row.description ?? payment ?? say(['Sans nom', 'No name'])
  const reason = row.kind === 'settlement' && row.description !== null ? ` · ${row.description}` : ''
  const under = row.name === null ? (row.description ?? '') : `${number ?? ''}${reason}`
  const page = pageOfOperation(request, row)
  if (page === null) return html`${main}${under !== '' && html`<span class="sub">${figures(under)}</span>`}`
  return rowLink(page, main, under === main ? '' : under)
}
