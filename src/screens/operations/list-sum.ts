import type { ReadList } from '../../console/lists/define-list.ts'
import type { Chosen } from '../../console/lists/filters.ts'
import { periodNamed } from '../../console/lists/periods.ts'
import { sayCount } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { readFigures } from '../../listings/figures-store.ts'
import { isListed, type ListedOperation, type OperationKind } from '../../listings/listed-operation.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Words } from '../../values/language.ts'
import { addDays } from '../../values/period.ts'
import { statusesIn, statusGroups } from './list-filters.ts'

/** The most days of a period that is added up. */
const DAYS_MAX = 366

/** The operations of a list as its filters choose them. Amounts in francs. */
export type ListSum = {
  /** All of them, in any state. */
  readonly all: number
  /** Those whose amount is added up: that moved money, or those of the chosen states. */
  readonly count: number
  readonly amount: number
  readonly fee_amount: number
  /** Payments that were paid and refunded since, whole or in part. They count too. */
  readonly refunded: number
}

type Cell = { readonly status: string; readonly count: number; readonly amount: number; readonly fee_amount: number }

const done = new Set<string>(statusGroups.done)
const back = new Set<string>(statusGroups.back)

/**
 * Adds a list up over the period that its filters choose, exact at this moment. Null: it has no period, or one of more than 366 days, or has
 * other filters and more rows than one page.
 */
export async function readSum(
  db: Db,
  tenant: Tenant,
  kind: OperationKind,
  { chosen, page, is_later }: ReadList<ListedOperation>,
  today: string,
): Promise<ListSum | null> {
  const { from = '', to: typed = '', status = '', ...others } = chosen
  const to = typed === '' ? today : typed
  if (from === '' || from > to || to > addDays(from, DAYS_MAX)) return null
  const statuses = new Set(statusesIn(status || null))
  if (isListed(kind) && Object.values(others).every((text) => text === '')) {
    const { days } = await readFigures(db, tenant, kind, { from, to })
    return sumOf(days, statuses)
  }
  if (page.after !== null || is_later) return null
  const cells = page.rows.map(({ status: of, amount, fee_amount }) => {
    return { status: of, count: 1, amount, fee_amount: done.has(of) ? (fee_amount ?? 0) : 0 }
  })
  return sumOf(cells, statuses)
}

/** Adds cells up: those of the chosen states, and without a choice those that moved money. */
function sumOf(cells: readonly Cell[], statuses: ReadonlySet<string>): ListSum {
  const shown = cells.filter(({ status }) => statuses.size === 0 || statuses.has(status))
  const summed = statuses.size === 0 ? shown.filter(({ status }) => done.has(status)) : shown
  const add = (some: readonly Cell[], of: (cell: Cell) => number) => some.reduce((sum, one) => sum + of(one), 0)
  return {
    all: add(shown, ({ count }) => count),
    count: add(summed, ({ count }) => count),
    amount: add(summed, ({ amount }) => amount),
    fee_amount: add(summed, ({ fee_amount }) => fee_amount),
    refunded: add(
      summed.filter(({ status }) => back.has(status)),
      ({ count }) => count,
    ),
  }
}

/** Draws the sum above its list. */
export function drawSum(
  { say }: ScreenRequest<'console'>,
  kind: OperationKind,
  chosen: Chosen,
  sum: ListSum,
  today: string,
) {
  const { all, count, amount, fee_amount, refunded } = sum
  const named = periodNamed(today, chosen)
  const period = named === null ? say(['Période choisie', 'Chosen period']) : say(named.words)
  const fillings = { n: count, all }
  const counted =
    chosen.status !== ''
      ? sayCount(say, count, ['{n} ligne', '{n} line'], ['{n} lignes', '{n} lines'])
      : kind === 'payment'
        ? say(['{n} payés sur {all}', '{n} paid of {all}'], fillings)
        : say(['{n} arrivés sur {all}', '{n} arrived of {all}'], fillings)
  const one: Words = ['dont {n} remboursé depuis', '{n} refunded since']
  const more: Words = ['dont {n} remboursés depuis', '{n} refunded since']
  const since = chosen.status === '' && refunded > 0 ? `, ${sayCount(say, refunded, one, more)}` : ''
  const label = say(['Total de ce qui est affiché', 'Total of what is shown'])
  const under = feesUnder(say, kind, amount, fee_amount)
  const total = html`<p class="soft">${period}, ${counted}${since}</p>${drawAmount(amount)}${under}`
  return html`<section class="panel" aria-label="${label}"><div role="status">${total}</div></section>`
}

function feesUnder(say: ScreenRequest<'console'>['say'], kind: OperationKind, amount: number, fees: number): Html {
  if (fees === 0) return html``
  const sums = { fees: writeAmount(fees), net: writeAmount(kind === 'payment' ? amount - fees : amount + fees) }
  const words =
    kind === 'payment'
      ? say(['Frais {fees} · sans les frais {net}', 'Fees {fees} · without fees {net}'], sums)
      : say(['Frais {fees} · en tout {net}', 'Fees {fees} · in all {net}'], sums)
  return html`<p class="soft">${words}</p>`
}
