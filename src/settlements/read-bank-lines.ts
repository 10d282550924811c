import { plainTitle, readCsv, type SheetRow } from '../platform/read-csv.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { bankReferenceIn } from '../values/bank-reference.ts'

/** The columns of a bank's file that we read. */
export const bankColumns = ['amount', 'reference', 'label', 'account', 'holder'] as const
export type BankColumn = (typeof bankColumns)[number]
/** The place of each column in its line, from 0. */
export type BankColumns = Partial<Readonly<Record<BankColumn, number>>>

/** Bytes of a file at most. */
export const BANK_FILE_MAX_BYTES = 2 * 1024 * 1024
/** Lines of a file at most: a month of a busy account. */
export const BANK_LINES_MAX = 2_000
/** Lines above the table at most, in which a bank writes its name and the account. */
const LINES_ABOVE_MAX = 20

/** Titles by which a column is known, in French and English, as `plainTitle` writes them. */
const titles: Readonly<Record<BankColumn, readonly string[]>> = {
  amount: [
    ...['montant', 'montantfcfa', 'montantxof', 'montantdebit', 'debit', 'debitfcfa', 'debitxof', 'somme'],
    ...['amount', 'amountxof', 'debitamount', 'withdrawal', 'paidout'],
  ],
  reference: [
    ...['reference', 'ref', 'referencebanque', 'referenceoperation', 'referencedeloperation', 'referenceduvirement'],
    ...['noperation', 'ndoperation', 'numerooperation', 'numerodoperation', 'nduvirement', 'numeroduvirement'],
    ...['bankreference', 'transactionid', 'transactionreference', 'transferreference', 'operationnumber'],
  ],
  label: [
    ...['libelle', 'libelleoperation', 'libelledeloperation', 'motif', 'communication', 'objet', 'details', 'detail'],
    ...['label', 'description', 'narrative', 'memo', 'purpose', 'remittanceinformation'],
  ],
  account: [
    ...['iban', 'rib', 'compte', 'comptebeneficiaire', 'ibanbeneficiaire', 'comptedubeneficiaire', 'numerodecompte'],
    ...['account', 'accountnumber', 'beneficiaryaccount', 'beneficiaryiban'],
  ],
  holder: [
    ...['beneficiaire', 'titulaire', 'nom', 'nombeneficiaire', 'nomdubeneficiaire'],
    ...['beneficiary', 'beneficiaryname', 'holder', 'name', 'payee'],
  ],
}

/** A line of a bank's file that says that money left. */
export type BankLine = {
  /** That of the file, from 1. */
  readonly line: number
  /** Francs that left; null: it cannot be read. */
  readonly amount: number | null
  /** The bank's name of the transfer; null: none that can be kept. */
  readonly reference: string | null
  readonly label: string
  readonly account: string
  readonly holder: string
  /** Why it can pay nothing; null: nothing is wrong with it. */
  readonly fault: 'formula' | 'amount' | 'reference' | null
}

export type BankFileRefusal =
  | { readonly code: 'empty' | 'not_a_table' | 'too_large' }
  | { readonly code: 'unclosed_quote'; readonly line: number }
  | { readonly code: 'too_many_lines'; readonly count: number }
  /** The amount, the reference, or anything that says for whom: a person names the columns. `found` are the titles. */
  | { readonly code: 'columns_unknown'; readonly found: readonly string[]; readonly known: BankColumns }

export type BankFileRead =
  /** `left_aside`: lines that are no money that left. */
  | { readonly kind: 'read'; readonly lines: readonly BankLine[]; readonly left_aside: number }
  | { readonly kind: 'refused'; readonly refusal: BankFileRefusal }

/**
 * Reads the transfers of a bank's CSV, whatever its name says that it is. Nothing of it is kept.
 * @param named the columns as a person named them; null: they are known by their titles
 */
