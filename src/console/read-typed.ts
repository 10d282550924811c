import { AMOUNT_MAX } from '../values/amount.ts'

/** The francs that a person typed, with or without spaces between the figures: `25 000`. Null: no whole sum from `min` to the largest. */
export function readFrancs(typed: string, min = 1): number | null {
  const figures = typed.replace(/[\s\u00a0\u202f]/g, '')
  if (!/^\d{1,15}$/.test(figures)) return null
  const francs = Number(figures)
  return francs >= min && francs <= AMOUNT_MAX ? francs : null
}

/** Francs in a field, the figures in threes as a person types them: `25 000`. */
export function writeFrancs(francs: number): string {
  return String(francs).replace(/\B(?=(?:\d{3})+$)/g, ' ')
}

/** A line of text that a person typed: 1 to `max` characters. Null: it is empty or longer, or has several lines. */
export function readLine(typed: string, max: number): string | null {
  const line = typed.trim()
  return line === '' || line.length > max || /\p{Cc}/u.test(line) || !line.isWellFormed() ? null : line
}
