import { fileFormOf, type OtherForm } from '../../platform/tables/file-form.ts'
import { readCsv, type SheetRow } from '../../platform/tables/read-csv.ts'
import { asSeen } from '../../values/as-seen.ts'
import { bankReferenceIn } from '../../values/bank-reference.ts'
import {
  type Direction,
  hasNoSum,
  isMonthFirst,
  readBankAmount,
  readBankDay,
  readDirection,
  withoutDirection,
} from './cells.ts'
import { areEnough, type BankColumns, columnsIn, isBeneficiaryAccount } from './columns.ts'

/** The most bytes of a file. */
export const BANK_FILE_MAX_BYTES = 2 * 1024 * 1024
/** The most lines of a file: a month of a busy account. */
export const BANK_LINES_MAX = 2_000
/** The most lines above the table, for the bank's name and the account. */
const LINES_ABOVE_MAX = 20

/** A line of a bank's file that has an amount. */
export type BankLine = {
  /** The line number in the file, from 1. */
  readonly line: number
  /** Whether the amount left or came in. Null when the line contradicts itself or says neither. */
  readonly direction: Direction | null
  /** In francs. Null when it is unreadable. */
  readonly amount: number | null
  /** The day on which the bank booked it, `YYYY-MM-DD`. Null when the line has no readable one. */
  readonly date: string | null
  /** Its value date, `YYYY-MM-DD`, or null. */
  readonly value_date: string | null
  /** The text of an unreadable date. Null when there is none. */
  readonly unread_date: string | null
  /** The bank's reference of the transfer. Null when there is none that can be stored. */
  readonly reference: string | null
  readonly label: string
  readonly account: string
  readonly holder: string
  /** The reason why the line can pay nothing. Null when it has no fault. */
  readonly fault: 'formula' | 'amount' | 'direction' | 'reference' | 'abbreviated' | null
}

/** A minus in a column of amounts. `left`: amounts with it left, and others came in. `came_back`: amounts with it were reversed, and others left. */
export type Minus = 'left' | 'came_back'

/** A person's answers about a file. */
export type BankFileTold = {
  /** The columns as the person assigned them. Null: the titles decide. */
  readonly columns: BankColumns | null
  /** The meaning of a minus, if the file does not prove it. */
  readonly minus: Minus | null
  /** Whether the first line is a transfer and has no titles. */
  readonly starts_at_once: boolean
}

export const nothingTold: BankFileTold = { columns: null, minus: null, starts_at_once: false }

/** The first line of a table about which the service asks a person. `starts_at_once`: it has an amount or a date, so it has no titles. */
export type BankFileHead = {
  readonly found: readonly string[]
  readonly known: BankColumns
  readonly starts_at_once: boolean
}

export type BankFileRefusal =
  /** `workbook`: an Excel workbook instead of its CSV. */
  | { readonly code: 'empty' | 'not_a_table' | 'too_large' | 'workbook' }
  /** The file has another form than a table of text. */
  | { readonly code: 'other_form'; readonly form: OtherForm }
  | { readonly code: 'unclosed_quote'; readonly line: number }
  | { readonly code: 'too_many_lines'; readonly count: number }
  /**
   * `columns_unknown`: the amount, the reference or the beneficiary has no known column, and a person must assign the columns.
   * `direction_unknown`: nothing proves whether the amounts with a minus left, or those without.
   */
  | ({ readonly code: 'columns_unknown' | 'direction_unknown' } & BankFileHead)

export type BankFileRead = {
  readonly kind: 'read'
  readonly lines: readonly BankLine[]
  /** The number of lines without an amount. */
  readonly left_aside: number
  /** Whether the column's title says that the accounts are those to which the money went. */
  readonly beneficiary_accounts: boolean
}

