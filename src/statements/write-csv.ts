import { csvLine } from '../platform/csv-line.ts'
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
  yield csvLine(columns)
  yield rowOf({ created_at: figures.from, type: 'opening_balance', balance: figures.opening_balance })
  for await (const page of movements()) yield page.map((movement: Movement) => rowOf(movement)).join('')
  yield rowOf({ created_at: figures.to, type: 'total_in', amount: figures.total_in })
  yield rowOf({ created_at: figures.to, type: 'total_out', amount: figures.total_out })
  yield rowOf({ created_at: figures.to, type: 'closing_balance', balance: figures.closing_balance })
}

function rowOf(row: Row): string {
  return csvLine(columns.map((column) => row[column] ?? ''))
}
