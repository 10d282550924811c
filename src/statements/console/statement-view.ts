import { blank, id, pageHead, panel, tile } from '../../console/components.ts'
import { errorList, type FieldError, field } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import { filters, list, moneyCell, pages, rowLink } from '../../console/list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeDate, writeNumberEnd, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { groupDigits } from '../../values/group-digits.ts'
import type { MerchantRight } from '../../values/rights.ts'
import type { Movement, MovementType } from '../movement.ts'
import { movementWords } from '../movement-words.ts'
import type { Statement } from '../statement.ts'
import type { PaymentFacts } from '../store.ts'

/** For each type of movement the list that shows its operation, and the right to read that list. */
const listOf: Readonly<Partial<Record<MovementType, readonly [path: string, right: MerchantRight]>>> = {
  collection: ['/payments', 'payments.read'],
  refund: ['/refunds', 'payments.read'],
  refund_returned: ['/refunds', 'payments.read'],
  settlement: ['/settlements', 'settlements.read'],
  settlement_returned: ['/settlements', 'settlements.read'],
}

/** The name of a movement, with the end of the payer's number and the purpose below. */
function movement({ say, at, can }: ScreenRequest<'console'>, { type, id }: Movement, payment?: PaymentFacts): Html {
  const words = say(movementWords[type])
  const { last4 = null, description = null } = payment ?? {}
  const under = [...(last4 === null ? [] : [writeNumberEnd(last4)]), ...(description === null ? [] : [description])]
  const below = under.join(' · ')
  const [path, right] = listOf[type] ?? []
  if (path !== undefined && can(right!)) return rowLink(at(`${path}/${id}`), words, below)
  return html`${words}${below !== '' && html`<span class="sub">${below}</span>`}`
}

/** How the amount of a collection came about: what was paid, less the fee. Nothing for one without a fee, or another movement. */
function feeOf({ say }: ScreenRequest<'console'>, { type, amount }: Movement, payment?: PaymentFacts): Html {
  const gross = payment?.amount_collected ?? amount
  if (type !== 'collection' || gross === amount) return html``
  const sums = { gross: groupDigits(gross), fee: groupDigits(gross - amount) }
  return html`<span class="n">${say(['{gross} − {fee} de frais', '{gross} − {fee} fee'], sums)}</span><br>`
}

type Shown = {
  statement: Statement
  /** The payments of its movements, by their id. */
  payments: ReadonlyMap<string, PaymentFacts>
  errors: readonly FieldError[]
  brand: string
  now: Date
  typed: { from: string; to: string }
}

/** A merchant's statement over a period. Its figures add up, and the page can be printed. */
export function statementView(request: ScreenRequest<'console'>, shown: Shown): ScreenView {
  const { say, at, language, can, livemode, merchant_name } = request
  const { statement, payments, errors, typed } = shown
  const paymentOf = ({ payment_id }: Movement) => (payment_id === null ? undefined : payments.get(payment_id))
  const { from, to, opening_balance, total_in, total_out, closing_balance, offset, limit, has_more, data } = statement
  const day = (text: string) =>
    writeDate(new Date(`${text}T00:00:00Z`), language)
      .replace(/ (?:à|at) .*$/, '')
      .replace(/^1 /, say(['1er ', '1 ']))
  const real = livemode ? say(['argent réel', 'real money']) : say(['test, aucun argent réel', 'test, no real money'])
  const period = say(['Du {from} au {to}, {real}', '{from} to {to}, {real}'], { from: day(from), to: day(to), real })
  const address = (path: string, more: Record<string, string> = {}) =>
    at(`${path}?${new URLSearchParams({ from, to, ...more })}`)
  const download = (format: string) =>
    html`<a class="button second" href="${address(`/statement/${format}`)}">${icon('down')}${format.toUpperCase()}</a>`
  const words = html`${icon('print')}${say(['Imprimer', 'Print'])}`
  const print = html`<button type="button" class="second" data-print data-script hidden>${words}</button>`
  const acts = html`${print}${can('exports.take') && [download('csv'), download('pdf')]}`
  const title = say(['Relevé', 'Statement'])
  const none = blank('sheet', { title: say(['Aucun mouvement dans cette période', 'Nothing moved in this period']) })
  const table = list<Movement>({
    caption: period,
    size: 'few',
    rows: data,
    columns: [
      {
        title: say(['Mouvement', 'Movement']),
        kind: 'k',
        cell: (row) => movement(request, row, paymentOf(row)),
      },
      {
        title: say(['Détail', 'Detail']),
        kind: '',
        cell: (row) =>
          html`${feeOf(request, row, paymentOf(row))}${row.reference !== null && id(row.reference)}<span class="sub id">${row.id}</span>`,
      },
      { title: say(['Quand', 'When']), kind: 't', cell: (row) => writeShortDate(new Date(row.created_at), language) },
      {
        title: say(['Solde, F CFA', 'Balance, F CFA']),
        kind: 'n',
        label: say(['Solde', 'Balance']),
        cell: (row) => moneyCell(row.balance),
      },
      {
        title: say(['Net, F CFA', 'Net, F CFA']),
        kind: 'm',
        cell: (row) => html`${row.direction === 'in' ? '+' : '−'}${moneyCell(row.amount)}`,
      },
    ],
  })
  const turn = pages(say, {
    newer: offset > 0 ? address('/statement', { offset: String(Math.max(0, offset - limit)) }) : null,
    older: has_more ? address('/statement', { offset: String(offset + limit) }) : null,
  })
  const dayField = (name: 'from' | 'to', label: string) =>
    field({ name, label, type: 'date', value: typed[name] }, errors)
  const fields = html`${dayField('from', say(['Du', 'From']))}${dayField('to', say(['Au', 'To']))}`
  const sum = [
    writeAmount(opening_balance),
    writeAmount(total_in),
    writeAmount(total_out),
    writeAmount(closing_balance),
  ]
  const drawnUp = say(['Établi le {at}, heure d’Abidjan', 'Drawn up on {at}, Abidjan time'], {
    at: writeDate(shown.now, language),
  })
  const ofWhom = html`<p><b>${shown.brand}</b> · ${say(['Relevé de compte', 'Statement of account'])}</p>`
  const tiles = [
    tile(say(['Solde au départ', 'Opening balance']), opening_balance),
    tile(say(['Entrées', 'In']), total_in),
    tile(say(['Sorties', 'Out']), total_out),
    tile(say(['Solde à la fin', 'Closing balance']), closing_balance),
  ]
  const main = html`<div class="only-print">${ofWhom}<p>${merchant_name}</p><p>${drawnUp}</p></div>
${pageHead({ title, lead: period, acts })}${errorList(say, errors)}
${filters(say, say(['Changer la période', 'Change the period']), fields)}
<div class="tiles even stack-b">${tiles}</div>
${panel(null, data.length === 0 ? none : table, { flush: data.length > 0 })}${turn}
<p class="hint gap">${sum[0]} + ${sum[1]} − ${sum[2]} = ${sum[3]}. ${say(['Jours en heure d’Abidjan.', 'Days in Abidjan time.'])}</p>`
  return { kind: 'view', status: errors.length === 0 ? 200 : 422, title, main, facts: { statement, errors } }
}
