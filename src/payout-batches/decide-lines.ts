import type { NumberInBook } from '../beneficiaries/find-beneficiaries.ts'
import type { LineFailure, LineRow } from './batch.ts'

/** The part of the merchant's book that the lines of a batch name. */
export type Book = {
  /** Whether the destination of a line has an active entry. */
  isActive(line: LineRow): boolean
  /** The entries of each inline number. */
  numbers: ReadonlyMap<string, NumberInBook>
}

/** A line with the decision of the execution: sent, or failed. Amounts are in francs. */
export type DecidedLine = { line: LineRow; total_debited: number } & (
  | { kind: 'sent' }
  | { kind: 'failed'; failure_code: LineFailure }
)

/**
 * Decides the lines of a batch in the order of their ranks. A line whose destination was archived fails with `cancelled`. A line that the
 * remaining balance does not cover fails with `insufficient_funds`. The others are sent. Pure, except that it reduces
 * `spending.transfer`.
 */
export function decideLines(lines: readonly LineRow[], book: Book, spending: { transfer: number }): DecidedLine[] {
  return lines.map((line): DecidedLine => {
    const total_debited = line.amount + line.fee_amount
    if (isArchived(line, book)) return { line, total_debited, kind: 'failed', failure_code: 'cancelled' }
    if (total_debited > spending.transfer) {
      return { line, total_debited, kind: 'failed', failure_code: 'insufficient_funds' }
    }
    spending.transfer -= total_debited
    return { line, total_debited, kind: 'sent' }
  })
}

/**
 * Whether a line's destination was archived since its batch was made. That is so for an inline number if it has no active entry, and more
 * archived ones than at that time. We compare counts and not times, so that a wrong clock changes nothing. If the number was archived
 * already when the batch was made, its maker named it all the same, so the line is paid.
 */
function isArchived(line: LineRow, book: Book): boolean {
  if (book.isActive(line)) return false
  return !line.is_inline || book.numbers.get(line.msisdn)!.archived > (line.archived_before ?? 0)
}
