import { isoText } from '../clock.ts'

/** Rows for a table as COPY takes them: lines of tab-separated fields. */
export type CopyText = string

/**
 * Rows as the text that COPY reads, where each field goes straight to the type of its column. A `Date` travels as text, bytes in hex, an object as JSON; null and what is absent become null.
 */
export function copyTextOf<Row extends object>(columns: readonly (keyof Row)[], rows: readonly Row[]): CopyText {
  const fields: string[] = []
  for (const row of rows) {
    for (const column of columns) fields.push(fieldOf(row[column]), '\t')
    fields[fields.length - 1] = '\n'
  }
  return fields.join('')
}

function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return '\\N'
  if (typeof value === 'string') return escapeField(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (value instanceof Date) return isoText(value)
  if (value instanceof Uint8Array) return `\\\\x${value.toHex()}`
  if (typeof value === 'object') return escapeField(JSON.stringify(value))
  throw new TypeError(`A ${typeof value} is no field of a row.`)
}

const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function escapeField(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (special) => ESCAPES[special]!) : text
}
