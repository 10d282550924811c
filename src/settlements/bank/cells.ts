import { plainTitle } from '../../platform/tables/read-csv.ts'
import { readFrancs } from '../../platform/tables/read-francs.ts'
import { AMOUNT_MAX } from '../../values/amount.ts'

/**
 * Reads a bank's amount in francs: `1 250 000`, `1.250.000,00`, `-1,250,000.00 XOF`, `1'250'000.00`. A minus may also stand behind the amount,
 * and an amount in parentheses has a minus. Three digits after a separator are thousands,
 * because a franc has no subdivision. Null when the text is no whole number of francs, or zero.
 */
export function readBankAmount(text: string): number | null {
  const francs = readFrancs(text)
  return francs === null || francs === 0 || Math.abs(francs) > AMOUNT_MAX ? null : francs
}

/** Parts an amount from the direction that some banks write behind it: `1,250,000.00 DR`. `told` is null when there is none. */
export function withoutDirection(text: string): { readonly text: string; readonly told: string | null } {
  const [, amount, told] = /^(.*[\d).,-])\s*(DR|CR|DB|DT|CT|D|C)\.?$/is.exec(text) ?? []
  return amount === undefined ? { text, told: null } : { text: amount, told: told! }
}

/** Whether a cell has no amount: it is empty, a dash, or the zero that some banks write in the column of the other direction. */
export function hasNoSum(text: string): boolean {
  return /^(?:[-\u2013\u2014]?|[+-]?0+(?:[.,]0+)?(?:\s*(?:F|FCFA|F CFA|XOF))?)$/i.test(text)
}

/** The direction of money on our account: it left or came in. */
export type Direction = 'out' | 'in'

const directions: readonly (readonly [Direction, readonly string[]])[] = [
  ['out', ['d', 'db', 'dr', 'dt', 'debit', 'debiteur', 'sortie', 'sortant', 'out', 'dbit']],
  ['in', ['c', 'cr', 'ct', 'credit', 'crediteur', 'entree', 'entrant', 'in', 'crdt']],
]

/** Reads a cell of the column of directions: `D`, `Crédit`, `-`. Null when the word is unknown. */
export function readDirection(text: string): Direction | null {
  if (text === '+') return 'in'
  if (/^[-\u2212]$/.test(text)) return 'out'
  const word = plainTitle(text)
  return directions.find(([, words]) => words.includes(word))?.[0] ?? null
}

/** Reads a date as `YYYY-MM-DD` from `25/11/2026`, `25.11.26` or `2026-11-25`, with or without a time. The day precedes the month. Null when it is no date. */
export function readBankDay(text: string): string | null {
  const [, year, month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?$/.exec(text) ?? []
  if (year !== undefined) return dayOf(year, month!, day!)
  const [, first, second, last] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d\d)(?: .*)?$/.exec(text) ?? []
  return last === undefined ? null : dayOf(last.length === 2 ? `20${last}` : last, second!, first!)
}

function dayOf(year: string, month: string, day: string): string | null {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const moment = new Date(`${text}T00:00:00Z`)
  // `Date` would read the 31st of a shorter month as a day of the next.
  return Number.isNaN(moment.getTime()) || moment.toISOString().slice(0, 10) !== text ? null : text
}

/** Whether a cell has a date with the month before the day. No bank here writes so, and then no date of its column is certain. */
export function isMonthFirst(text: string): boolean {
  const [, first, second] = /^(\d{1,2})[-/.](\d{1,2})[-/.](?:\d{4}|\d\d)(?: .*)?$/.exec(text) ?? []
  return second !== undefined && Number(first) <= 12 && Number(second) > 12
}
