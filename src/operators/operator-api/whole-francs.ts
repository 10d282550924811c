import { WrittenNumber } from '../../platform/http/json-reader.ts'

/**
 * Reads whole francs that an operator writes as `2500`, `"2500"`, `"2500.00"` or `2500.0`. Null for anything else: a
 * fraction of a franc, a sign, an exponent, a leading zero, and more digits than an amount has.
 */
export function wholeFrancs(written: unknown): number | null {
  const text = writtenText(written)
  const whole = text === null ? undefined : /^(0|[1-9]\d{0,14})(?:\.0{1,6})?$/.exec(text)?.[1]
  return whole === undefined ? null : Number(whole)
}

/** Reads a bound or a balance, rounded down to whole francs. Null as for `wholeFrancs`, except that a fraction is allowed. */
export function francsBelow(written: unknown): number | null {
  const text = writtenText(written)
  const whole = text === null ? undefined : /^(0|[1-9]\d{0,14})(?:\.\d{1,6})?$/.exec(text)?.[1]
  return whole === undefined ? null : Number(whole)
}

/** The text of a number or a text in the operator's spelling. Null for anything else. */
export function writtenText(written: unknown): string | null {
  if (typeof written === 'string') return written
  if (written instanceof WrittenNumber) return written.text
  return typeof written === 'number' ? String(written) : null
}
