import { holderNameIn } from '../beneficiaries/beneficiary.ts'
import type { BatchOrder } from '../payout-batches/create-batch.ts'
import { isCleanText } from '../platform/http/strict-json.ts'
import { plainTitle, type Unread } from '../platform/tables/read-csv.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { bareFigures } from '../values/as-seen.ts'
import { type CallingCode, otherCountryOf } from '../values/calling-codes.ts'
import { Msisdn } from '../values/msisdn.ts'
import { type OperatorCode, operatorCodes } from '../values/operators.ts'
import { type Ask, type DraftColumn, type DraftLine, draftColumns } from './batch-draft.ts'
import { isOtherCurrency } from './currencies.ts'

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
  | 'number_foreign'
  | 'number_words'
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

/** A fault of a line, at its column. `missing`: how many digits a phone number lacks. `country`: the calling code of a foreign one. */
export type Fault = {
  readonly column: DraftColumn
  readonly code: FaultCode
  readonly missing?: number
  readonly country?: CallingCode
}

/** A correction that the page shows: a leading zero that a spreadsheet removed, and that a person confirmed, or decimals that are zero. */
export type Mending = 'zero_restored' | 'decimals_dropped'

export type JudgedLine = DraftLine & {
  readonly faults: readonly Fault[]
  readonly mendings: readonly Mending[]
  /** The questions that a person has still to answer. */
  readonly questions: readonly Ask[]
  /** The line of the batch. Null when it has faults or open questions. */
  readonly order: OrderLine | null
}

/** The most characters of a reference (interface, payout batches). */
const REFERENCE_MAX = 255

type Read<Value> = { value: Value } | { fault: Omit<Fault, 'column'> }

/** Finds the faults of a line in its own cells. It does not read the book, so an entry is only checked when the batch is made. Pure. */
export function judgeLine(line: DraftLine): JudgedLine {
  const { cells, unread = {}, beyond, asks = [] } = line
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
  if (asks.some(({ code }) => code === 'zero_restored')) mendings.push('zero_restored')
  const destination = destinationOf(text, take, mendings)
  const questions = asks.filter(({ answered }) => !answered)
  const whole = faults.length === 0 && questions.length === 0 && amount !== null && destination !== null
  const order = whole ? { amount, destination, reference: reference ?? null } : null
  return { ...line, faults, mendings, questions, order }
}

function destinationOf(
  text: (column: DraftColumn) => string,
  take: <Value>(column: DraftColumn, read: Read<Value>) => Value | null,
  mendings: readonly Mending[],
): OrderLine['destination'] | null {
  const beneficiary_id = text('beneficiary_id')
  if (beneficiary_id !== '') {
    const both = text('msisdn') !== ''
    if (both) take('beneficiary_id', { fault: { code: 'book_and_number' } })
    return both ? null : { kind: 'book', beneficiary_id }
  }
  const name = take('name', readName(text('name')))
  const msisdn = take('msisdn', readNumber(text('msisdn'), mendings.includes('zero_restored')))
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
  // "3E10" may be a reference; with a plus or a comma it is a number that a spreadsheet abbreviated.
  if (abbreviated.test(text) && /[+.,]/.test(text)) return { fault: { code: 'abbreviated' } }
  return { value: text === '' ? null : text }
}

/** A number that a spreadsheet has abbreviated: `7,07E+08`. Its digits are lost. */
const abbreviated = /^\d([.,]\d+)?e[+-]?\d+$/i

/**
 * Returns the number to whose nine digits a spreadsheet left no zero. Null when they make none. Phone numbers have ten digits and begin with a
 * zero, but nine digits may also be a number of Senegal, so a person confirms it.
 */
export function restoredNumber(text: string): Msisdn | null {
  return /^[157]\d{8}$/.test(text) ? Msisdn.parse(`0${text}`) : null
}

/** @param restores whether the cell held nothing but a number, so that the zero before it may be restored */
function readNumber(text: string, restores: boolean): Read<Msisdn> {
  if (text === '') return { fault: { code: 'number_missing' } }
  if (abbreviated.test(text)) return { fault: { code: 'abbreviated' } }
  // A spreadsheet shows a whole number with decimals as well.
  const bare = text.replace(/(?<=\d{10})[.,]0{1,2}$/, '')
  const known = Msisdn.parse(bare) ?? (restores ? restoredNumber(bare) : null)
  if (known !== null) return { value: known }
  const country = otherCountryOf(bare)
  if (country !== null) return { fault: { code: 'number_foreign', country } }
  if (/\p{L}/u.test(bare)) return { fault: { code: 'number_words' } }
  const digits = bare
    .replace(/[.,]0{1,2}$/, '')
    .replace(/\D/g, '')
    .replace(/^(?:00)?225(?=\d{7,9}$)/, '')
  if (digits.length < 10) return { fault: { code: 'number_short', missing: 10 - digits.length } }
  return { fault: { code: digits.length > 10 ? 'number_long' : 'number_not_mobile' } }
}

const operatorWords: Readonly<Record<OperatorCode, readonly string[]>> = {
  orange_ci: ['orange', 'orangemoney', 'orangemobilemoney', 'om'],
  mtn_ci: ['mtn', 'mtnmomo', 'momo', 'mtnmoney', 'mtnmobilemoney', 'mtnmobile'],
  moov_ci: ['moov', 'moovmoney', 'moovafrica', 'moovafricamoney', 'moovmobilemoney', 'flooz', 'moovflooz'],
  wave_ci: ['wave', 'wavemoney', 'wavemobilemoney'],
}

/** Returns the operator for a common name such as `MTN` or `Orange Money`. Null when the name is unknown. */
export function operatorIn(text: string): OperatorCode | null {
  const word = plainTitle(text)
    .replace(/^(?:operateur|operator|reseau)/, '')
    .replace(/(?<=[a-z])(?:ci|cotedivoire)$/, '')
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
    if (isOtherCurrency(bare.replace(/[^\p{L}\p{Sc}]/gu, ''))) return { fault: { code: 'currency' } }
    return { fault: { code: /^-?\d+(?:[.,]\d+)+$/.test(bare) ? 'amount_not_whole' : 'amount_unreadable' } }
  }
  const amount = Number(figures)
  if (amount === 0) return { fault: { code: 'amount_zero' } }
  if (amount > AMOUNT_MAX) return { fault: { code: 'amount_large' } }
  if (decimals !== undefined) mendings.push('decimals_dropped')
  return { value: amount }
}
