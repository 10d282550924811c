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

/** The account of a statement, as far as the identity of its lines depends on it. */
export type LineOwner = {
  readonly livemode: boolean
  readonly account: string
  readonly kind: 'wallet' | 'bank' | 'safeguarding'
}

/**
 * Returns the identity that a line shares with its repetitions: mode, account, month, their number or else our reference, direction and class. A bank's reference is no number, because
 * a transfer, its commission and their tax have the same, and labels such as `FRAIS` come back each month: without a number day, effect, reference and
 * class count. Labels, balances and times are no part of it, because banks edit them. The n-th such row of a file is the n-th such line.
 */
export function identityOf({ livemode, account, kind }: LineOwner, row: StatementRow): string {
  const { reference, direction, class: its, effect, our_reference } = row
  const day = row.occurred_at?.slice(0, 10) ?? null
  const number = kind === 'wallet' ? (reference ?? our_reference) : null
  const key =
    number === null
      ? [livemode, account, 'day', day, effect, reference, our_reference, its]
      : [livemode, account, reference === null ? 'order' : 'number', day?.slice(0, 7), number, direction, its]
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
