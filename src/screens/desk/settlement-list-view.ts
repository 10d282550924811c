import { blank, status as drawStatus, linkButton, note, pageHead, panel } from '../../console/components.ts'
import { field, form, hiddenField } from '../../console/forms.ts'
import { chips, filters, list, moneyCell, pages, rowLink, tabs } from '../../console/list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeDate } from '../../platform/http/pages/write-values.ts'
import type { ToOrder } from '../../settlements/bank/write-transfers.ts'
import {
  type SettlementRow,
  type SettlementStatus,
  settlementStatuses,
  viewSettlement,
} from '../../settlements/settlement.ts'
import type { Takings } from '../../settlements/store.ts'
import type { Page } from '../../values/page.ts'
import { ageInWords, personName } from './case-words.ts'
import { destinationName } from './settlement-view.ts'

const tabWords = {
  pending_validation: ['À valider', 'To validate'],
  validated: ['À payer', 'To pay'],
  paid: ['Reversés', 'Settled'],
  rejected: ['Rejetés', 'Rejected'],
} as const satisfies Record<SettlementStatus, readonly [string, string]>

type Listed = {
  page: Page<SettlementRow>
  /** The validated settlements by the time at which their accounts were taken. Empty for people who do not pay. */
  takings: readonly Takings[]
  /** The transfers for the next file, and those that are held back. Empty for people who do not pay. */
  to_order: ToOrder
  status: SettlementStatus
  /** The merchant's number from the address. */
  merchant: string
  merchants: ReadonlyMap<number, string>
  names: ReadonlyMap<string, string>
  now: Date
  /** Whether a person wanted a file for the bank, and nothing is new. */
  nothing_new: boolean
}

/** The page of the settlements in one state. */
export function settlementListView(request: ScreenRequest<'desk'>, listed: Listed): ScreenView {
  const { say, at, can, query } = request
  const { page, takings, to_order, status, merchant, merchants, nothing_new } = listed
  const address = (asked: Record<string, string>) => {
    const kept = Object.entries({ status, merchant, ...asked }).filter(([, value]) => value !== '')
    return at(`/settlements?${new URLSearchParams(kept)}`)
  }
  const title = say(['Reversements', 'Settlements'])
  const n = to_order.ready.length
  const words = say(['Fichier pour la banque ({n})', 'File for the bank ({n})'], { n })
  const bankFile =
    n > 0 &&
    form(request, at('/settlements/bank-file'), html`<button class="second">${words}</button>`, { class: 'inline' })
  const acts =
    status === 'validated' &&
    can('settlements.pay') &&
    html`${bankFile}${linkButton(at('/settlements/transfers'), say(['Lire le fichier de la banque', 'Read the bank’s file']), 'second')}`
  const links = settlementStatuses.map((one) => ({
    words: tabWords[one],
    to: address({ status: one }),
    current: one === status,
  }))
  const chosen = field({
    name: 'merchant',
    label: say(['Numéro du marchand', 'Number of the merchant']),
    value: merchant,
    more: { inputmode: 'numeric' },
  })
  const on =
    merchant === ''
      ? []
      : [{ text: say(['Marchand {n}', 'Merchant {n}'], { n: merchant }), without: address({ merchant: '' }) }]
  const notes = html`${heldBack(request, listed)}${nothing_new && note('care', null, say(nothingNew))}`
  const table = panel(null, settlementsOf(request, listed), { flush: page.rows.length > 0 })
  const turn = pages(say, {
    newer: query.has('after') ? address({}) : null,
    older: page.after === null ? null : address({ after: page.after }),
  })
  const main = html`${pageHead({ title, acts })}
${tabs(say, ['États', 'States'], links)}
${filters(say, say(['Filtres', 'Filters']), chosen, { status })}${chips(say, on, null)}
<div class="stack">${notes}${table}${takenFiles(request, listed)}</div>${turn}`
  const facts = {
    status,
    settlements: page.rows.map((row) => ({
      ...viewSettlement(row),
      merchant_id: row.merchant_id,
      merchant: merchants.get(row.merchant_id) ?? null,
    })),
    takings,
    held_back: to_order.held_back.map(({ id }) => id),
    after: page.after,
  }
  return { kind: 'view', status: nothing_new ? 409 : 200, title, main, facts }
}

