import { withBanks } from '../../console/acts/account-choices.ts'
import { actFields } from '../../console/acts/act-fields.ts'
import { status as drawStatus, panel } from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { list, moneyCell } from '../../console/list.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { bankField } from '../../external-accounts/bank-field.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeDay } from '../../platform/http/pages/write-values.ts'
import type { BankLine } from '../../settlements/bank/read-lines.ts'
import type { SettlementRow } from '../../settlements/settlement.ts'
import { destinationName } from '../desk/settlement-view.ts'
import { type LinesRead, type Match, type OfferedLine, sayUnreadDate } from './lines-read.ts'

type Request = ScreenRequest<'desk'>

const byWords: Readonly<Record<Match['by'], Words>> = {
  label: ['notre référence', 'our reference'],
  beginning: ['le début de notre référence', 'the beginning of our reference'],
  account: ['le compte', 'the account'],
  holder: ['le titulaire', 'the holder'],
}

/** Whether a match has no doubt: it has our reference, and its dates are neither before the validation nor in the future. */
function isSure({ by, days }: Match): boolean {
  return by === 'label' && days === null
}

/** The form of the transfers that can be entered. Certain ones are ticked; a person checks each of the others. */
export function offeredForm(
  request: Request,
  { merchants, accounts }: LinesRead,
  offered: readonly OfferedLine[],
): Html {
  const { say, at } = request
  const table = list<OfferedLine>({
    caption: say(['Virements à inscrire', 'Transfers to enter']),
    rows: offered,
    columns: [
      {
        title: say(['Marchand', 'Merchant']),
        kind: 'k',
        cell: (one) => html`${tickBox(one, merchants)}${daysField(one.match.settlement, one.line)}`,
      },
      {
        title: say(['Trouvé par', 'Found by']),
        kind: 's',
        cell: ({ match }) => drawStatus(match.by === 'label' ? 'ok' : 'doubt', say(byWords[match.by])),
      },
      {
        title: say(['Référence', 'Reference']),
        kind: '',
        label: say(['Réf.', 'Ref.']),
        cell: ({ line }) => line.reference,
      },
      {
        title: say(['Date', 'Date']),
        kind: '',
        label: 'Date',
        cell: (one) => daysOf(request, one),
      },
      { title: say(['Ligne', 'Line']), kind: 'w', cell: ({ line }) => line.line },
      { title: 'F CFA', kind: 'm', cell: ({ match }) => moneyCell(match.settlement.amount) },
    ],
  })
  const enter = html`<button>${say(['Inscrire les virements cochés', 'Enter the ticked transfers'])}</button>`
  const hint = say([
    'Ceux qui portent notre référence, à une date qui convient, sont cochés. N’en cochez un autre qu’après l’avoir vérifié : date, compte et nom.',
    'Those that have our reference, on a day that fits, are ticked. Tick another one only after you checked it: date, account and name.',
  ])
  const button = html`<div class="acts">${enter}</div><p class="hint">${hint}</p>`
  const bank = actFields(request, withBanks({ account: bankField }, accounts), [])
  return form(
    request,
    at('/settlements/transfers/record'),
    html`${bank}${panel(say(['À inscrire', 'To enter']), table, { flush: true })}${button}`,
  )
}

/** The hidden field of a line's dates, which the form returns with its reference: `stl_… 2026-11-25 2026-11-26`. A missing date is empty. */
function daysField({ id }: SettlementRow, { date, value_date }: BankLine): Html {
  return html`<input type="hidden" name="days" value="${`${id} ${date ?? ''} ${value_date ?? ''}`}">`
}

/** The bank's dates of a transfer, and why a person must check them. */
function daysOf(request: Request, { line, match }: OfferedLine): Html {
  const { say, language } = request
  const written = (day: string | null) => (day === null ? '' : writeDay(new Date(day), language))
  const doubt = sayDayDoubt(request, line, match)
  const value = line.value_date !== null && say(['Valeur : {day}', 'Value: {day}'], { day: written(line.value_date) })
  const sub = value !== false && html`<span class="sub">${value}</span>`
  return html`${written(line.date)}${sub}${doubt !== null && html`<p>${drawStatus('doubt', doubt)}</p>`}`
}

function sayDayDoubt({ say, language }: Request, line: BankLine, { settlement, days }: Match): string | null {
  switch (days) {
    case null:
      return null
    case 'unread':
      return sayUnreadDate(say, line.unread_date ?? '')
    case 'before_validation':
      return say(['Avant la validation du {day}', 'Before the validation of {day}'], {
        day: writeDay(settlement.validated_at!, language),
      })
    case 'in_future':
      return say(['Une date à venir', 'A day to come'])
  }
}

/** The box of an offered transfer, with its merchant and destination. */
function tickBox({ line, match }: OfferedLine, merchants: LinesRead['merchants']): Html {
  const { settlement } = match
  const value = `${settlement.id} ${line.reference}`
  const box = html`<input type="checkbox" name="pay" value="${value}"${isSure(match) && html` checked`}>`
  const merchant = merchants.get(settlement.merchant_id) ?? String(settlement.merchant_id)
  const sub = html`<span class="sub">${destinationName(settlement)}, ${settlement.name}</span>`
  return html`<label class="choice">${box}<span><b>${merchant}</b>${sub}</span></label>`
}
