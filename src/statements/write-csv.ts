import type { StatementExport } from './export-statement.ts'
import type { Movement } from './movement.ts'

/** The columns, named as the fields of the interface are. */
const columns = ['created_at', 'type', 'direction', 'amount', 'balance', 'id', 'payment_id', 'reference'] as const

type Row = Partial<Record<(typeof columns)[number], string | number | null>>

/**
 * A statement as CSV (RFC 4180: commas, lines ending in CR LF, UTF-8), a page at a time. Four rows that are no movements
 * carry the figures of the period: `opening_balance` comes first, `total_in`, `total_out` and `closing_balance` last; only
 * movements have a `direction`. The same period gives the same bytes.
 */
export async function* writeCsv({ figures, movements }: StatementExport): AsyncGenerator<string> {
  yield lineOf(columns)
  yield rowOf({ created_at: figures.from, type: 'opening_balance', balance: figures.opening_balance })
  for await (const page of movements()) yield page.map((movement: Movement) => rowOf(movement)).join('')
  yield rowOf({ created_at: figures.to, type: 'total_in', amount: figures.total_in })
  yield rowOf({ created_at: figures.to, type: 'total_out', amount: figures.total_out })
  yield rowOf({ created_at: figures.to, type: 'closing_balance', balance: figures.closing_balance })
}

function rowOf(row: Row): string {
  return lineOf(columns.map((column) => row[column] ?? ''))
}

function lineOf(fields: readonly (string | number)[]): string {
  return `${fields.map((field) => (typeof field === 'number' ? String(field) : fieldOf(field))).join(',')}\r\n`
}

/**
 * A text as a field. A reference is written by the merchant's customers as much as by the merchant, and a spreadsheet takes
 * what begins with = + - or @ for a formula: an apostrophe in front makes it a text. So it does behind whatever a
 * spreadsheet may cut at when it takes another separator for ours, as the French ones do with the semicolon.
 */
function fieldOf(text: string): string {
  const safe = text
    .replace(/(?<=(?:^|[,;|\t\r\n])[\s"]*)(?=[=+\-@\uff0b\uff0d\uff1d\uff20])/g, "'")
    .replace(/^(?=[\t\r\n])/, "'")
  return /[",;|\t\r\n']|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
