import type { SheetCell, SheetRow } from '../platform/tables/read-csv.ts'
import { Msisdn } from '../values/msisdn.ts'
import { textOf } from './cell-text.ts'
import type { StatementColumns } from './find-columns.ts'
import { keptText } from './kept-text.ts'
import { wordsOf } from './known-words.ts'
import type { Direction, RowClass, StatementColumn, StatementProfile } from './profile.ts'
import { momentOfSerial, readMoment } from './read-moment.ts'
import { createAmountReader, moneyIn } from './read-money.ts'

export type RowFault =
  | 'formula'
  | 'cell_error'
  | 'amount'
  | 'date'
  | 'fee'
  | 'balance'
  | 'state'
  | 'direction'
  /** The row is of another currency than the account. */
  | 'currency'
  /** The row has an amount, and is neither a line nor a total that the profile knows. */
  | 'not_a_line'

/** A row as written, before the arithmetic of its file is known. Money is in francs without sign. */
export type WrittenRow = {
  readonly row: number
  readonly class: RowClass
  readonly fault: RowFault | null
  readonly direction: Direction | null
  readonly amount: number
  readonly fee: number
  readonly tax: number
  readonly balance: number | null
  readonly currency: string
  readonly occurred_at: string | null
  readonly reference: string | null
  readonly our_reference: string | null
  readonly state: string | null
  /** The periods and references of a free text (`kept-text.ts`). No other word of it is returned. */
  readonly text: string | null
  /** The number of the other party. A name is never returned. */
  readonly party: Msisdn | null
}

const TEXT_MAX = 400

/**
 * Creates the reader of the rows of one file.
 * @param first the index of the first column, that of the first title
 */
export function createRowReader(profile: StatementProfile, columns: StatementColumns, first = 0) {
  const classes = wordsOf(profile.classes ?? {})
  const directions = wordsOf(profile.directions ?? {})
  const states = wordsOf(profile.states ?? {})
  const footer = wordsOf({ footer: profile.footer ?? [] })
  const amountIn = createAmountReader(profile)
  let ended = false

  function read(row: SheetRow): WrittenRow {
    const at = (column: StatementColumn): SheetCell | undefined =>
      columns[column] === undefined ? undefined : row.cells[columns[column]]
    const text = (column: StatementColumn) => textOf(at(column))
    const amounts = (some: readonly StatementColumn[]) => some.map((column) => amountIn(at(column)))
    const moment = momentIn(at('date'), text('time'), at('time'), profile)
    const sums = amounts(['amount', 'debit', 'credit'])
    const hasMoney = () =>
      sums.some((sum) => typeof sum === 'number' && sum !== 0) ||
      // A title that is repeated has no digit; an amount that cannot be read has.
      [at('amount'), at('debit'), at('credit')].some((cell, nth) =>
        sums[nth] === null ? /\d/.test(textOf(cell)) : cell?.unread !== undefined,
      )
    const kind = kindOf(row, hasMoney, isRow(profile, row.cells[first], moment, text('date')))
    if (kind !== 'line') return withoutLine(row.line, profile, kind)
    const money = moneyIn(sums, toldIn(text))
    const outcome = profile.states === undefined || columns.state === undefined ? 'moved' : states(text('state'))?.name
    const charges = chargesIn(amounts, money.direction)
    const balance = amountIn(at('balance'))
    const unread = Object.values(columns)
      .map((place) => row.cells[place]?.unread)
      .find((why) => why !== undefined)
    const faults: readonly (readonly [boolean, RowFault])[] = [
      [unread === 'currency' || !isCurrency(text('currency'), profile.currency), 'currency'],
      [unread !== undefined, unread === 'formula' ? 'formula' : 'cell_error'],
      [moment === null, 'date'],
      [outcome === undefined, 'state'],
      [money.amount === null, 'amount'],
      [charges === null, 'fee'],
      [balance === null, 'balance'],
      [money.direction === null && outcome === 'moved', 'direction'],
    ]
    const fault = faults.find(([wrong]) => wrong)?.[1] ?? null
    return {
      row: row.line,
      class: fault !== null ? 'unreadable' : outcome === 'failed' ? 'failed' : classOf(text('type'), money.direction),
      fault,
      direction: money.direction,
      amount: money.amount ?? 0,
      ...(charges ?? { fee: 0, tax: 0 }),
      balance: balance ?? null,
      currency: /^[A-Z]{3}$/.test(text('currency')) ? text('currency') : profile.currency,
      occurred_at: moment,
      reference: referenceIn(text('reference'), profile),
      our_reference: referenceIn(text('our_reference'), profile),
      state: outcome === undefined ? null : orNull(text('state')),
      text: keptText(text('text')),
      party: partyIn(text('party')),
    }
  }

  /** A row with money is a line or a total that the profile knows. Any other one is unreadable, so that no money is left out in silence. */
  function kindOf(row: SheetRow, hasMoney: () => boolean, is_row: boolean): 'line' | 'summary' | 'unreadable' {
    const isTotal = footer(textOf(row.cells.find((cell) => cell.text.trim() !== ''))) !== null
    ended ||= isTotal
    const isLine = is_row && (profile.row_is !== undefined || !(isTotal || (ended && !hasMoney())))
    if (isLine) return 'line'
    return !isTotal && hasMoney() ? 'unreadable' : 'summary'
  }

  function toldIn(text: (column: StatementColumn) => string): Direction | 'unknown' | null {
    const column = profile.columns.direction === undefined ? 'type' : 'direction'
    if (profile.directions === undefined || columns[column] === undefined) return null
    return (directions(text(column))?.name ?? 'unknown') as Direction | 'unknown'
  }

  /** A label that begins like one of a fee is none when the money came in: a commission that is paid back, or another word. */
  function classOf(type: string, direction: Direction | null): RowClass {
    const known = classes(type)
    if (known === null || (known.begins && direction === 'in' && /^(?:fee|tax)$/.test(known.name))) return 'operation'
    return known.name as RowClass
  }

  return { read }
}

