import { readCsv, type SheetRow } from '../../platform/read-csv.ts'
import { bankReferenceIn } from '../../values/bank-reference.ts'
import { type Direction, hasNoSum, isMonthFirst, readBankAmount, readBankDay, readDirection } from './cells.ts'
import { areEnough, type BankColumns, columnsIn, isBeneficiaryAccount } from './columns.ts'

/** Bytes of a file at most. */
export const BANK_FILE_MAX_BYTES = 2 * 1024 * 1024
/** Lines of a file at most: a month of a busy account. */
export const BANK_LINES_MAX = 2_000
/** Lines above the table at most, in which a bank writes its name and the account. */
const LINES_ABOVE_MAX = 20

/** A line of a bank's file that has a sum. */
export type BankLine = {
  /** That of the file, from 1. */
  readonly line: number
  /** Whether the sum left or came in; null: the line contradicts itself or says neither. */
  readonly direction: Direction | null
  /** Francs; null: they cannot be read. */
  readonly amount: number | null
  /** The day on which the bank booked it, `YYYY-MM-DD`; null: the file has none that can be read. */
  readonly date: string | null
  /** Its value date, likewise. */
  readonly value_date: string | null
  /** The text of a day that cannot be read; null: all of them can. */
  readonly unread_date: string | null
  /** The bank's name of the transfer; null: none that can be kept. */
  readonly reference: string | null
  readonly label: string
  readonly account: string
  readonly holder: string
  /** Why it can pay nothing; null: nothing is wrong with it. */
  readonly fault: 'formula' | 'amount' | 'direction' | 'reference' | null
}

/** A minus in a column of sums: `left`: its sum left, and those without one came in; `came_back`: those without one left, and it was taken back. */
export type Minus = 'left' | 'came_back'

/** The words of a person about a file, besides what stands in it. */
export type BankFileTold = {
  /** The columns as they named them; null: they are known by their titles. */
  readonly columns: BankColumns | null
  /** The meaning of a minus, where the file does not prove it. */
  readonly minus: Minus | null
  /** The first line is a transfer, and no titles. */
  readonly starts_at_once: boolean
}

export const nothingTold: BankFileTold = { columns: null, minus: null, starts_at_once: false }

/** The first line of a table that a person is asked about. `starts_at_once`: it has a sum or a day, so it is no line of titles. */
export type BankFileHead = {
  readonly found: readonly string[]
  readonly known: BankColumns
  readonly starts_at_once: boolean
}

export type BankFileRefusal =
  | { readonly code: 'empty' | 'not_a_table' | 'too_large' }
  | { readonly code: 'unclosed_quote'; readonly line: number }
  | { readonly code: 'too_many_lines'; readonly count: number }
  /**
   * `columns_unknown`: the sum, the reference, or anything that says for whom: a person names the columns.
   * `direction_unknown`: nothing proves which of the sums left, those with a minus or those without.
   */
  | ({ readonly code: 'columns_unknown' | 'direction_unknown' } & BankFileHead)

export type BankFileRead = {
  readonly kind: 'read'
  readonly lines: readonly BankLine[]
  /** Lines without a sum. */
  readonly left_aside: number
  /** Its title says that the account of each line is the one to which the money went. */
  readonly beneficiary_accounts: boolean
}

/** Reads the transfers of a bank's CSV, whatever its name says that it is. Nothing of it is kept. */
export function readBankLines(
  bytes: Buffer,
  told: BankFileTold = nothingTold,
): BankFileRead | { readonly kind: 'refused'; readonly refusal: BankFileRefusal } {
  const refused = (refusal: BankFileRefusal) => ({ kind: 'refused', refusal }) as const
  if (bytes.length > BANK_FILE_MAX_BYTES) return refused({ code: 'too_large' })
  const read = readCsv(bytes, BANK_LINES_MAX + LINES_ABOVE_MAX)
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

/** The line of the titles: the first one that says enough, or else the first one of three cells or more, which may be a transfer already. */
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

/** Whether a line has what no title is: a sum or a day in its column. */
function hasSumOrDay(row: SheetRow, columns: BankColumns): boolean {
  const { amount, debit, credit, date, value_date } = columns
  return (
    [amount, debit, credit].some((place) => readBankAmount(textAt(row, place)) !== null) ||
    [date, value_date].some((place) => readBankDay(textAt(row, place)) !== null)
  )
}

/** The sum of a line with its sign. `told`: the word of the column of directions; null: there is none. `plus`: its sign is written. */
type Sum =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'debit' | 'credit' | 'amount' | 'both'
      readonly amount: number | null
      readonly told: string | null
      readonly plus: boolean
    }

