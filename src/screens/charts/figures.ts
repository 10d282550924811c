import type { DayFigures, OperatorFigures, ReasonFigures } from '../../listings/figures-store.ts'

/** A day of a chart. Amounts in francs. */
export type ChartDay = {
  readonly day: string
  /** Operations that succeeded, and their sum. */
  readonly done: number
  readonly amount: number
  /** Those that failed or expired. */
  readonly lost: number
  /** Commission on those that succeeded. */
  readonly fees: number
}

/** How an operator did on the operations that ended. */
export type OperatorRate = {
  readonly operator: string
  /** Operations that ended: the sample of the rate. */
  readonly ended: number
  readonly done: number
  /** Between 0 and 1, as the bounds of the margin of error are. */
  readonly rate: number
  readonly least: number
  readonly most: number
  /** Half of those that succeeded were confirmed within so many seconds, rounded up to a step; null: none did, or it is not known. */
  readonly half_within_seconds: number | null
}

/** Operations that did not succeed, by reason: a failure code, or `expired`. */
export type LostFor = { readonly reason: string; readonly count: number }

const succeeded = new Set(['succeeded', 'refunded', 'partially_refunded'])
const lost = new Set(['failed', 'expired'])

/** Every day of a period with its figures; one on which nothing happened has zeros. Pure. */
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

/** The operators by the number of operations that ended, most first. Operations that go on say nothing yet. Pure. */
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

/** Reasons for which operations did not succeed, most first. Pure. */
export function reasonsOf(figures: readonly ReasonFigures[]): LostFor[] {
  const cells = figures.filter(({ status }) => lost.has(status))
  const by = Map.groupBy(cells, ({ status, failure_code }) => (status === 'expired' ? 'expired' : failure_code))
  const counted = [...by].map(([reason, alike]) => ({ reason, count: sum(alike, 'count') }))
  return counted.sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
}

/** Standard deviations of a margin in which the true rate lies 95 times out of 100. */
const Z = 1.96

/**
 * A rate with its margin of error (Wilson's interval), which is wide where there are few and never leaves 0 to 1.
 * @param of operations that ended; 0: nothing is known
 */
export function marginOf(done: number, of: number): { rate: number; least: number; most: number } {
  if (of === 0) return { rate: 0, least: 0, most: 1 }
  const rate = done / of
  const middle = (rate + Z ** 2 / (2 * of)) / (1 + Z ** 2 / of)
  const half = (Z * Math.sqrt((rate * (1 - rate)) / of + Z ** 2 / (4 * of ** 2))) / (1 + Z ** 2 / of)
  return { rate, least: Math.max(0, middle - half), most: Math.min(1, middle + half) }
}

/** The step within which half of the operations were confirmed. */
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
