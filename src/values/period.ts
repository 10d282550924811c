/** A period of whole days, both included, in UTC, the time of Abidjan. Written `YYYY-MM-DD`. */
export type Period = { readonly from: string; readonly to: string }

/**
 * Whether a text is a date of the calendar, written `YYYY-MM-DD`. The 29th of February exists only in leap years. The year 0000 is none,
 * because the database has none.
 */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false
  try {
    Temporal.PlainDate.from(text, { overflow: 'reject' })
    return true
  } catch {
    return false
  }
}

/** Returns the period from one day to another. Null when one is no date, or the second precedes the first. */
export function periodOf(from: string, to: string): Period | null {
  // Texts in this form sort like their dates.
  return isDay(from) && isDay(to) && from <= to ? { from, to } : null
}

const DAY_MS = 86_400_000

/** Returns the day that follows a day by a number of days, or precedes it for a negative one. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Lists the days of a period. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = []
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day)
  return days
}

/** Returns the moments between which the days of a filter lie, both days included; an empty text: no such bound. */
export function momentsOf({ from, to }: { readonly from: string; readonly to: string }) {
  return {
    created_from: from === '' ? null : new Date(`${from}T00:00:00.000Z`),
    created_before: to === '' ? null : new Date(Date.parse(`${to}T00:00:00.000Z`) + DAY_MS),
  }
}
