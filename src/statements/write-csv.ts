import { csvLine } from '../platform/csv-line.ts'
import type { Language, Words } from '../values/language.ts'
import type { StatementExport } from './export-statement.ts'
import type { Movement } from './movement.ts'
import { movementWords } from './movement-words.ts'

/** The columns, with the names of the interface's fields. */
const columns = ['created_at', 'type', 'direction', 'amount', 'balance', 'id', 'payment_id', 'reference'] as const

type Column = (typeof columns)[number]
type Row = Partial<Record<Column, string | number | null>>

const heads: Readonly<Record<Column, Words>> = {
  created_at: ['Date', 'Date'],
  type: ['Mouvement', 'Movement'],
  direction: ['Sens', 'Direction'],
  amount: ['Montant (F CFA)', 'Amount (F CFA)'],
  balance: ['Solde (F CFA)', 'Balance (F CFA)'],
  id: ['Identifiant', 'Id'],
  payment_id: ['Identifiant du paiement', 'Id of the payment'],
  reference: ['Référence', 'Reference'],
}

/** The words of the codes in a column. A file for a person has them before a column with the codes. */
const worded: Partial<Readonly<Record<Column, Readonly<Record<string, Words>>>>> = {
  type: {
    ...movementWords,
    opening_balance: ['Solde au départ', 'Opening balance'],
    total_in: ['Entrées', 'In'],
    total_out: ['Sorties', 'Out'],
    closing_balance: ['Solde à la fin', 'Closing balance'],
  },
  direction: { in: ['Entrée', 'In'], out: ['Sortie', 'Out'] },
}

const inLanguage = (words: Words, language: Language) => words[language === 'fr' ? 0 : 1]

/** The heads, or the fields of a row: for a program, or for a person, with the words of codes beside them. */
function headsFor(language: Language | null): string[] {
  return columns.flatMap((column) => {
    if (language === null) return [column]
    const head = inLanguage(heads[column], language)
    return worded[column] === undefined ? [head] : [head, `${head} (code)`]
  })
}

function fieldsFor(row: Row, language: Language | null): (string | number)[] {
  return columns.flatMap((column) => {
    const value = row[column] ?? ''
    const words = worded[column]
    if (language === null || words === undefined) return [value]
    const own = words[String(value)]
    return [own === undefined ? value : inLanguage(own, language), value]
  })
}

/**
 * Writes a statement as CSV (RFC 4180: lines that end in CR LF, UTF-8), page by page. Four more rows have the figures of the
 * period: `opening_balance` is first, `total_in`, `total_out` and `closing_balance` are last. Only movements have a `direction`. The same
 * period gives the same bytes.
 * @param lineOf writes a line: for programs, or for a person's spreadsheet
 * @param language of the heads and values, for a person. Null: the names of the interface, for a program
 */
export async function* writeCsv(
  { figures, movements }: StatementExport,
  lineOf: (fields: readonly (string | number)[]) => string = csvLine,
  language: Language | null = null,
): AsyncGenerator<string> {
  const rowOf = (row: Row) => lineOf(fieldsFor(row, language))
  yield lineOf(headsFor(language))
  yield rowOf({ created_at: figures.from, type: 'opening_balance', balance: figures.opening_balance })
  for await (const page of movements()) yield page.map((movement: Movement) => rowOf(movement)).join('')
  yield rowOf({ created_at: figures.to, type: 'total_in', amount: figures.total_in })
  yield rowOf({ created_at: figures.to, type: 'total_out', amount: figures.total_out })
  yield rowOf({ created_at: figures.to, type: 'closing_balance', balance: figures.closing_balance })
}
