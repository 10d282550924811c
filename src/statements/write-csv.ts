import { csvLine } from '../platform/csv-line.ts'
import type { StatementExport } from './export-statement.ts'
import type { Movement } from './movement.ts'

/** The columns, with the names of the interface's fields. */
const columns = ['created_at', 'type', 'direction', 'amount', 'balance', 'id', 'payment_id', 'reference'] as const

type Row = Partial<Record<(typeof columns)[number], string | number | null>>

/**
 * Writes a statement as CSV (RFC 4180: lines that end in CR LF, UTF-8), page by page. Four more rows have the figures of the
 * period: `opening_balance` is first, `total_in`, `total_out` and `closing_balance` are last. Only movements have a `direction`. The same
 * period gives the same bytes.
 * @param lineOf writes a line: for programs, or for a person's spreadsheet
 */
export async function* writeCsv(
  { figures, movements }: StatementExport,
  lineOf: (fields: readonly (string | number)[]) => string = csvLine,
): AsyncGenerator<string> {
  const rowOf = (row: Row) => lineOf(columns.map((column) => row[column] ?? ''))
  yield lineOf(columns)
  yield rowOf({ created_at: figures.from, type: 'opening_balance', balance: figures.opening_balance })
  for await (const page of movements()) yield page.map((movement: Movement) => rowOf(movement)).join('')
  yield rowOf({ created_at: figures.to, type: 'total_in', amount: figures.total_in })
  yield rowOf({ created_at: figures.to, type: 'total_out', amount: figures.total_out })
  yield rowOf({ created_at: figures.to, type: 'closing_balance', balance: figures.closing_balance })
}
