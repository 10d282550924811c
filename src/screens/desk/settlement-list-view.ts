import { blank, status as drawStatus, linkButton, pageHead, panel } from '../../console/components.ts'
import { field, form } from '../../console/forms.ts'
import { chips, filters, list, moneyCell, pages, rowLink, tabs } from '../../console/list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { html } from '../../platform/http/html.ts'
import {
  type SettlementRow,
  type SettlementStatus,
  settlementStatuses,
  viewSettlement,
} from '../../settlements/settlement.ts'
import type { Page } from '../../values/page.ts'
import { ageInWords } from './case-words.ts'
import { destinationName } from './settlement-view.ts'

const tabWords = {
  pending_validation: ['À valider', 'To validate'],
  validated: ['À payer', 'To pay'],
  paid: ['Reversés', 'Settled'],
  rejected: ['Rejetés', 'Rejected'],
} as const satisfies Record<SettlementStatus, readonly [string, string]>

type Listed = {
  page: Page<SettlementRow>
  status: SettlementStatus
  /** The merchant's number from the address. */
  merchant: string
  merchants: ReadonlyMap<number, string>
  now: Date
}

/** The page of the settlements in one state. */
export function settlementListView(request: ScreenRequest<'desk'>, listed: Listed): ScreenView {
  const { say, at, can, query } = request
  const { page, status, merchant, merchants, now } = listed
  const address = (asked: Record<string, string>) => {
    const kept = Object.entries({ status, merchant, ...asked }).filter(([, value]) => value !== '')
    return at(`/settlements?${new URLSearchParams(kept)}`)
  }
  const title = say(['Reversements', 'Settlements'])
  const bankFile =
    page.rows.length > 0 &&
    form(
      request,
      at('/settlements/bank-file'),
      html`<button class="second">${say(['Fichier pour la banque', 'File for the bank'])}</button>`,
      { class: 'inline' },
    )
  const acts =
    status === 'validated' &&
    can('settlements.pay') &&
    html`${bankFile}${linkButton(at('/settlements/transfers'), say(['Fichier de la banque', 'File of the bank']), 'second')}`
  const links = settlementStatuses.map((one) => ({
    words: tabWords[one],
    to: address({ status: one }),
    current: one === status,
  }))
  const content =
    page.rows.length === 0
      ? blank('bank', { title: say(['Aucun reversement ici', 'No settlement here']) })
      : list<SettlementRow>({
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
                  destinationName(row),
                ),
            },
            {
              title: say(['État', 'State']),
              kind: 's',
              cell: ({ status: one }) =>
                drawStatus(statusWords.settlement[one][0], say(statusWords.settlement[one][1])),
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
  const main = html`${pageHead({ title, acts })}
${tabs(say, ['États', 'States'], links)}
${filters(say, say(['Filtres', 'Filters']), chosen, { status })}${chips(say, on, null)}
${panel(null, content, { flush: page.rows.length > 0 })}
${pages(say, { newer: query.has('after') ? address({}) : null, older: page.after === null ? null : address({ after: page.after }) })}`
  const facts = {
    status,
    settlements: page.rows.map((row) => ({
      ...viewSettlement(row),
      merchant_id: row.merchant_id,
      merchant: merchants.get(row.merchant_id) ?? null,
    })),
    after: page.after,
  }
  return { kind: 'view', title, main, facts }
}
