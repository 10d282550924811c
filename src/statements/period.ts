/** A period of whole days in UTC, which is the time of Abidjan; both days belong to it. Written `YYYY-MM-DD`. */
export type Period = { readonly from: string; readonly to: string }

/**
 * Whether a text names a day of the calendar, written `YYYY-MM-DD`. The 29th of February exists in leap years only. There
 * is no year 0000: the calendar of the database has none.
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

/** The period from one day to another, or null when one is no day or the second comes first. */
export function periodOf(from: string, to: string): Period | null {
  // Days written so are in the order of their texts.
  return isDay(from) && isDay(to) && from <= to ? { from, to } : null
}
