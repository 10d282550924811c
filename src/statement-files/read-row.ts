import type { SheetCell, SheetRow } from '../platform/tables/read-csv.ts'
import { readFrancs } from '../platform/tables/read-francs.ts'
import { Msisdn } from '../values/msisdn.ts'
import { type StatementColumns, titleKey } from './find-columns.ts'
import type { Direction, RowClass, StatementColumn, StatementProfile } from './profile.ts'
import { momentOfSerial, readMoment } from './read-moment.ts'

export type RowFault = 'formula' | 'cell_error' | 'amount' | 'date' | 'fee' | 'balance' | 'state' | 'direction'

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
  readonly text: string | null
  /** The number of the other party. A name is never returned. */
  readonly party: Msisdn | null
}

const TEXT_MAX = 400
/** The most words of a column whose meaning is kept. */
const KNOWN_MAX = 100

/** Creates the reader of the rows of one file. */
export function createRowReader(profile: StatementProfile, columns: StatementColumns) {
  const classes = wordsOf(profile.classes ?? {})
  const directions = wordsOf(profile.directions ?? {})
  const states = wordsOf(profile.states ?? {})
  const footer = wordsOf({ footer: profile.footer ?? [] })
  let ended = false

  function read(row: SheetRow): WrittenRow {
    const at = (column: StatementColumn): SheetCell | undefined =>
      columns[column] === undefined ? undefined : row.cells[columns[column]]
    const text = (column: StatementColumn) => textOf(at(column))
    const first = textOf(row.cells.find((cell) => cell.text.trim() !== ''))
    ended ||= footer(first) !== null
    const moment = momentIn(at('date'), text('time'), at('time'), profile)
    if (ended || !isRow(profile, row, moment, text('date'))) return summary(row.line, profile)
    const amounts = (some: readonly StatementColumn[]) => some.map((column) => amountIn(at(column)))
    const money = moneyIn(amounts(['amount', 'debit', 'credit']), directions(text('type')))
    const state = text('state')
    const outcome = profile.states === undefined || columns.state === undefined ? 'moved' : states(state)
    const out = money.direction === 'out'
    const [fee, side_fee, tax, side_tax, balance] = amounts([
      'fee',
      out ? 'fee_out' : 'fee_in',
      'tax',
      out ? 'tax_out' : 'tax_in',
      'balance',
    ])
    const written = [fee, side_fee, tax, side_tax]
    const unread = Object.values(columns)
      .map((place) => row.cells[place]?.unread)
      .find((why) => why !== undefined)
    const faults: readonly (readonly [boolean, RowFault])[] = [
      [unread !== undefined, unread === 'formula' ? 'formula' : 'cell_error'],
      [moment === null, 'date'],
      [outcome === null, 'state'],
      [money.amount === null, 'amount'],
      [written.includes(null), 'fee'],
      [balance === null, 'balance'],
      [money.direction === null && outcome === 'moved', 'direction'],
    ]
    const fault = faults.find(([wrong]) => wrong)?.[1] ?? null
    const moved = (classes(text('type')) ?? 'operation') as RowClass
    return {
      row: row.line,
      class: fault !== null ? 'unreadable' : outcome === 'failed' ? 'failed' : moved,
      fault,
      direction: money.direction,
      amount: money.amount ?? 0,
      fee: Math.abs((fee ?? 0) + (side_fee ?? 0)),
      tax: Math.abs((tax ?? 0) + (side_tax ?? 0)),
      balance: balance ?? null,
      currency: /^[A-Z]{3}$/.test(text('currency')) ? text('currency') : profile.currency,
      occurred_at: moment,
      reference: orNull(text('reference')),
      our_reference: ownReference(text('our_reference')),
      state: orNull(state),
      text: orNull(text('text')),
      party: partyIn(text('party')),
    }
  }
  return { read }
}

function summary(row: number, profile: StatementProfile): WrittenRow {
  return {
    ...{ row, class: 'summary', fault: null, direction: null, amount: 0, fee: 0, tax: 0, balance: null },
    ...{ currency: profile.currency, occurred_at: null, reference: null, our_reference: null, state: null },
    ...{ text: null, party: null },
  }
}

/** Returns a function that finds the name whose words a text is or, with a star, begins with. */
function wordsOf(lists: Readonly<Record<string, readonly string[]>>): (text: string) => string | null {
  const exact = new Map<string, string>()
  const begun: [string, string][] = []
  for (const [name, words] of Object.entries(lists)) {
    for (const word of words) {
      if (word.endsWith('*')) begun.push([titleKey(word), name])
      else exact.set(titleKey(word), name)
    }
  }
  // A column of types has a few words, each a thousand times.
  const found = new Map<string, string | null>()
  return (text) => {
    if (text === '' || exact.size + begun.length === 0) return null
    const earlier = found.get(text)
    if (earlier !== undefined) return earlier
    const key = titleKey(text)
    const name = exact.get(key) ?? begun.find(([word]) => key.startsWith(word))?.[1] ?? null
    if (found.size < KNOWN_MAX) found.set(text, name)
    return name
  }
}

function isRow({ row_is }: StatementProfile, { cells }: SheetRow, moment: string | null, date: string): boolean {
  if (row_is === 'number_first') return /^\d{1,9}$/.test(textOf(cells[0]))
  return row_is !== 'has_date' || moment !== null || /^\d/.test(date)
}

/** Returns an amount without its sign where a column of its own says the direction. Undefined: the cell is empty; null: it is unreadable. */
function amountIn(cell: SheetCell | undefined): number | null | undefined {
  const text = textOf(cell)
  return text === '' || /^[-\u2013\u2014]$/.test(text) ? undefined : readFrancs(text)
}

type Money = { readonly amount: number | null; readonly direction: Direction | null }

function moneyIn([amount, debit, credit]: readonly (number | null | undefined)[], told: string | null): Money {
  const unreadable = { amount: null, direction: null }
  if (amount === null || debit === null || credit === null) return unreadable
  // Some write the zero of the other direction.
  const sides = [debit, credit].filter((one) => one !== undefined && one !== 0)
  if (sides.length > 1 || (amount !== undefined && sides.length > 0)) return unreadable
  const value = amount ?? sides[0] ?? debit ?? credit
  if (value === undefined) return unreadable
  const by_column =
    amount !== undefined ? null : debit !== undefined && debit !== 0 ? 'out' : credit === 0 ? null : 'in'
  const by_sign = value < 0 ? 'out' : value > 0 ? 'in' : null
  return { amount: Math.abs(value), direction: by_column ?? (told as Direction | null) ?? by_sign ?? 'in' }
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

function textOf(cell: SheetCell | undefined): string {
  const text = cell?.text ?? ''
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text)) return text
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed()
}

function orNull(text: string): string | null {
  return text === '' ? null : text.slice(0, TEXT_MAX)
}

/** Banks write `NONREF` or `NOTPROVIDED` where they have no reference. */
function ownReference(text: string): string | null {
  return /^(?:NONREF|NOTPROVIDED)$/i.test(text) ? null : orNull(text)
}

function partyIn(text: string): Msisdn | null {
  return text === '' ? null : Msisdn.parse(text.replace(/^FRI:|\/MSISDN$/gi, '').replace(/^(\+?[\d ]+) .*$/, '$1'))
}
