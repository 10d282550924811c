import { addDays } from '../values/period.ts'
import { holidaysOf } from './holidays.ts'

// Days are texts `YYYY-MM-DD`, in UTC, the time of Abidjan. Banks work from Monday to Friday, except on holidays.

/** A day that people entered: a holiday, or a business day despite the calendar. `name`: null for a business day. */
export type EnteredDay = { readonly day: string; readonly business: boolean; readonly name: string | null }

/** A day of the calendar. `name`: the holiday, also on a weekend. */
export type CalendarDay = EnteredDay

/** The days that people entered, by day. */
export type EnteredDays = ReadonlyMap<string, EnteredDay>

/** The days that a search looks at. A calendar without a business day among them is wrong. */
const SEARCHED_MAX = 60

/** Returns a day as the calendar has it: as people entered it, or else by the holidays with a fixed date or derived from Easter, and the weekend. */
export function calendarDay(day: string, entered: EnteredDays): CalendarDay {
  const own = entered.get(day)
  if (own !== undefined) return own
  const name = holidaysOf(Number(day.slice(0, 4))).get(day) ?? null
  return { day, business: name === null && !isWeekend(day), name }
}

/** Returns every day of a period, both ends included. */
export function calendarDays({ from, to }: { from: string; to: string }, entered: EnteredDays): CalendarDay[] {
  const days: CalendarDay[] = []
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(calendarDay(day, entered))
  return days
}

/** Returns the first business day after `day`. @throws when none follows within 60 days */
export function nextBusinessDay(day: string, entered: EnteredDays): string {
  return seek(day, 1, entered)
}

/** Returns the last business day before `day`. @throws when none precedes within 60 days */
export function previousBusinessDay(day: string, entered: EnteredDays): string {
  return seek(day, -1, entered)
}

/** Returns the business day that follows `day` by a number of business days. With 0: `day` itself. */
export function addBusinessDays(day: string, count: number, entered: EnteredDays): string {
  let found = day
  for (let left = count; left > 0; left -= 1) found = nextBusinessDay(found, entered)
  return found
}

/**
 * Returns the days that a business day covers: each calendar day since the previous business day, and itself last. Empty for a day that is no
 * business day, because the next one covers it.
 */
export function daysCovered(day: string, entered: EnteredDays): string[] {
  if (!calendarDay(day, entered).business) return []
  const from = addDays(previousBusinessDay(day, entered), 1)
  return calendarDays({ from, to: day }, entered).map((one) => one.day)
}

function seek(day: string, step: 1 | -1, entered: EnteredDays): string {
  for (let distance = 1; distance <= SEARCHED_MAX; distance += 1) {
    const candidate = addDays(day, step * distance)
    if (calendarDay(candidate, entered).business) return candidate
  }
  throw new Error(`No business day within ${SEARCHED_MAX} days of ${day}.`)
}

function isWeekend(day: string): boolean {
  return [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())
}
