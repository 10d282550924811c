import type { SheetCell } from '../platform/tables/read-csv.ts'
import { readDecimal, readFrancs } from '../platform/tables/read-francs.ts'
import { textOf } from './cell-text.ts'
import type { Direction, StatementProfile } from './profile.ts'

export type Money = { readonly amount: number | null; readonly direction: Direction | null }

/** Returns an amount with its sign. Undefined: the cell is empty; null: it is unreadable. */
export type AmountReader = (cell: SheetCell | undefined) => number | null | undefined

/** Creates the reader of amounts. Only texts of tables may group thousands; a number, and an amount of a message, has one decimal mark. */
export function createAmountReader({ format }: StatementProfile): AmountReader {
  return (cell) => {
    const text = textOf(cell)
    if (text === '' || /^[-\u2013\u2014]$/.test(text)) return undefined
    return format === 'table' && cell?.number === undefined ? readFrancs(text) : readDecimal(text)
  }
}

/**
 * Returns the amount of a row without sign, and its direction. @param told the direction that a word says. A word or a column that contradicts the
 * other, and a word that says `in` of a negative amount, leave it open, and so does an unknown word beside an amount without a minus.
 */
export function moneyIn(
  [amount, debit, credit]: readonly (number | null | undefined)[],
  told: Direction | 'unknown' | null,
): Money {
  const unreadable = { amount: null, direction: null }
  if (amount === null || debit === null || credit === null) return unreadable
  // Some write the zero of the other direction.
  const sides = [debit, credit].filter((one) => one !== undefined && one !== 0)
  if (sides.length > 1 || (amount !== undefined && sides.length > 0)) return unreadable
  const value = amount ?? sides[0] ?? debit ?? credit
  if (value === undefined) return unreadable
  const by_column =
    amount !== undefined ? null : debit !== undefined && debit !== 0 ? 'out' : credit === 0 ? null : 'in'
  return { amount: Math.abs(value), direction: directionOf(value, by_column, told) }
}

function directionOf(value: number, by_column: Direction | null, told: Direction | 'unknown' | null): Direction | null {
  if (told === 'unknown') return by_column ?? (value < 0 ? 'out' : null)
  if (by_column !== null) return told !== null && told !== by_column ? null : by_column
  if (told === 'in' && value < 0) return null
  return told ?? (value < 0 ? 'out' : 'in')
}