export function readBankLines(bytes: Buffer, named: BankColumns | null): BankFileRead {
  const refused = (refusal: BankFileRefusal) => ({ kind: 'refused', refusal }) as const
  if (bytes.length > BANK_FILE_MAX_BYTES) return refused({ code: 'too_large' })
  const read = readCsv(bytes, BANK_LINES_MAX + LINES_ABOVE_MAX)
  if (read.kind === 'refused') {
    const { kind: _, ...refusal } = read
    return refused(refusal)
  }
  const { rows, count } = read.sheet
  const head = headOf(rows)
  if (head === null) return refused({ code: 'empty' })
  const { place, found, known } = head
  const columns = named ?? known
  if (!isEnough(columns, found.length)) return refused({ code: 'columns_unknown', found, known })
  if (count - place - 1 > BANK_LINES_MAX) return refused({ code: 'too_many_lines', count: count - place - 1 })
  const cells = rows.slice(place + 1).map((row) => ({ row, amount: readBankAmount(textAt(row, columns.amount)) }))
  // Where some sums have a minus, those without one came in.
  const signed = cells.some(({ amount }) => amount !== null && amount < 0)
  const left = cells.filter(
    ({ row, amount }) => textAt(row, columns.amount) !== '' && !(signed && amount !== null && amount > 0),
  )
  return {
    kind: 'read',
    lines: left.map(({ row, amount }) => lineOf(row, columns, amount === null ? null : Math.abs(amount))),
    left_aside: cells.length - left.length,
  }
}

/** The line of the titles: the first one that says enough, or else the first one of three cells or more. */
function headOf(rows: readonly SheetRow[]): { place: number; found: readonly string[]; known: BankColumns } | null {
  const heads = rows.slice(0, LINES_ABOVE_MAX).map(({ cells }, place) => {
    const found = cells.map(({ text }) => oneLine(text).slice(0, 60))
    return { place, found, known: knownIn(found) }
  })
  return (
    heads.find(({ known, found }) => isEnough(known, found.length)) ??
    heads.find(({ found }) => found.filter((title) => title !== '').length >= 3) ??
    heads[0] ??
    null
  )
}

/** The columns that titles name, each once: of two with one meaning neither is known. */
function knownIn(found: readonly string[]): BankColumns {
  const entries = bankColumns.flatMap((column) => {
    const places = found.flatMap((title, place) => (titles[column].includes(plainTitle(title)) ? [place] : []))
    return places.length === 1 ? [[column, places[0]!] as const] : []
  })
  return Object.fromEntries(entries)
}

function isEnough({ amount, reference, label, account, holder }: BankColumns, width: number): boolean {
  const given = [amount, reference, label ?? account ?? holder]
  return given.every((place) => place !== undefined && place < width)
}

function lineOf(row: SheetRow, columns: BankColumns, amount: number | null): BankLine {
  const texts = bankColumns.map((column) => textAt(row, columns[column]))
  const [, written, label, account, holder] = texts as [string, string, string, string, string]
  const reference = bankReferenceIn(written)
  const fault = texts.some(isFormula) ? 'formula' : amount === null ? 'amount' : reference === null ? 'reference' : null
  return { line: row.line, amount, reference, label, account, holder, fault }
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

/** Whether a spreadsheet would reckon with it: its result is anybody's word. A sign in front of figures is a number. */
function isFormula(text: string): boolean {
  return /^[=@]/.test(text) || /^[+-](?![\d\s.,]+(?:F|FCFA|CFA|XOF)?$)/i.test(text)
}

/**
 * The francs of a bank's sum: `1 250 000`, `1.250.000,00`, `-1,250,000.00 XOF`. Behind a separator three figures are thousands, because a
 * franc has no parts. Null: no whole number of francs.
 */
export function readBankAmount(text: string): number | null {
  const bare = text
    .replace(/[\s\u00a0\u202f]/g, '')
    .replace(/(?:f?cfa|xof|f)$/i, '')
    .replace(/^\u2212/, '-')
  const [, sign, whole] =
    /^([+-]?)(\d{1,15})(?:[.,]0{1,2})?$/.exec(bare) ??
    /^([+-]?)(\d{1,3}(?:\.\d{3})+)(?:,0{1,2})?$/.exec(bare) ??
    /^([+-]?)(\d{1,3}(?:,\d{3})+)(?:\.0{1,2})?$/.exec(bare) ??
    []
  if (whole === undefined) return null
  const francs = Number(whole.replace(/\D/g, ''))
  if (francs === 0 || francs > AMOUNT_MAX) return null
  return sign === '-' ? -francs : francs
}
