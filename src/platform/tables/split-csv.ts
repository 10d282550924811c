/** The most characters of one row. A longer one has a quotation mark that nobody closed, or is no row. */
const ROW_MAX = 1024 * 1024

export type CsvRow = { readonly line: number; readonly cells: string[] }

/**
 * Splits a table of text (RFC 4180) into rows, piece by piece. A quotation mark counts only at the beginning of a cell, and a doubled one inside
 * is one mark. Lines end with CR LF, LF or CR.
 */
export class CsvSplitter {
  readonly #separator: string
  readonly #cells_max: number
  #rest = ''
  #line: number
  /** Whether the last piece ended with a CR, after which an LF belongs to the same end. */
  #ended = false

  /** @param cells_max the most cells of a row that are kept */
  constructor(separator: string, cells_max: number, first = 1) {
    this.#separator = separator
    this.#cells_max = cells_max
    this.#line = first
  }

  /** The line of the row that is not complete yet. */
  get line(): number {
    return this.#line
  }

  /** Whether the row that is not complete yet has a quotation mark. */
  get is_quoted(): boolean {
    return this.#rest.includes('"')
  }

  /** Returns the rows that a piece completes. Null when a row is too long. */
  push(piece: string): CsvRow[] | null {
    const rows = this.#take(this.#rest + piece, false)
    return this.#rest.length > ROW_MAX ? null : rows
  }

  /** Returns the last rows. Null when a quotation mark is not closed. */
  end(): CsvRow[] | null {
    const rows = this.#take(this.#rest, true)
    return this.#rest === '' ? rows : null
  }

  #take(text: string, is_last: boolean): CsvRow[] {
    const rows: CsvRow[] = []
    const next = finderIn(text)
    let at = this.#ended && text.startsWith('\n') ? 1 : 0
    if (text !== '') this.#ended = false
    while (at < text.length) {
      const row = this.#plainRow(text, at, next) ?? this.#anyRow(text, at, is_last)
      if (row === null) break
      rows.push({ line: this.#line, cells: row.cells })
      this.#line += row.lines
      at = row.end
      if (at === text.length && text[at - 1] === '\r') this.#ended = true
    }
    this.#rest = text.slice(at)
    return rows
  }

  /** Splits a row without quotation marks, as nearly all are. */
  #plainRow(text: string, from: number, next: (sign: Sign, from: number) => number) {
    const end = next('\n', from)
    if (end === text.length) return null
    const to = text[end - 1] === '\r' && end > from ? end - 1 : end
    if (next('"', from) < to || next('\r', from) < to) return null
    const row = text.slice(from, to)
    return { cells: row.split(this.#separator, this.#cells_max), end: end + 1, lines: 1 }
  }

  #anyRow(text: string, from: number, is_last: boolean) {
    const cells: string[] = []
    let [at, lines] = [from, 1]
    for (;;) {
      let cell = ''
      if (text[at] === '"') {
        const closed = endOfQuote(text, at + 1)
        // A mark at the very end of a piece may be the first half of a doubled one.
        if (closed === -1 || (closed === text.length - 1 && !is_last)) return null
        cell = text.slice(at + 1, closed).replaceAll('""', '"')
        lines += cell.split(/\r\n|\r|\n/).length - 1
        at = closed + 1
      }
      const end = this.#endOfCell(text, at)
      if (end === text.length && !is_last) return null
      if (cells.length < this.#cells_max) cells.push(cell + text.slice(at, end))
      at = end + 1
      const sign = text[end]
      if (sign === this.#separator) continue
      if (sign === '\r' && text[at] === '\n') at += 1
      return { cells, end: Math.min(at, text.length), lines }
    }
  }

  #endOfCell(text: string, from: number): number {
    let at = from
    while (at < text.length && text[at] !== this.#separator && text[at] !== '\n' && text[at] !== '\r') at += 1
    return at
  }
}

type Sign = '\n' | '\r' | '"'

/**
 * Returns a function that finds the next sign from an index on, and its text's length when there is none. Indexes only grow: each part of the
 * text is searched once for each sign, whatever signs it lacks.
 */
function finderIn(text: string): (sign: Sign, from: number) => number {
  const found: Record<Sign, number> = { '\n': -1, '\r': -1, '"': -1 }
  return (sign, from) => {
    if (found[sign] < from) {
      const at = text.indexOf(sign, from)
      found[sign] = at === -1 ? text.length : at
    }
    return found[sign]
  }
}

/** The index of the mark that closes a quotation, or -1. A doubled mark is one mark of the text. */
function endOfQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at
  return -1
}