/** Reads the transfers of a bank's CSV. Its bytes decide the format, not its name. Nothing is stored. */
export async function readBankLines(
  bytes: Buffer,
  told: BankFileTold = nothingTold,
): Promise<BankFileRead | { readonly kind: 'refused'; readonly refusal: BankFileRefusal }> {
  const refused = (refusal: BankFileRefusal) => ({ kind: 'refused', refusal }) as const
  if (bytes.length > BANK_FILE_MAX_BYTES) return refused({ code: 'too_large' })
  const form = fileFormOf(bytes)
  if (form === 'xlsx') return refused({ code: 'workbook' })
  if (form !== null) return refused({ code: 'other_form', form })
  const read = await readCsv(bytes, BANK_LINES_MAX + LINES_ABOVE_MAX, areTitles)
  if (read.kind === 'refused') {
    const { kind: _, ...refusal } = read
    return refused(refusal)
  }
  const { rows, count } = read.sheet
  const top = headOf(rows)
  if (top === null) return refused({ code: 'empty' })
  const { place, titled, ...head } = top
  const columns = told.columns ?? head.known
  if (!areEnough(columns, head.found.length)) return refused({ code: 'columns_unknown', ...head })
  const isLine = (row: SheetRow, at: number) =>
    at > place || (!titled && (hasSumOrDay(row, columns) || (at === place && told.starts_at_once)))
  const body = rows.filter(isLine)
  const lines_count = body.length + count - rows.length
  if (lines_count > BANK_LINES_MAX) return refused({ code: 'too_many_lines', count: lines_count })
  const sums = body.map((row) => sumOf(row, columns))
  const minus = minusOf(sums, columns) ?? told.minus
  if (minus === null) return refused({ code: 'direction_unknown', ...head })
  const directions = sums.map((sum) => directionOf(sum, minus))
  const booked = daysOf(body, columns.date)
  const valued = daysOf(body, columns.value_date)
  const lines = body.flatMap((row, at) =>
    sums[at]!.kind === 'none' ? [] : [lineOf(row, columns, sums[at]!, directions[at]!, [booked[at]!, valued[at]!])],
  )
  return {
    kind: 'read',
    lines,
    left_aside: body.length - lines.length,
    beneficiary_accounts:
      columns.account !== undefined && titled && isBeneficiaryAccount(head.found[columns.account] ?? ''),
  }
}

/** Whether a line has titles that make a table of transfers. */
function areTitles(written: readonly string[]): boolean {
  return areEnough(columnsIn(written), written.length)
}

/** Finds the line of titles: the first with enough known titles, otherwise the first with three cells or more, which may be a transfer already. */
function headOf(rows: readonly SheetRow[]): (BankFileHead & { place: number; titled: boolean }) | null {
  const heads = rows.slice(0, LINES_ABOVE_MAX).map(({ cells }, place) => {
    const found = cells.map(({ text }) => oneLine(text).slice(0, 60))
    const known = columnsIn(found)
    return { place, found, known, starts_at_once: false, titled: areEnough(known, found.length) }
  })
  const titled = heads.find((head) => head.titled)
  if (titled !== undefined) return titled
  const first = heads.find(({ found }) => found.filter((title) => title !== '').length >= 3) ?? heads[0]
  if (first === undefined) return null
  const starts_at_once = first.found.some((text) => readBankAmount(text) !== null || readBankDay(text) !== null)
  return { ...first, starts_at_once }
}

/** Whether a line has an amount or a date in its column, and so no titles. */
function hasSumOrDay(row: SheetRow, columns: BankColumns): boolean {
  const { amount, debit, credit, date, value_date } = columns
  return (
    [amount, debit, credit].some((place) => readBankAmount(textAt(row, place)) !== null) ||
    [date, value_date].some((place) => readBankDay(textAt(row, place)) !== null)
  )
}

/** A direction that the column of directions and the amount tell differently. */
const CONTRADICTION = '?'

/** The amount of a line with its sign. `told`: the direction in the column of directions or behind the amount, or null. `plus`: whether a plus is written. */
type Sum =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'debit' | 'credit' | 'amount' | 'both'
      readonly amount: number | null
      readonly told: string | null
      readonly plus: boolean
    }

function sumOf(row: SheetRow, columns: BankColumns): Sum {
  const column = columns.direction === undefined ? null : textAt(row, columns.direction)
  const given = (['debit', 'credit', 'amount'] as const).flatMap((kind) => {
    const { text, told: behind } = withoutDirection(textAt(row, columns[kind]))
    const isSame = column === null || behind === null || readDirection(column) === readDirection(behind)
    const told = isSame ? (column ?? behind) : CONTRADICTION
    return hasNoSum(text) ? [] : [{ kind, amount: readBankAmount(text), told, plus: text.startsWith('+') }]
  })
  if (given.length > 1) return { kind: 'both', amount: null, told: column, plus: false }
  return given[0] ?? { kind: 'none' }
}

/**
 * Finds the meaning of a minus in this file. If debits have no minus, a debit with one was reversed. If amounts that came in have a plus,
 * those with a minus left. With a column of directions or of debits, no minus is needed.
 * @returns null when nothing proves it. A person must answer, because a single reversal looks like a single debit
 */