/** Returns the fee and the tax of our side in francs. Null when one is unreadable. */
function chargesIn(
  amounts: (some: readonly StatementColumn[]) => (number | null | undefined)[],
  direction: Direction | null,
): { fee: number; tax: number } | null {
  const written = amounts(
    direction === 'out' ? ['fee', 'fee_out', 'tax', 'tax_out'] : ['fee', 'fee_in', 'tax', 'tax_in'],
  )
  if (written.includes(null)) return null
  const [fee, side_fee, tax, side_tax] = written.map((one) => one ?? 0) as [number, number, number, number]
  return { fee: Math.abs(fee + side_fee), tax: Math.abs(tax + side_tax) }
}

/** A row without a line: a summary, or money of which nothing says what it is. */
function withoutLine(row: number, profile: StatementProfile, its: 'summary' | 'unreadable'): WrittenRow {
  return {
    ...{ row, class: its, fault: its === 'summary' ? null : 'not_a_line', direction: null, amount: 0, fee: 0, tax: 0 },
    ...{ balance: null, currency: profile.currency, occurred_at: null, reference: null, our_reference: null },
    ...{ state: null, text: null, party: null },
  }
}

/** The words with which banks write the franc of West Africa, `XOF` aside. */
const FRANC = /^(?:F|FR|FRS|FRANCS?|F?CFA|FRANCSCFA|FRANCCFA|BCEAO|UEMOA)$/

/** Whether a written currency is the account's: `XOF`, `F CFA`, `XOF - Franc CFA`. An absent one is. */
export function isCurrency(written: string, currency: string): boolean {
  if (written === currency || written === '') return true
  const words = written
    .toUpperCase()
    .split(/[^A-Z]+/)
    .filter((word) => word !== '')
  return words.length > 0 && words.every((word) => word === currency || (currency === 'XOF' && FRANC.test(word)))
}

function isRow(
  { row_is }: StatementProfile,
  first: SheetCell | undefined,
  moment: string | null,
  date: string,
): boolean {
  if (row_is === 'number_first') return /^\d{1,9}$/.test(textOf(first))
  return row_is !== 'has_date' || moment !== null || /^\d/.test(date)
}

function momentIn(
  date: SheetCell | undefined,
  time: string,
  time_cell: SheetCell | undefined,
  { date: form }: StatementProfile,
) {
  if (date?.serial !== undefined) {
    const clock = time_cell?.serial ?? 0
    const day = momentOfSerial(date.serial + (clock < 1 ? clock : 0))
    return time === '' || day === null ? day : readMoment(`${day.slice(0, 10)} ${time}`, form)
  }
  const text = textOf(date)
  if (text === '') return null
  if (time_cell?.serial === undefined) return readMoment(time === '' ? text : `${text} ${time}`, form)
  const clock = momentOfSerial(40_000 + (time_cell.serial % 1))
  return clock === null ? null : readMoment(`${text} ${clock.slice(11, 19)}`, form)
}

function orNull(text: string): string | null {
  return text === '' ? null : text.slice(0, TEXT_MAX).toWellFormed()
}

/**
 * Reads a reference. Banks write `NONREF` or `NOTPROVIDED` where they have none. In a message, a text of several words or without a digit may be a name:
 * of such a one only what looks like a reference is kept.
 */
function referenceIn(text: string, { format }: StatementProfile): string | null {
  if (/^(?:NONREF|NOTPROVIDED)$/i.test(text)) return null
  const isMessage = format === 'mt940' || format === 'camt053'
  return isMessage && !/^(?=.*\d)\S+$/.test(text) ? keptText(text) : orNull(text)
}

function partyIn(text: string): Msisdn | null {
  return text === '' ? null : Msisdn.parse(text.replace(/^FRI:|\/MSISDN$/gi, '').replace(/^(\+?[\d ]+) .*$/, '$1'))
}
