import { isDay, type Period } from '../../values/period.ts'

const DAY_MS = 86_400_000

/** The lengths of a period up to today, in days. The other choices are months, such as `2026-11`. */
export const LENGTHS = ['7', '30', '90'] as const

/** A period of a chart, with its value in the address. */
export type ChartPeriod = Period & {
  readonly chosen: string
  /** Its days, oldest first. */
  readonly days: readonly string[]
  /** The number of days on the axis: for the current month also the days to come. */
  readonly days_max: number
}

const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10)

/** Reads a period from an address. An invalid value or a future month is the last thirty days. Days are those of Abidjan, which is on UTC. */
export function chartPeriod(chosen: string, now: Date): ChartPeriod {
  const today = dayOf(now.getTime())
  const first = `${chosen}-01`
  if (isDay(first) && first >= '2000-01-01' && first <= today) {
    const [year, month] = chosen.split('-').map(Number) as [number, number]
    const last = dayOf(Date.UTC(year, month, 0))
    return periodOf(chosen, first, last < today ? last : today, Number(last.slice(8)))
  }
  const length = LENGTHS.find((one) => one === chosen) ?? '30'
  return periodOf(length, dayOf(now.getTime() - (Number(length) - 1) * DAY_MS), today, Number(length))
}

function periodOf(chosen: string, from: string, to: string, days_max: number): ChartPeriod {
  const began = Date.parse(from)
  const count = Math.round((Date.parse(to) - began) / DAY_MS) + 1
  const days = Array.from({ length: count }, (_, nth) => dayOf(began + nth * DAY_MS))
  return { chosen, from, to, days, days_max }
}
