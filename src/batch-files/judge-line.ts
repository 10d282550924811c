import { holderNameIn } from '../beneficiaries/beneficiary.ts'
import type { BatchOrder } from '../payout-batches/create-batch.ts'
import { isCleanText } from '../platform/http/strict-json.ts'
import type { Unread } from '../platform/read-csv.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { bareFigures } from '../values/as-seen.ts'
import { Msisdn } from '../values/msisdn.ts'
import { type OperatorCode, operatorCodes } from '../values/operators.ts'
import { type DraftColumn, type DraftLine, draftColumns } from './batch-draft.ts'

type OrderLine = BatchOrder['lines'][number]

export type FaultCode =
  | Unread
  | 'shifted'
  | 'unclean'
  | 'name_missing'
  | 'name_long'
  | 'number_missing'
  | 'number_short'
  | 'number_long'
  | 'number_not_mobile'
  | 'abbreviated'
  | 'operator_unknown'
  | 'amount_missing'
  | 'amount_not_whole'
  | 'amount_unreadable'
  | 'amount_zero'
  | 'amount_large'
  | 'reference_long'
  | 'book_and_number'
  | 'book_unknown'

/** A fault of a line, at its column. `missing`: how many digits a phone number lacks. */
export type Fault = { readonly column: DraftColumn; readonly code: FaultCode; readonly missing?: number }

/** A correction without a question, which the page shows: a leading zero that a spreadsheet removed, or decimals that are zero. */
export type Mending = 'zero_restored' | 'decimals_dropped'

export type JudgedLine = DraftLine & {
  readonly faults: readonly Fault[]
  readonly mendings: readonly Mending[]
  /** The line of the batch. Null when it has faults. */
  readonly order: OrderLine | null
}

/** The most characters of a reference (interface, payout batches). */
const REFERENCE_MAX = 255

type Read<Value> = { value: Value } | { fault: Omit<Fault, 'column'> }

/** Finds the faults of a line in its own cells. It does not read the book, so an entry is only checked when the batch is made. Pure. */
export function judgeLine(line: DraftLine): JudgedLine {
  const { cells, unread = {}, beyond } = line
  const faults: Fault[] = []
  const mendings: Mending[] = []
  for (const column of draftColumns) {
    const code = unread[column]
    if (code !== undefined) faults.push({ column, code })
    else if (!isCleanText(cells[column] ?? '')) faults.push({ column, code: 'unclean' })
  }
  if (beyond !== undefined) faults.push({ column: 'amount', code: 'shifted' })
  const told = new Set(faults.map(({ column }) => column))
  const take = <Value>(column: DraftColumn, read: Read<Value>): Value | null => {
    if ('value' in read) return read.value
    if (!told.has(column)) faults.push({ column, ...read.fault })
    return null
  }
  const text = (column: DraftColumn) => (cells[column] ?? '').trim()
  const amount = take('amount', readAmount(text('amount'), mendings))
  const reference = take('reference', readReference(text('reference')))
  const destination = destinationOf(text, take, mendings)
  const whole = faults.length === 0 && amount !== null && destination !== null
  return { ...line, faults, mendings, order: whole ? { amount, destination, reference: reference ?? null } : null }
}

function destinationOf(
  text: (column: DraftColumn) => string,
  take: <Value>(column: DraftColumn, read: Read<Value>) => Value | null,
  mendings: Mending[],
): OrderLine['destination'] | null {
  const beneficiary_id = text('beneficiary_id')
  if (beneficiary_id !== '') {
    const both = text('msisdn') !== ''
    if (both) take('beneficiary_id', { fault: { code: 'book_and_number' } })
    return both ? null : { kind: 'book', beneficiary_id }
  }
  const name = take('name', readName(text('name')))
  const msisdn = take('msisdn', readNumber(text('msisdn'), mendings))
  const operator = take('operator', readOperator(text('operator')))
  return name === null || msisdn === null ? null : { kind: 'inline', msisdn, operator, name }
}

function readName(text: string): Read<string> {
  if (text === '') return { fault: { code: 'name_missing' } }
  const name = holderNameIn(text, 1)
  return name === null ? { fault: { code: 'name_long' } } : { value: name }
}

function readReference(text: string): Read<string | null> {
  if (text.length > REFERENCE_MAX) return { fault: { code: 'reference_long' } }
  return { value: text === '' ? null : text }
}

/** A number that a spreadsheet has abbreviated: `7,07E+08`. Its digits are lost. */
const abbreviated = /^\d([.,]\d+)?e[+-]?\d+$/i

function readNumber(text: string, mendings: Mending[]): Read<Msisdn> {
  if (text === '') return { fault: { code: 'number_missing' } }
  if (abbreviated.test(text)) return { fault: { code: 'abbreviated' } }
  const known = Msisdn.parse(text)
  if (known !== null) return { value: known }
  // Phone numbers have ten digits and begin with a zero, which a spreadsheet removes.
  const digits = text.replace(/[.,]0$/, '').replace(/\D/g, '')
  const restored = /^[157]\d{8}$/.test(digits) ? Msisdn.parse(`0${digits}`) : null
  if (restored !== null) {
    mendings.push('zero_restored')
    return { value: restored }
  }
  if (digits.length < 10) return { fault: { code: 'number_short', missing: 10 - digits.length } }
  return { fault: { code: digits.length > 10 ? 'number_long' : 'number_not_mobile' } }
}

const operatorWords: Readonly<Record<OperatorCode, readonly string[]>> = {
  orange_ci: ['orange', 'orangeci', 'orangemoney', 'om'],
  mtn_ci: ['mtn', 'mtnci', 'mtnmomo', 'momo', 'mtnmoney', 'mtnmobilemoney'],
  moov_ci: ['moov', 'moovci', 'moovmoney', 'moovafrica'],
  wave_ci: ['wave', 'waveci', 'wavemoney'],
}

/** Returns the operator for a common name such as `MTN` or `Orange Money`. Null when the name is unknown. */
export function operatorIn(text: string): OperatorCode | null {
  const word = text.toLowerCase().replace(/[^a-z]/g, '')
  return operatorCodes.find((one) => operatorWords[one].includes(word)) ?? null
}

/** Null when the cell is empty: the operator then follows from the number. */
function readOperator(text: string): Read<OperatorCode | null> {
  if (text === '') return { value: null }
  const code = operatorIn(text)
  return code === null ? { fault: { code: 'operator_unknown' } } : { value: code }
}

function readAmount(text: string, mendings: Mending[]): Read<number> {
  if (text === '') return { fault: { code: 'amount_missing' } }
  const bare = bareFigures(text)
  if (abbreviated.test(bare)) return { fault: { code: 'abbreviated' } }
  const [, figures, decimals] = /^(\d{1,15})([.,]0{1,2})?$/.exec(bare) ?? []
  if (figures === undefined) {
    return { fault: { code: /^-?\d+(?:[.,]\d+)+$/.test(bare) ? 'amount_not_whole' : 'amount_unreadable' } }
  }
  const amount = Number(figures)
  if (amount === 0) return { fault: { code: 'amount_zero' } }
  if (amount > AMOUNT_MAX) return { fault: { code: 'amount_large' } }
  if (decimals !== undefined) mendings.push('decimals_dropped')
  return { value: amount }
}