function sumOf(row: SheetRow, columns: BankColumns): Sum {
  const told = columns.direction === undefined ? null : textAt(row, columns.direction)
  const given = (['debit', 'credit', 'amount'] as const).flatMap((kind) => {
    const text = textAt(row, columns[kind])
    return hasNoSum(text) ? [] : [{ kind, amount: readBankAmount(text), told, plus: text.startsWith('+') }]
  })
  if (given.length > 1) return { kind: 'both', amount: null, told, plus: false }
  return given[0] ?? { kind: 'none' }
}

/**
 * The meaning of a minus in this file. Where debits are written without one, a debit with one was taken back; where sums with a written plus
 * came in, those with a minus left. A column of directions, or one of debits, needs no minus at all.
 * @returns null where nothing proves it: a person says it, because a reversal alone in a file looks like a debit alone in a file
 */
function minusOf(sums: readonly Sum[], columns: BankColumns): Minus | null {
  const read = sums.flatMap((sum) =>
    sum.kind === 'none' || sum.amount === null ? [] : [{ ...sum, amount: sum.amount }],
  )
  const debits = read.filter(
    ({ kind, told }) => kind === 'debit' || (kind === 'amount' && told !== null && readDirection(told) === 'out'),
  )
  if (debits.some(({ amount }) => amount > 0)) return 'came_back'
  const isBare = columns.amount !== undefined && columns.direction === undefined
  const open = isBare ? read : debits
  if (!open.some(({ amount }) => amount < 0)) return isBare && open.length > 0 ? null : 'left'
  return read.some(({ kind, plus }) => kind === 'amount' && plus) ? 'left' : null
}

/** The direction of a line; null where it contradicts itself, or cannot be read. */
function directionOf(sum: Sum, minus: Minus): Direction | null {
  if (sum.kind === 'none' || sum.kind === 'both') return null
  const { kind, amount, told } = sum
  const isNegative = amount !== null && amount < 0
  const written = told === null ? null : readDirection(told)
  const out = isNegative && minus === 'came_back' ? 'in' : 'out'
  if (kind === 'debit') return written === 'in' ? null : out
  if (kind === 'credit' || written === 'in') return isNegative || (kind === 'credit' && written === 'out') ? null : 'in'
  if (told !== null) return written === 'out' ? out : null
  if (amount === null) return null
  return isNegative === (minus === 'left') ? 'out' : 'in'
}

/** A cell of a day, and the day; null: it is empty or cannot be read. */
type Day = { readonly text: string; readonly day: string | null }

/** The days of one column. Where one of them has the month before the day, none can be read. */
function daysOf(rows: readonly SheetRow[], place: number | undefined): Day[] {
  const texts = rows.map((row) => textAt(row, place))
  const monthFirst = texts.some(isMonthFirst)
  return texts.map((text) => ({ text, day: monthFirst ? null : readBankDay(text) }))
}

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
  ] as const
  const fault = faults.find(([wrong]) => wrong)?.[1] ?? null
  return { line: row.line, direction, amount, date, value_date, unread_date, reference, label, account, holder, fault }
}

function textAt({ cells }: SheetRow, place: number | undefined): string {
  const text = oneLine((place === undefined ? undefined : cells[place]?.text) ?? '')
  // Some banks write a number so, that a spreadsheet keeps its zeros.
  return /^="([^"]*)"$/.exec(text)?.[1]?.trim() ?? text
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed()
}

/** Whether a spreadsheet would reckon with it: its result is anybody's word. A sign alone or in front of figures is none. */
function isFormula(text: string): boolean {
  return /^[=@]/.test(text) || /^[+-](?!$)(?![\d\s.,]+(?:F|FCFA|CFA|XOF)?$)/i.test(text)
}
