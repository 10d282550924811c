import { sha256 } from '../platform/digest.ts'
import { plainTitle } from '../platform/read-csv.ts'
import { type DraftColumn, draftColumns } from './batch-draft.ts'

/** Titles by which a column is known, in French and English, as `plainTitle` writes them. */
const titles: Readonly<Record<DraftColumn, readonly string[]>> = {
  name: ['nom', 'nometprenom', 'nomcomplet', 'beneficiaire', 'titulaire', 'name', 'fullname', 'holder', 'recipient'],
  msisdn: ['numero', 'telephone', 'tel', 'numerodetelephone', 'mobile', 'phone', 'phonenumber', 'number', 'msisdn'],
  operator: ['operateur', 'reseau', 'operator', 'network'],
  amount: ['montant', 'montantfcfa', 'montantxof', 'somme', 'amount', 'amountxof', 'sum'],
  reference: ['reference', 'ref', 'votrereference', 'yourreference'],
  beneficiary_id: ['carnet', 'idcarnet', 'book', 'bookid', 'beneficiaryid'],
}

/** Why columns make no batch: nothing says how much, or to whom; or two of them say the same. */
export type ColumnsFault =
  | { code: 'missing_columns'; missing: readonly DraftColumn[] }
  | { code: 'column_twice'; column: DraftColumn }

/** `found` are the titles as they were written. */
export type ColumnsRead =
  | { kind: 'columns'; at: readonly (DraftColumn | null)[] }
  | { kind: 'refused'; refusal: ColumnsFault & { found: readonly string[] } }

/** The column that a title names; null: none that we know. */
export function columnTitled(title: string): DraftColumn | null {
  return draftColumns.find((column) => titles[column].includes(plainTitle(title))) ?? null
}

/** The fault of columns, whoever named them; null: a batch can be made of them. */
export function faultOfColumns(at: readonly (DraftColumn | null)[]): ColumnsFault | null {
  const known = at.filter((column) => column !== null)
  const twice = known.find((column, place) => known.indexOf(column) !== place)
  if (twice !== undefined) return { code: 'column_twice', column: twice }
  const wanted: DraftColumn[] = known.includes('beneficiary_id') ? ['amount'] : ['name', 'msisdn', 'amount']
  const missing = wanted.filter((column) => !known.includes(column))
  return missing.length > 0 ? { code: 'missing_columns', missing } : null
}

/**
 * The digest by which the columns of a file are known again: its titles, in small letters and without spaces around them, or for a file
 * without titles how many columns it has. Signs and accents count: "Net +" and "Net -" are two columns.
 */
export function headerDigest(written: readonly string[], titled: boolean): Buffer {
  return sha256(JSON.stringify(titled ? written.map(sameTitle) : written.length))
}

/** Whether the titles tell the named columns from all others: two columns of one title may have changed places. */
export function tellsApart(written: readonly string[], at: readonly (DraftColumn | null)[]): boolean {
  const titles = Array.from({ length: Math.max(written.length, at.length) }, (_, place) =>
    sameTitle(written[place] ?? ''),
  )
  return at.every((column, place) => column === null || titles.filter((title) => title === titles[place]).length === 1)
}

/** A title as it is known again: one that is written alike to the eye, whatever its capitals. */
function sameTitle(title: string): string {
  return title.toLowerCase().normalize('NFC').trim()
}

/** Finds the columns of a file by their titles, in whatever order they stand. */
export function readColumns(written: readonly string[]): ColumnsRead {
  const at = written.map(columnTitled)
  const fault = faultOfColumns(at)
  if (fault === null) return { kind: 'columns', at }
  const found = written.map((title) => title.trim()).filter((title) => title !== '')
  return { kind: 'refused', refusal: { ...fault, found } }
}
