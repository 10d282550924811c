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
 * Returns the amount of a row without sign, and its direction: that of the column of the amount, of a word, or of a minus. Null when a word says that
 * a negative amount came in, or when the word is unknown and there is no minus.
 * @param told the direction that a word says. Null: the profile has no words
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
  // Beside columns of debits and credits, a word is about the balance.
  if (by_column !== null) return by_column
  if (told === 'unknown') return value < 0 ? 'out' : null
  if (told === 'in' && value < 0) return null
  return told ?? (value < 0 ? 'out' : 'in')
}
