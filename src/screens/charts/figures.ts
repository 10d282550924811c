import type { DayFigures, OperatorFigures, ReasonFigures } from '../../listings/figures-store.ts'
import { statusGroups } from '../operations/list-filters.ts'

/** A day of a chart. Amounts are in francs. */
export type ChartDay = {
  readonly day: string
  /** The number of successful operations, and their sum. */
  readonly done: number
  readonly amount: number
  /** The number of operations that failed or expired. */
  readonly lost: number
  /** The fees of successful operations. */
  readonly fees: number
}

/** The success of an operator's ended operations. */
export type OperatorRate = {
  readonly operator: string
  /** The number of ended operations, the sample of the rate. */
  readonly ended: number
  readonly done: number
  /** The rate, and below the bounds of its margin of error: each between 0 and 1. */
  readonly rate: number
  readonly least: number
  readonly most: number
  /** The seconds within which half of the successful operations were confirmed, rounded up to a step. Null when unknown, or none succeeded. */
  readonly half_within_seconds: number | null
}

/** The number of operations that did not succeed, for one reason: a failure code, or `expired`. */
export type LostFor = { readonly reason: string; readonly count: number }

const succeeded = new Set<string>(statusGroups.done)
const lost = new Set<string>(statusGroups.lost)

/** Returns every day of a period with its figures; a day without operations has zeros. Pure. */
export function daysOf(figures: readonly DayFigures[], days: readonly string[]): ChartDay[] {
  const of = Map.groupBy(figures, ({ day }) => day)
  return days.map((day) => {
    const cells = of.get(day) ?? []
    const done = cells.filter(({ status }) => succeeded.has(status))
    return {
      day,
      done: sum(done, 'count'),
      amount: sum(done, 'amount'),
      lost: sum(
        cells.filter(({ status }) => lost.has(status)),
        'count',
      ),
      fees: sum(done, 'fee_amount'),
    }
  })
}

/** Returns the operators' rates, most ended operations first. Operations in progress do not count. Pure. */
export function ratesOf(figures: readonly OperatorFigures[]): OperatorRate[] {
  const chosen = figures.filter(({ operator }) => operator !== '')
  const rates = [...Map.groupBy(chosen, ({ operator }) => operator)].map(([operator, cells]) => {
    const good = cells.filter(({ status }) => succeeded.has(status))
    const done = sum(good, 'count')
    const ended =
      done +
      sum(
        cells.filter(({ status }) => lost.has(status)),
        'count',
      )
    return { operator, ended, done, ...marginOf(done, ended), half_within_seconds: halfOf(good) }
  })
  return rates.filter(({ ended }) => ended > 0).sort((a, b) => b.ended - a.ended || (a.operator < b.operator ? -1 : 1))
}

/** Returns the reasons why operations did not succeed, most frequent first. Pure. */
export function reasonsOf(figures: readonly ReasonFigures[]): LostFor[] {
  const cells = figures.filter(({ status }) => lost.has(status))
  const by = Map.groupBy(cells, ({ status, failure_code }) => (status === 'expired' ? 'expired' : failure_code))
  const counted = [...by].map(([reason, alike]) => ({ reason, count: sum(alike, 'count') }))
  return counted.sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
}

/** The standard deviations of a confidence interval of 95 %. */
const Z = 1.96

/**
 * Returns a rate with its margin of error (Wilson's interval), which is wide for few operations and stays between 0 and 1.
 * @param of the number of ended operations; 0: nothing is known
 */
export function marginOf(done: number, of: number): { rate: number; least: number; most: number } {
  if (of === 0) return { rate: 0, least: 0, most: 1 }
  const rate = done / of
  const middle = (rate + Z ** 2 / (2 * of)) / (1 + Z ** 2 / of)
  const half = (Z * Math.sqrt((rate * (1 - rate)) / of + Z ** 2 / (4 * of ** 2))) / (1 + Z ** 2 / of)
  return { rate, least: Math.max(0, middle - half), most: Math.min(1, middle + half) }
}

/** Returns the step within which half of the operations were confirmed. */
function halfOf(cells: readonly OperatorFigures[]): number | null {
  const timed = cells.filter(({ within_seconds }) => within_seconds > 0)
  const half = sum(timed, 'count') / 2
  let seen = 0
  for (const { within_seconds, count } of timed.toSorted((a, b) => a.within_seconds - b.within_seconds)) {
    seen += count
    if (seen >= half) return within_seconds
  }
  return null
}

function sum<Of extends string>(cells: readonly Readonly<Record<Of, number>>[], of: Of): number {
  return cells.reduce((all, cell) => all + cell[of], 0)
}
