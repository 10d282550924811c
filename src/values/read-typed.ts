import { AMOUNT_MAX } from './amount.ts'
import { asSeen, bareFigures } from './as-seen.ts'
import { groupDigits } from './group-digits.ts'

/** Reads typed francs, with or without spaces between the digits and the unit: `25 000`, `25 000 F`. Null when the text is no whole amount from `min` to the largest. */
export function readFrancs(typed: string, min = 1): number | null {
  const figures = bareFigures(typed)
  if (!/^\d{1,15}$/.test(figures)) return null
  const francs = Number(figures)
  return francs >= min && francs <= AMOUNT_MAX ? francs : null
}

/** Writes francs for a field, in groups of three digits: `25 000`. */
export function writeFrancs(francs: number): string {
  return groupDigits(francs, ' ')
}

/** Reads the number of a merchant. Null when the text is none. */
export function merchantIdIn(text: string): number | null {
  const digits = asSeen(text)
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : null
}

/** Reads a typed line of 1 to `max` characters. Null when it is empty, longer, or has several lines. */
export function readLine(typed: string, max: number): string | null {
  const line = typed.trim()
  return line === '' || line.length > max || /\p{Cc}/u.test(line) || !line.isWellFormed() ? null : line
}

/** Reads a time that a hidden field brings back, as `toISOString` wrote it. Null for any other text, also for the year 0, which the database lacks. */
export function readMoment(typed: string): Date | null {
  if (!/^(?!0000)\d{4}-\d\d-\d\dT[\d:.]{12}Z$/.test(typed)) return null
  const moment = new Date(typed)
  return Number.isNaN(moment.getTime()) ? null : moment
}
