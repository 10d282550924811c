import type { ActRefused } from '../../acts/act.ts'
import { sayRefusal } from '../../console/acts/act-screen.ts'
import { backLink, status as drawStatus, linkButton, pageHead, panel } from '../../console/components.ts'
import { list, moneyCell, rowLink } from '../../console/list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { html } from '../../platform/http/html.ts'
import { paySettlement } from '../../settlements/pay-settlement.ts'
import type { SettlementRow } from '../../settlements/settlement.ts'
import { samePerson, sayStanding } from '../desk/settlement-standing.ts'

type Request = ScreenRequest<'desk'>

/**
 * A transfer that a person tried to enter, and the result. `result` is null when the person may not pay the settlement. `busy`: others held
 * its merchant's money too long, so it was not entered.
 */
export type Entered = {
  readonly settlement: SettlementRow
  readonly reference: string
  readonly result: { readonly kind: 'done' } | ActRefused | null
}

/** The page of the results: each chosen transfer was entered, or the reason why not. */
export function outcomeView(
  request: Request,
  entered: readonly Entered[],
  { merchants, names }: { merchants: ReadonlyMap<number, string>; names: ReadonlyMap<string, string> },
): ScreenView {
  const { say, at } = request
  const count = entered.filter(({ result }) => result?.kind === 'done').length
  const title = say(['Virements inscrits : {n} sur {all}', 'Transfers entered: {n} of {all}'], {
    n: count,
    all: entered.length,
  })
  const table = list<Entered>({
    caption: title,
    rows: entered,
    columns: [
      {
        title: say(['Marchand', 'Merchant']),
        kind: 'k',
        cell: ({ settlement: { id, merchant_id }, reference }) =>
          rowLink(at(`/settlements/${id}`), merchants.get(merchant_id) ?? String(merchant_id), reference),
      },
      {
        title: say(['État', 'State']),
        kind: 's',
        cell: ({ result }) =>
          result?.kind === 'done'
            ? drawStatus('ok', say(['Inscrit', 'Entered']))
            : drawStatus('bad', say(['Pas inscrit', 'Not entered'])),
      },
      { title: say(['Pourquoi', 'Why']), kind: '', cell: (one) => whyNot(request, one, names) },
      { title: 'F CFA', kind: 'm', cell: ({ settlement }) => moneyCell(settlement.amount) },
    ],
  })
  const acts = linkButton(
    at('/settlements?status=paid'),
    say(['Voir les reversements payés', 'See the paid settlements']),
    'second',
  )
  const back = backLink(at('/settlements/transfers'), say(['Un autre fichier', 'Choose another file']))
  const main = html`${back}${pageHead({ title, acts })}${panel(null, table, { flush: true })}`
  const facts = {
    transfers: entered.map(({ settlement: { id, status }, reference, result }) => ({
      ...{ settlement_id: id, status, bank_reference: reference, entered: result?.kind === 'done' },
      code: result?.kind === 'refused' ? result.code : null,
    })),
  }
  return { kind: 'view', status: count === 0 ? 409 : 200, title, main, facts }
}

function whyNot(request: Request, { settlement, result }: Entered, names: ReadonlyMap<string, string>): string {
  const { say } = request
  if (result?.kind === 'done') return ''
  if (result?.code === 'busy')
    return say([
      'Une autre opération tenait le compte de ce marchand. Rien n’a été fait pour ce virement : lisez le fichier de nouveau, sans risque.',
      'Another operation held this merchant’s account. Nothing was done for this transfer: it is safe to read the file again.',
    ])
  if (result !== null) return sayRefusal(request, paySettlement, result)
  return settlement.status === 'validated' ? say(samePerson) : sayStanding(request, settlement, names)
}
