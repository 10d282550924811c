import { type DraftColumn, draftColumns } from './batch-draft.ts'

/** Titles by which a column is known, in French and English, as `plain` writes them. */
const titles: Readonly<Record<DraftColumn, readonly string[]>> = {
  name: ['nom', 'nometprenom', 'nomcomplet', 'beneficiaire', 'titulaire', 'name', 'fullname', 'holder', 'recipient'],
  msisdn: ['numero', 'telephone', 'tel', 'numerodetelephone', 'mobile', 'phone', 'phonenumber', 'number', 'msisdn'],
  operator: ['operateur', 'reseau', 'operator', 'network'],
  amount: ['montant', 'montantfcfa', 'montantxof', 'somme', 'amount', 'amountxof', 'sum'],
  reference: ['reference', 'ref', 'votrereference', 'yourreference'],
  beneficiary_id: ['carnet', 'idcarnet', 'book', 'bookid', 'beneficiaryid'],
}

/** A title without accents, case, spaces and signs. */
function plain(title: string): string {
  return title
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}

export type ColumnsRead =
  | { kind: 'columns'; at: readonly (DraftColumn | null)[]; ignored: readonly string[] }
  /** Nothing says how much, or to whom. `found` are the titles as they were written. */
  | { kind: 'refused'; code: 'missing_columns'; missing: readonly DraftColumn[]; found: readonly string[] }
  | { kind: 'refused'; code: 'column_twice'; column: DraftColumn; found: readonly string[] }

/** Finds the columns of a file by their titles, in whatever order they stand. */
export function readColumns(written: readonly string[]): ColumnsRead {
  const found = written.map((title) => title.trim()).filter((title) => title !== '')
  const at = written.map((title) => draftColumns.find((column) => titles[column].includes(plain(title))) ?? null)
  const known = at.filter((column) => column !== null)
  const twice = known.find((column, place) => known.indexOf(column) !== place)
  if (twice !== undefined) return { kind: 'refused', code: 'column_twice', column: twice, found }
  const wanted: DraftColumn[] = known.includes('beneficiary_id') ? ['amount'] : ['name', 'msisdn', 'amount']
  const missing = wanted.filter((column) => !known.includes(column))
  if (missing.length > 0) return { kind: 'refused', code: 'missing_columns', missing, found }
  const ignored = written
    .filter((title, place) => at[place] === null && title.trim() !== '')
    .map((title) => title.trim())
  return { kind: 'columns', at, ignored }
}
