import type { RowClass } from './profile.ts'
import type { WrittenRow } from './read-row.ts'

/** A row of a statement with its meaning for the account. Money is in francs. */
export type StatementRow = Omit<WrittenRow, 'amount'> & {
  /** The amount of the operation, without its fee. */
  readonly gross: number
  /** The signed change of the balance. Zero for a row that moved nothing. */
  readonly effect: number
  /** Whether the fee is known. Where only steps of the balance show fees, that of a row without the balance before it is not, and `fee` is 0. */
  readonly is_fee_known: boolean
}

/** The rows of one class, and their sums in francs. */
export type ClassTotals = { rows: number; gross: number; fee: number; tax: number; effect: number }
export type Totals = Readonly<Record<RowClass, ClassTotals>>

export function emptyTotals(): Totals {
  const none = () => ({ rows: 0, gross: 0, fee: 0, tax: 0, effect: 0 })
  return {
    ...{ operation: none(), fee: none(), tax: none(), own_transfer: none() },
    ...{ failed: none(), summary: none(), unreadable: none() },
  }
}

export function addTo(totals: Totals, row: StatementRow): void {
  const sums = totals[row.class]
  sums.rows += 1
  sums.gross += row.gross
  sums.fee += row.fee
  sums.tax += row.tax
  sums.effect += row.effect
}

/** Whether a row changed the balance. */
export function moves({ class: its }: { class: RowClass }): boolean {
  return its !== 'failed' && its !== 'summary' && its !== 'unreadable'
}

/**
 * Returns the identity of a line: account, their number, direction and class; without a number its day, effect, class and text of the bank's
 * reference. Labels and balances are no part of it, because banks edit them. The n-th such row of a file is the n-th such line.
 */
export function identityOf(account: string, row: StatementRow, nth: number): string {
  const { reference, direction, class: its, effect, occurred_at } = row
  const key =
    reference === null
      ? [account, 'day', occurred_at?.slice(0, 10) ?? null, effect, row.our_reference, its, nth]
      : [account, 'number', reference, direction, its, nth]
  return JSON.stringify(key)
}

/** Returns the effect and the gross amount of a row by a known arithmetic. */
export function settle(row: WrittenRow, arithmetic: 'gross' | 'net'): { gross: number; effect: number } {
  const { amount, direction, fee, tax } = row
  if (!moves(row)) return { gross: amount, effect: 0 }
  const charge = fee + tax
  const sign = direction === 'out' ? -1 : 1
  // Of a fee alone, the amount is the fee.
  if (row.class === 'fee' || row.class === 'tax') return { gross: amount, effect: sign * amount || 0 }
  if (arithmetic === 'net') return { gross: amount + sign * charge, effect: sign * amount || 0 }
  return { gross: amount, effect: sign * amount - charge || 0 }
}