/** The settlements of the page, each with its merchant. */
function settlementsOf({ say, at }: ScreenRequest<'desk'>, listed: Listed): Html {
  const { page, to_order, status, merchants, now } = listed
  if (page.rows.length === 0) return blank('bank', { title: say(['Aucun reversement ici', 'No settlement here']) })
  const left_out = new Set(to_order.held_back.map(({ id }) => id))
  return list<SettlementRow>({
    caption: say(tabWords[status]),
    rows: page.rows,
    columns: [
      {
        title: say(['Marchand', 'Merchant']),
        kind: 'k',
        cell: (row) =>
          rowLink(
            at(`/settlements/${row.id}`),
            merchants.get(row.merchant_id) ?? String(row.merchant_id),
            html`${destinationName(row)}${left_out.has(row.id) && say([', plus désignée', ', no longer designated'])}`,
          ),
      },
      {
        title: say(['État', 'State']),
        kind: 's',
        cell: ({ status: one }) => drawStatus(statusWords.settlement[one][0], say(statusWords.settlement[one][1])),
      },
      { title: say(['Titulaire', 'Holder']), kind: 'w', cell: ({ name }) => name },
      {
        title: say(['Âge', 'Age']),
        kind: 't',
        cell: ({ created_at }) => ageInWords(now.getTime() - created_at.getTime(), say),
      },
      { title: 'F CFA', kind: 'm', cell: ({ amount }) => moneyCell(amount) },
    ],
  })
}

const nothingNew = [
  'Aucun virement nouveau : chaque autre reversement à payer est déjà dans un fichier.',
  'No new transfer: each other settlement to pay is in a file already.',
] as const

/** The transfers that the next file leaves out, because the merchant has changed its destination since. */
function heldBack({ say, at }: ScreenRequest<'desk'>, { to_order: { held_back }, merchants }: Listed): Html {
  if (held_back.length === 0) return html``
  const title = say(
    ['Hors du fichier : la destination a changé ({n})', 'Not in the file: the destination has changed ({n})'],
    { n: held_back.length },
  )
  const text = say([
    'Le compte n’est plus celui que le marchand désigne. Demandez-lui, puis ouvrez le reversement : vous prenez ce virement seul ou vous le rejetez.',
    'The account is no longer the one that the merchant designates. Ask it, then open the settlement: take this transfer alone, or reject it.',
  ])
  const links = held_back.slice(0, HELD_SHOWN).map((row) => {
    const merchant = merchants.get(row.merchant_id) ?? String(row.merchant_id)
    const words = `${merchant}, ${writeAmount(row.amount)}, ${destinationName(row)}`
    return html`<br><a href="${at(`/settlements/${row.id}`)}">${words}</a>`
  })
  return note('care', title, html`${text}${links}`)
}

/** The most transfers that are named. */
const HELD_SHOWN = 20

/** The files whose transfers are not all entered, to take the same file again. */
function takenFiles(request: ScreenRequest<'desk'>, { takings, names }: Listed): Html {
  const { say, at, language } = request
  const taken = takings.flatMap(({ account_taken_at, ...rest }) =>
    account_taken_at === null ? [] : [{ ...rest, account_taken_at }],
  )
  if (taken.length === 0) return html``
  const button = html`<button class="quiet">${say(['Reprendre', 'Take again'])}</button>`
  const again = (taken_at: Date) => {
    const content = html`${hiddenField('taken_at', taken_at.toISOString())}${button}`
    return form(request, at('/settlements/bank-file'), content, { class: 'inline' })
  }
  const table = list<(typeof taken)[number]>({
    caption: say(['Fichiers pris', 'Files taken']),
    rows: taken,
    columns: [
      {
        title: say(['Pris', 'Taken']),
        kind: 'k',
        cell: ({ account_taken_at, account_taken_by }) =>
          html`${writeDate(account_taken_at, language)}<span class="sub">${personName(account_taken_by, names, say)}</span>`,
      },
      {
        title: say(['Reversements à payer', 'Settlements to pay']),
        kind: 'n',
        label: say(['Reversements à payer', 'Settlements to pay']),
        cell: ({ settlements }) => String(settlements),
      },
      { title: 'F CFA', kind: 'm', cell: ({ amount }) => moneyCell(amount) },
      { title: say(['Fichier', 'File']), kind: '', cell: ({ account_taken_at }) => again(account_taken_at) },
    ],
  })
  const warning = say([
    'Leurs virements sont peut-être déjà ordonnés. Reprenez un fichier seulement si la banque ne l’a pas : deux fois ordonné, un virement part deux fois.',
    'Their transfers may be ordered already. Take a file again only if the bank does not have it: ordered twice, a transfer leaves twice.',
  ])
  return html`${note('care', say(['Fichiers déjà pris', 'Files taken already']), warning)}${panel(null, table, { flush: true })}`
}
