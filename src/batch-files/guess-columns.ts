import { Msisdn } from '../values/msisdn.ts'
import type { AssignedColumns, DraftColumn } from './batch-draft.ts'
import { type FileTable, isBookId, widestTitles } from './file-table.ts'
import { operatorIn } from './judge-line.ts'
import { columnTitled } from './read-columns.ts'

/** The number of lines that a guess reads. */
const LOOKED_AT = 30
/** The share of a column's cells that must match a guess. Empty cells do not count. */
const MOST = 0.7

/** Words that suggest an amount or a name in an unknown title. */
const amountWords = /montant|somme|salaire|net|paye|prime|avance|fcfa|xof|amount|pay|wage|total/i
const nameWords = /nom|name|client|agent|employ|salari|b[ée]n[ée]fic|person/i

const letters = /\p{L}{2}/u
const wholeFrancs = /^\d{1,3}([\s\u00a0\u202f]?\d{3})*([.,]0{1,2})?(\s?(f|fcfa|xof|f cfa))?$/i

function isNumber(text: string): boolean {
  if (Msisdn.parse(text) !== null) return true
  const digits = text.replace(/\D/g, '')
  // A spreadsheet removes the leading zero.
  return /^[157]\d{8}$/.test(digits) && Msisdn.parse(`0${digits}`) !== null && /^[\d\s.,]+$/.test(text)
}

function isAmount(text: string): boolean {
  return wholeFrancs.test(text) && !isNumber(text)
}

/**
 * Guesses the columns of a file by their titles and their cells, as a proposal for a person. An ambiguous column is left to the person.
 * Pure.
 */
export function guessColumns(table: FileTable): Pick<AssignedColumns, 'titles' | 'at'> {
  const written = widestTitles(table)
  const titles = !written.some((text) => isNumber(text.trim()) || isAmount(text.trim()))
  const rows = table.rows.slice(titles ? 1 : 0, LOOKED_AT)
  const columns = written.map((title, place) => ({
    title: titles ? title : '',
    cells: rows.map(({ cells }) => (cells[place]?.text ?? '').trim()).filter((text) => text !== ''),
  }))
  const at: (DraftColumn | null)[] = columns.map(() => null)
  const give = (column: DraftColumn, fitness: (one: (typeof columns)[number]) => number) => {
    if (at.includes(column)) return
    const fit = columns.map((one, place) => (at[place] === null ? fitness(one) : 0))
    const best = Math.max(0, ...fit)
    if (best > 0 && fit.filter((one) => one === best).length === 1) at[fit.indexOf(best)] = column
  }
  const share = (cells: readonly string[], is: (text: string) => boolean) => {
    const of = cells.length === 0 ? 0 : cells.filter(is).length / cells.length
    return of >= MOST ? of : 0
  }
  const called = (column: DraftColumn) => (one: { title: string }) => (columnTitled(one.title) === column ? 1 : 0)
  give('beneficiary_id', ({ cells }) => share(cells, isBookId))
  give('msisdn', ({ cells }) => share(cells, isNumber))
  give('amount', called('amount'))
  give('amount', ({ title, cells }) => (amountWords.test(title) ? share(cells, isAmount) : 0))
  give('amount', ({ cells }) => share(cells, isAmount))
  give('operator', ({ cells }) => share(cells, (text) => operatorIn(text) !== null))
  give('name', called('name'))
  give('name', ({ title, cells }) => (nameWords.test(title) ? share(cells, (text) => letters.test(text)) : 0))
  give('name', ({ cells }) => share(cells, (text) => letters.test(text) && !/\d/.test(text) && text.includes(' ')))
  give('reference', called('reference'))
  return { titles, at }
}
