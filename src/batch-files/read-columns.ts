import { sha256 } from '../platform/digest.ts'
import { plainTitle } from '../platform/tables/read-csv.ts'
import { type DraftColumn, draftColumns } from './batch-draft.ts'

/** The known titles of each column, in French and English, in the form of `plainTitle`. */
const titles: Readonly<Record<DraftColumn, readonly string[]>> = {
  name: [
    ...['nom', 'noms', 'nometprenom', 'nometprenoms', 'nomsetprenoms', 'nomprenom', 'nomprenoms', 'prenometnom'],
    ...[
      'prenomsetnom',
      'prenomnom',
      'nomcomplet',
      'nomdubeneficiaire',
      'beneficiaire',
      'titulaire',
      'name',
      'fullname',
      'holder',
      'recipient',
    ],
  ],
  msisdn: [
    ...['numero', 'telephone', 'tel', 'numerodetelephone', 'ndetelephone', 'numerotelephone', 'ntelephone', 'numtel'],
    ...['mobile', 'phone', 'phonenumber', 'number', 'msisdn'],
  ],
  operator: ['operateur', 'operateurmobile', 'operateurmobilemoney', 'reseau', 'operator', 'network'],
  amount: [
    ...[
      'montant',
      'montantfcfa',
      'montantxof',
      'montantenfcfa',
      'montantapayer',
      'somme',
      'netapayer',
      'netapayerfcfa',
    ],
    ...['amount', 'amountxof', 'sum', 'netpay'],
  ],
  reference: ['reference', 'ref', 'votrereference', 'yourreference'],
  beneficiary_id: ['carnet', 'idcarnet', 'book', 'bookid', 'beneficiaryid'],
}

/** Titles of a name in two columns. A family name alone is no whole name. */
const firstNames = ['prenom', 'prenoms', 'firstname', 'firstnames', 'givenname', 'givennames', 'forename']
const familyNames = ['nomdefamille', 'lastname', 'familyname', 'surname', 'patronyme']

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

/** Returns the fault of columns, by title or assigned. Null when they make a batch. A name may have two columns. */
export function faultOfColumns(at: readonly (DraftColumn | null)[]): ColumnsFault | null {
  const known = at.filter((column) => column !== null)
  const twice = known.find((column, place) => {
    const earlier = known.slice(0, place).filter((one) => one === column).length
    return earlier > (column === 'name' ? 1 : 0)
  })
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

/** Adds the column of first names to that of family names. */
function withFirstNames(
  written: readonly string[],
  at: readonly (DraftColumn | null)[],
): readonly (DraftColumn | null)[] {
  const plain = written.map(plainTitle)
  const first = plain.filter((title) => firstNames.includes(title))
  const family = plain.filter((title, place) => at[place] === 'name' || familyNames.includes(title))
  // "Nom et prénoms" beside "Prénoms" is the whole name already.
  if (first.length !== 1 || family.length !== 1 || /prenom|full|complet/.test(family[0]!)) return at
  const isPart = (title: string) => firstNames.includes(title) || familyNames.includes(title)
  return at.map((column, place) => (isPart(plain[place]!) ? 'name' : column))
}

/** Two columns with a title of whole names leave open which one counts. */
function twoNames(written: readonly string[]): ColumnsFault | null {
  const names = written.filter((title) => columnTitled(title) === 'name').length
  return names > 1 ? { code: 'column_twice', column: 'name' } : null
}

/** Finds the columns of a file by their titles, in any order. */
export function readColumns(written: readonly string[]): ColumnsRead {
  const at = withFirstNames(written, written.map(columnTitled))
  const fault = twoNames(written) ?? faultOfColumns(at)
  if (fault === null) return { kind: 'columns', at }
  const found = written.map((title) => title.trim()).filter((title) => title !== '')
  return { kind: 'refused', refusal: { ...fault, found } }
}
