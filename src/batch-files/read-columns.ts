import { sha256 } from '../platform/digest.ts'
import { plainTitle } from '../platform/read-csv.ts'
import { type DraftColumn, draftColumns } from './batch-draft.ts'

/** The known titles of each column, in French and English, in the form of `plainTitle`. */
const titles: Readonly<Record<DraftColumn, readonly string[]>> = {
  name: ['nom', 'nometprenom', 'nomcomplet', 'beneficiaire', 'titulaire', 'name', 'fullname', 'holder', 'recipient'],
  msisdn: ['numero', 'telephone', 'tel', 'numerodetelephone', 'mobile', 'phone', 'phonenumber', 'number', 'msisdn'],
  operator: ['operateur', 'reseau', 'operator', 'network'],
  amount: ['montant', 'montantfcfa', 'montantxof', 'somme', 'amount', 'amountxof', 'sum'],
  reference: ['reference', 'ref', 'votrereference', 'yourreference'],
  beneficiary_id: ['carnet', 'idcarnet', 'book', 'bookid', 'beneficiaryid'],
}

/** The reason why columns make no batch: an amount or a beneficiary is missing, or a column occurs twice. */
export type ColumnsFault =
  | { code: 'missing_columns'; missing: readonly DraftColumn[] }
  | { code: 'column_twice'; column: DraftColumn }

/** `found` are the titles as they were written. */
export type ColumnsRead =
  | { kind: 'columns'; at: readonly (DraftColumn | null)[] }
  | { kind: 'refused'; refusal: ColumnsFault & { found: readonly string[] } }

/** Returns the column that a title names. Null when the title is unknown. */
export function columnTitled(title: string): DraftColumn | null {
  return draftColumns.find((column) => titles[column].includes(plainTitle(title))) ?? null
}

/** Returns the fault of columns, by title or assigned. Null when they make a batch. */
export function faultOfColumns(at: readonly (DraftColumn | null)[]): ColumnsFault | null {
  const known = at.filter((column) => column !== null)
  const twice = known.find((column, place) => known.indexOf(column) !== place)
  if (twice !== undefined) return { code: 'column_twice', column: twice }
  const wanted: DraftColumn[] = known.includes('beneficiary_id') ? ['amount'] : ['name', 'msisdn', 'amount']
  const missing = wanted.filter((column) => !known.includes(column))
  return missing.length > 0 ? { code: 'missing_columns', missing } : null
}

/**
 * Returns the digest by which a file's columns are found again: of its titles in lower case, trimmed, or without titles of the number of
 * its columns. Signs and accents count: "Net +" and "Net -" are two columns.
 */
export function headerDigest(written: readonly string[], titled: boolean): Buffer {
  return sha256(JSON.stringify(titled ? written.map(sameTitle) : written.length))
}

/** Whether the title of each assigned column is unique. Columns with the same title may have changed places. */
export function tellsApart(written: readonly string[], at: readonly (DraftColumn | null)[]): boolean {
  const titles = Array.from({ length: Math.max(written.length, at.length) }, (_, place) =>
    sameTitle(written[place] ?? ''),
  )
  return at.every((column, place) => column === null || titles.filter((title) => title === titles[place]).length === 1)
}

/** Returns the form by which titles are compared: in lower case, trimmed, in Unicode's form NFC. */
function sameTitle(title: string): string {
  return title.toLowerCase().normalize('NFC').trim()
}

/** Finds the columns of a file by their titles, in any order. */
export function readColumns(written: readonly string[]): ColumnsRead {
  const at = written.map(columnTitled)
  const fault = faultOfColumns(at)
  if (fault === null) return { kind: 'columns', at }
  const found = written.map((title) => title.trim()).filter((title) => title !== '')
  return { kind: 'refused', refusal: { ...fault, found } }
}
