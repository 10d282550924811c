import { WrittenNumber } from '../../platform/http/json-reader.ts'

/**
 * The whole francs that an operator writes as `2500`, `"2500"`, `"2500.00"` or `2500.0`. Null for anything else: a part of a franc, a
 * sign, an exponent, a leading zero, and more digits than an amount has.
 */
export function wholeFrancs(written: unknown): number | null {
  const text = writtenText(written)
  const whole = text === null ? undefined : /^(0|[1-9]\d{0,14})(?:\.0{1,6})?$/.exec(text)?.[1]
  return whole === undefined ? null : Number(whole)
}

/** A bound or a balance, which may hold a part of a franc: the whole francs below it. Null as above, but for that part. */
export function francsBelow(written: unknown): number | null {
  const text = writtenText(written)
  const whole = text === null ? undefined : /^(0|[1-9]\d{0,14})(?:\.\d{1,6})?$/.exec(text)?.[1]
  return whole === undefined ? null : Number(whole)
}

/** The text of a number or a text, as an operator wrote it. Null for anything else. */
export function writtenText(written: unknown): string | null {
  if (typeof written === 'string') return written
  if (written instanceof WrittenNumber) return written.text
  return typeof written === 'number' ? String(written) : null
}
