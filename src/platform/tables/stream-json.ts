import type { SheetRow } from './read-csv.ts'
import { TableRefused } from './table-refused.ts'

const DEPTH_MAX = 32
/** The most characters of one record, and the records in which the titles are collected. */
const RECORD_MAX = 65_536
const LOOKED_AT = 40
const TITLES_MAX = 64
const TEXT_MAX = 800

/**
 * Yields the records of a JSON text as rows below one row of titles: the objects of a list, of a list inside an object (a page of an API), or
 * objects one after the other. Only texts, numbers and truth values count; titles that first appear after 40 records do not.
 * @throws TableRefused
 */
export async function* streamJson(pieces: AsyncIterable<Buffer>): AsyncGenerator<SheetRow[]> {
  const decoder = new TextDecoder('utf-8')
  const scanner = new RecordScanner()
  let titles: string[] | null = null
  let waiting: Found[] = []
  for await (const piece of pieces) {
    waiting.push(...scanner.push(decoder.decode(piece, { stream: true })))
    if (titles === null && waiting.length < LOOKED_AT) continue
    titles ??= titlesOf(waiting)
    yield asRows(waiting, titles)
    waiting = []
  }
  scanner.end()
  yield asRows(waiting, titles ?? titlesOf(waiting))

  function asRows(found: readonly Found[], known: readonly string[]): SheetRow[] {
    const rows = found.map(({ line, record }) => ({
      line,
      cells: known.map((title) => ({ text: textOf(record[title]) })),
    }))
    const isFirst = found[0]?.line === 1
    return isFirst ? [{ line: 0, cells: known.map((text) => ({ text })) }, ...rows] : rows
  }
}

type Found = { readonly line: number; readonly record: Readonly<Record<string, unknown>> }

function titlesOf(found: readonly Found[]): string[] {
  const looked = found.slice(0, LOOKED_AT).flatMap(({ record }) => Object.keys(record))
  return [...new Set(looked)].slice(0, TITLES_MAX)
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, TEXT_MAX)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Finds records by counting brackets, and parses each alone, so that no file is in memory whole. */
class RecordScanner {
  readonly #open: ('{' | '[')[] = []
  #inside = false
  #escaped = false
  #count = 0
  /** The text since a record began, and its depth. Null: no record is open. */
  #text = ''
  #from: number | null = null
  #begun = false
  #had_list = false

  push(piece: string): Found[] {
    const found: Found[] = []
    let start = this.#from === null ? -1 : 0
    for (let at = 0; at < piece.length; at += 1) {
      const sign = piece[at]!
      if (this.#inside) {
        if (this.#escaped) this.#escaped = false
        else if (sign === '\\') this.#escaped = true
        else if (sign === '"') this.#inside = false
      } else if (sign === '"') this.#inside = true
      else if (sign === '{' || sign === '[') {
        this.#begun = true
        if (this.#open.length === 0) this.#had_list = false
        // A list inside a page has the records; the page itself is none.
        if (sign === '[' && this.#open.length <= 1) {
          this.#from = null
          this.#text = ''
          start = -1
          this.#had_list = true
        }
        this.#open.push(sign)
        if (this.#open.length > DEPTH_MAX) throw new TableRefused('too_deep', this.#count)
        if (sign === '{' && this.#from === null && this.#isRecord()) {
          this.#from = this.#open.length
          start = at
        }
      } else if (sign === '}' || sign === ']') {
        if (this.#open.pop() !== (sign === '}' ? '{' : '[')) throw new TableRefused('damaged', this.#count)
        if (this.#from !== null && this.#open.length < this.#from) {
          found.push(this.#record(this.#text + piece.slice(start, at + 1)))
          this.#from = null
          this.#text = ''
          start = -1
        }
      }
    }
    if (this.#from !== null) this.#text += piece.slice(Math.max(start, 0))
    // A page before its list may be long, and is not kept.
    if (this.#text.length > RECORD_MAX) throw new TableRefused('too_large', this.#count)
    return found
  }

  end(): void {
    if (!this.#begun) throw new TableRefused('empty')
    if (this.#open.length > 0 || this.#inside) throw new TableRefused('damaged', this.#count)
  }

  /** Whether the object that has just opened is a record: alone, or in a list of the outermost two levels. */
  #isRecord(): boolean {
    const depth = this.#open.length
    if (depth === 1) return true
    return this.#open[depth - 2] === '[' && depth <= 3 && (depth === 2 || this.#open[0] === '{') && this.#had_list
  }

  #record(text: string): Found {
    this.#count += 1
    try {
      return { line: this.#count, record: JSON.parse(text) as Found['record'] }
    } catch {
      throw new TableRefused('damaged', this.#count)
    }
  }
}
