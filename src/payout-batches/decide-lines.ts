import type { NumberInBook } from '../beneficiaries/find-beneficiaries.ts'
import type { LineFailure, LineRow } from './batch.ts'

/** The merchant's book as far as the lines of a batch name it. */
export type Book = {
  /** Whether the destination of a line has an active entry. */
  isActive(line: LineRow): boolean
  /** Of every number that a line names inline. */
  numbers: ReadonlyMap<string, NumberInBook>
}

/** The outcome of a line when its batch is executed. Francs. */
export type LineFate = { line: LineRow; total_debited: number } & (
  | { kind: 'sent' }
  | { kind: 'failed'; failure_code: LineFailure }
)

/**
 * Decides the lines of a batch in the order of their ranks: one whose destination was archived fails with `cancelled`, one that the
 * balance left by those before it does not cover with `insufficient_funds`, and the others are sent. Pure but for `spending`, which it
 * moves on.
 */
export function decideLines(lines: readonly LineRow[], book: Book, spending: { transfer: number }): LineFate[] {
  return lines.map((line): LineFate => {
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
 * Whether a line's destination was archived since its batch was made. A number given inline was, when no entry of it is active and more
 * are archived now than then: it had an entry then, or got one since. Numbers of entries are compared and no times, so that a clock
 * that was wrong changes nothing. A number that was archived before, and was given inline all the same, is meant.
 */
function isArchived(line: LineRow, book: Book): boolean {
  if (book.isActive(line)) return false
  return !line.is_inline || book.numbers.get(line.msisdn)!.archived > (line.archived_before ?? 0)
}
