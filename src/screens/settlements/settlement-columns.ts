import { status } from '../../console/components.ts'
import { type Column, moneyCell, rowLink } from '../../console/list.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import type { ListedOperation } from '../../listings/listed-operation.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { SettlementRow } from '../../settlements/settlement.ts'
import { type Names, writePerson } from '../approvals/words.ts'
import { destinationTitle } from './ask-view.ts'

type Request = ScreenRequest<'console'>

/** The settlements of a page by id, with the names of their makers. */
export type SettlementsShown = { readonly byId: ReadonlyMap<string, SettlementRow>; readonly names: Names }

/** The columns of a merchant's settlements: the maker, the progress of the staff, the destination. */
export function settlementColumns(request: Request, { byId, names }: SettlementsShown): Column<ListedOperation>[] {
  const { say, at, language, actor } = request
  const reader = { say, names, me: actor.person }
  const settlement = ({ id }: ListedOperation) => byId.get(id)
  return [
    {
      title: say(['Demandé', 'Requested']),
      kind: 'k',
      cell: (row) => {
        const made_by = settlement(row)?.made_by
        const under = made_by !== undefined && html`${say(['par', 'by'])} ${writePerson(reader, made_by)}`
        return rowLink(at(`/settlements/${row.id}`), writeShortDate(row.created_at, language), under)
      },
    },
    { title: say(['État', 'State']), kind: 's', cell: (row) => stateCell(request, row, settlement(row)) },
    {
      title: say(['Vers', 'To']),
      kind: '',
      cell: (row) =>
        html`${destinationTitle(request, { operator: row.operator, last4: row.last4 ?? '' })}<span class="sub">${row.name}</span>`,
    },
    { title: say(['Montant, F CFA', 'Amount, F CFA']), kind: 'm', cell: ({ amount }) => moneyCell(amount) },
  ]
}

/** The cell of a settlement's state, with the bank's reference or the staff's reason at its end. */
function stateCell({ say, language }: Request, row: ListedOperation, settlement: SettlementRow | undefined): Html {
  const [shape, words] = statusWords.settlement[row.status as SettlementRow['status']]
  const { paid_at = null, bank_reference, rejection_reason = null, rejected_at = null } = settlement ?? {}
  const paid =
    paid_at !== null &&
    say(['le {at}, virement {reference}', 'on {at}, transfer {reference}'], {
      at: writeShortDate(paid_at, language),
      reference: bank_reference ?? '',
    })
  const back = rejected_at !== null && say(['L’argent est revenu.', 'The money is back.'])
  const paidSub = paid && html`<span class="sub">${paid}</span>`
  const backSub = back && html`<span class="sub">${rejection_reason} ${back}</span>`
  return html`${status(shape, say(words))}${paidSub}${backSub}`
}
