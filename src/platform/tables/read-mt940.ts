import type { SheetRow } from './read-csv.ts'
import { type StatementFacts, stateAccount, stateCurrency } from './statement-facts.ts'
import { decodeCell } from './stream-csv.ts'
import { TableRefused } from './table-refused.ts'

/** The columns of the rows, in this order. */
export const mt940Titles = ['date', 'value_date', 'amount', 'type', 'reference', 'bank_reference', 'text'] as const

/** The most characters of a line and of the text of a row. The standard has 65 characters, six times. */
const LINE_MAX = 4_096
const TEXT_MAX = 800

/**
 * Yields the lines `:61:` of a bank's statement as rows below one row of titles. The parts of `:86:` are joined without blanks, because banks cut
 * words at 65 characters. A line `:61:` of another form becomes a row without an amount.
 * @throws TableRefused
 */
export async function* readMt940(pieces: AsyncIterable<Buffer>, facts: StatementFacts): AsyncGenerator<SheetRow[]> {
  const reader = new MessageReader(facts)
  yield [{ line: 0, cells: mt940Titles.map((text) => ({ text })) }]
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + piece.toString('latin1')).split('\n')
    rest = lines.pop()!
    if (rest.length > LINE_MAX) throw new TableRefused('not_a_table', reader.line)
    for (const line of lines) reader.take(line)
    yield reader.drain()
  }
  reader.take(rest)
  reader.end()
  yield reader.drain()
}

class MessageReader {
  readonly #facts: StatementFacts
  #rows: SheetRow[] = []
  #tag = ''
  #text = ''
  #row: { line: number; cells: string[] } | null = null
  line = 0

  constructor(facts: StatementFacts) {
    this.#facts = facts
  }

  drain(): SheetRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  take(raw: string): void {
    this.line += 1
    const line = decodeCell(raw.replace(/\r$/, '').replace(/\0/g, ''))
    const [, tag, text] = /^(?:\{1:.*\{4:)?:(\d\d[A-Z]?):(.*)$/.exec(line) ?? []
    if (tag !== undefined) {
      this.#endTag()
      this.#tag = tag
      this.#text = text!
      if (tag === '61') this.#beginRow()
    } else if (/^-\}?|^\{/.test(line)) this.#endTag()
    else if (this.#text.length < TEXT_MAX) {
      // The second line of `:61:` has details that `:86:` repeats.
      if (this.#tag !== '61') this.#text += line
    }
  }

  end(): void {
    this.#endTag()
    this.#endRow()
  }

  #beginRow(): void {
    this.#endRow()
    this.#row = { line: this.line, cells: [] }
  }

  #endRow(): void {
    if (this.#row === null) return
    const { line, cells } = this.#row
    this.#rows.push({ line, cells: cells.map((text) => ({ text: text.slice(0, TEXT_MAX) })) })
    this.#row = null
  }

  #endTag(): void {
    const [tag, text] = [this.#tag, this.#text]
    this.#tag = ''
    this.#text = ''
    if (tag === '25') stateAccount(this.#facts, text.trim())
    else if (tag === '61' && this.#row !== null) this.#row.cells = cellsOf(text)
    else if (tag === '86' && this.#row !== null) {
      this.#row.cells[6] ??= text
      this.#endRow()
    } else if (/^6[02][FM]$/.test(tag)) {
      this.#endRow()
      this.#readBalance(tag, text)
    } else if (tag !== '') this.#endRow()
  }

  #readBalance(tag: string, text: string): void {
    const [, mark, currency, amount] = /^([CD])\d{6}([A-Z]{3})(\d+(?:,\d*)?)/.exec(text.trim()) ?? []
    if (amount === undefined) return
    const value = `${mark === 'D' ? '-' : ''}${pointed(amount)}`
    stateCurrency(this.#facts, currency!)
    // A message that continues another begins with the balance `M` in between.
    if (tag.startsWith('60')) this.#facts.opening ??= value
    else this.#facts.closing = value
  }
}

const LINE_61 = /^(\d{6})(\d{4})?(R?[CD])([A-Z])?(\d+,\d*)([A-Z][A-Z0-9]{3})(.*)$/

function cellsOf(text: string): string[] {
  const [, value, entry, mark, , amount, type, references] = LINE_61.exec(text.trim()) ?? []
  if (references === undefined) return ['', '', '', '', '', '']
  const value_date = `20${value!.slice(0, 2)}-${value!.slice(2, 4)}-${value!.slice(4)}`
  const [reference = '', bank_reference = ''] = references.split('//', 2)
  // A credit that is reversed leaves the account.
  const sign = mark === 'D' || mark === 'RC' ? '-' : ''
  return [bookedOn(value_date, entry), value_date, `${sign}${pointed(amount!)}`, type!, reference, bank_reference]
}

/** The booking date has no year: it is the one nearest to the value date. */
function bookedOn(value_date: string, entry: string | undefined): string {
  if (entry === undefined) return value_date
  const [year, month] = [Number(value_date.slice(0, 4)), Number(value_date.slice(5, 7))]
  const apart = Number(entry.slice(0, 2)) - month
  const booked = apart > 6 ? year - 1 : apart < -6 ? year + 1 : year
  return `${booked}-${entry.slice(0, 2)}-${entry.slice(2)}`
}

function pointed(amount: string): string {
  return amount.replace(/,$/, '').replace(',', '.')
}