function minusOf(sums: readonly Sum[], columns: BankColumns): Minus | null {
  const read = sums.flatMap((sum) =>
    sum.kind === 'none' || sum.amount === null ? [] : [{ ...sum, amount: sum.amount }],
  )
  const debits = read.filter(
    ({ kind, told }) => kind === 'debit' || (kind === 'amount' && told !== null && readDirection(told) === 'out'),
  )
  const bare = columns.amount === undefined ? [] : read.filter(({ kind, told }) => kind === 'amount' && told === null)
  const isBare = columns.direction === undefined && bare.length > 0
  if (!isBare && debits.some(({ amount }) => amount > 0)) return 'came_back'
  const open = isBare ? bare : debits
  if (!open.some(({ amount }) => amount < 0)) return isBare && open.length > 0 ? null : 'left'
  return read.some(({ kind, plus }) => kind === 'amount' && plus) ? 'left' : null
}

/** Returns the direction of a line. Null when the line contradicts itself or is unreadable. */
function directionOf(sum: Sum, minus: Minus): Direction | null {
  if (sum.kind === 'none' || sum.kind === 'both') return null
  const { kind, amount, told } = sum
  if (told === CONTRADICTION) return null
  const isNegative = amount !== null && amount < 0
  const written = told === null ? null : readDirection(told)
  const out = isNegative && minus === 'came_back' ? 'in' : 'out'
  if (kind === 'debit') return written === 'in' ? null : out
  if (kind === 'credit' || written === 'in') return isNegative || (kind === 'credit' && written === 'out') ? null : 'in'
  if (told !== null) return written === 'out' ? out : null
  if (amount === null) return null
  return isNegative === (minus === 'left') ? 'out' : 'in'
}

/** The text of a cell with a date, and the date. Null when the cell is empty or unreadable. */
type Day = { readonly text: string; readonly day: string | null }

/** Reads the dates of one column. If one has the month before the day, none is read. */
function daysOf(rows: readonly SheetRow[], place: number | undefined): Day[] {
  const texts = rows.map((row) => textAt(row, place))
  const monthFirst = texts.some(isMonthFirst)
  return texts.map((text) => ({ text, day: monthFirst ? null : readBankDay(text) }))
}

/** A reference that a spreadsheet took for a number and abbreviated: `2,61101E+11`. Its digits are lost, and two become the same. */
const ABBREVIATED = /^\d(?:[.,]\d+)?E\+\d+$/i

function lineOf(
  row: SheetRow,
  columns: BankColumns,
  sum: Exclude<Sum, { kind: 'none' }>,
  direction: Direction | null,
  days: readonly [booked: Day, valued: Day],
): BankLine {
  const [{ day: date }, { day: value_date }] = days
  const unread_date = days.find(({ text, day }) => text !== '' && day === null)?.text.slice(0, 40) ?? null
  const label = textAt(row, columns.label)
  const account = textAt(row, columns.account)
  const holder = textAt(row, columns.holder)
  const reference = bankReferenceIn(textAt(row, columns.reference))
  const amount = sum.amount === null ? null : Math.abs(sum.amount)
  const faults = [
    [Object.values(columns).some((place) => isFormula(textAt(row, place))), 'formula'],
    [sum.kind === 'both', 'direction'],
    [amount === null, 'amount'],
    [direction === null, 'direction'],
    [reference === null, 'reference'],
    [ABBREVIATED.test(reference ?? ''), 'abbreviated'],
  ] as const
  const fault = faults.find(([wrong]) => wrong)?.[1] ?? null
  return { line: row.line, direction, amount, date, value_date, unread_date, reference, label, account, holder, fault }
}

function textAt({ cells }: SheetRow, place: number | undefined): string {
  const text = asSeen(oneLine((place === undefined ? undefined : cells[place]?.text) ?? '')).trim()
  // Some banks write a number as a formula, so that a spreadsheet keeps its leading zeros.
  return /^="([^"]*)"$/.exec(text)?.[1]?.trim() ?? text
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed()
}

/** Whether a spreadsheet would calculate the text, so that its value is uncertain. A sign alone or before digits is no formula. */
function isFormula(text: string): boolean {
  return /^[=@]/.test(text) || /^[+-](?!$)(?![\d\s.,'\u2019]+(?:F|FCFA|CFA|XOF)?\s*(?:[DC][RBT]?)?$)/i.test(text)
}
