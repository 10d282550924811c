import type { SheetRow } from './read-csv.ts'
import { fieldsBeforeList, type JsonObject, ObjectScanner } from './scan-json.ts'
import { TableRefused } from './table-refused.ts'

/** The most characters of one record, and the records in which the titles are collected. */
const RECORD_MAX = 65_536
const LOOKED_AT = 40
const TITLES_MAX = 64
const TEXT_MAX = 800

/**
 * Yields the records of a JSON text as rows below one row of titles: the objects of a list, objects one after the other, or those of a list
 * inside a page of an API. An object is a page when it has no known titles and one of its lists has: only so a record with a list inside stays
 * one record. Only texts, numbers and truth values count; titles that first appear after 40 records do not.
 * @param areTitles whether the names of a record's fields are titles that the caller knows
 * @throws TableRefused; `damaged` also for pages and records side by side
 */
export async function* streamJson(
  pieces: AsyncIterable<Buffer>,
  areTitles: (written: readonly string[]) => boolean,
): AsyncGenerator<SheetRow[]> {
  const decoder = new TextDecoder('utf-8')
  const reader = new RecordReader(areTitles)
  let titles: string[] | null = null
  let waiting: Found[] = []
  for await (const piece of pieces) {
    for (const found of reader.push(decoder.decode(piece, { stream: true }))) waiting.push(found)
    if (titles === null && waiting.length < LOOKED_AT) continue
    titles ??= titlesOf(waiting)
    yield asRows(waiting, titles)
    waiting = []
  }
  reader.end()
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

type Found = { readonly line: number; readonly record: JsonObject }

function titlesOf(found: readonly Found[]): string[] {
  return namesOf(found.map(({ record }) => record)).slice(0, TITLES_MAX)
}

function namesOf(records: readonly JsonObject[]): string[] {
  return [...new Set(records.slice(0, LOOKED_AT).flatMap((record) => Object.keys(record)))]
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, TEXT_MAX)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Tells records from pages. A page may be as long as its file, so one that is longer than a record is read by its lists. */
class RecordReader {
  readonly #areTitles: (written: readonly string[]) => boolean
  readonly #outer = new ObjectScanner(['{', '[{'], RECORD_MAX)
  #page: LongPage | null = null
  #count = 0
  #kind: 'records' | 'pages' | null = null
  /** The fields of the records of pages. */
  #names: ReadonlySet<string> = new Set()

  constructor(areTitles: (written: readonly string[]) => boolean) {
    this.#areTitles = areTitles
  }

  push(piece: string): Found[] {
    const found: Found[] = []
    for (let at = 0; at < piece.length; ) {
      if (this.#page === null) at = this.#readOuter(piece, at, found)
      else {
        at = this.#page.scanner.push(piece, at)
        this.#readPage(this.#page, found)
      }
    }
    return found
  }

  end(): void {
    if (!this.#outer.has_begun) throw new TableRefused('empty')
    if (!this.#outer.is_closed || this.#page !== null) throw new TableRefused('damaged', this.#count)
  }

  #readOuter(piece: string, from: number, found: Found[]): number {
    const at = this.#outer.push(piece, from)
    for (const { record, is_alone } of this.#outer.drain()) {
      const page = is_alone ? this.#recordsIn(record) : null
      this.#add(page ?? [record], page === null ? 'records' : 'pages', found)
    }
    const long = this.#outer.takeLong()
    if (long === null) return at
    // Only an object of the outermost level can be a page, and none with the titles of a record is.
    const fields = long.is_alone ? fieldsBeforeList(long.text) : null
    if (fields === null || this.#areTitles(Object.keys(fields))) throw new TableRefused('too_large', this.#count)
    this.#page = new LongPage(this.#areTitles, RECORD_MAX)
    this.#page.scanner.push(long.text, 0)
    this.#readPage(this.#page, found)
    return at
  }

  #readPage(page: LongPage, found: Found[]): void {
    const records = page.drain()
    if (records.length > 0) this.#add(records, 'pages', found)
    if (!page.scanner.is_closed) return
    if (!page.is_known) throw new TableRefused('too_large', this.#count)
    this.#page = null
  }

  /** Returns the records of a page, or null when an object is a record itself. */
  #recordsIn(object: JsonObject): readonly JsonObject[] | null {
    if (this.#areTitles(Object.keys(object))) return null
    const lists = Object.values(object).filter((value) => Array.isArray(value)) as unknown[][]
    const titled = lists
      .map((list) => list.filter(isObject))
      .filter((list) => list.length > 0 && this.#areTitles(namesOf(list)))
    if (titled.length > 0) return titled.flat()
    // The last page may have an empty list. A record of which a field is missing would share one with the records before it.
    const isEmptyPage =
      lists.some((list) => list.length === 0) && !Object.keys(object).some((name) => this.#names.has(name))
    return this.#kind === 'pages' && isEmptyPage ? [] : null
  }

  #add(records: readonly JsonObject[], kind: 'records' | 'pages', found: Found[]): void {
    this.#kind ??= kind
    if (this.#kind !== kind) throw new TableRefused('damaged', this.#count)
    if (kind === 'pages' && this.#names.size === 0) this.#names = new Set(namesOf(records))
    for (const record of records) {
      this.#count += 1
      found.push({ line: this.#count, record })
    }
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A page that is longer than a record. The first 40 objects of each list tell whether these are records. */
class LongPage {
  readonly scanner: ObjectScanner
  readonly #areTitles: (written: readonly string[]) => boolean
  #list = 0
  #waiting: JsonObject[] = []
  #are_records: boolean | null = null
  /** Whether a list with records was found. */
  is_known = false

  constructor(areTitles: (written: readonly string[]) => boolean, record_max: number) {
    this.scanner = new ObjectScanner(['{[{'], record_max)
    this.#areTitles = areTitles
  }

  /** @throws TableRefused `too_large` when an object inside is longer than a record */
  drain(): JsonObject[] {
    const records: JsonObject[] = []
    for (const { record, list } of this.scanner.drain()) {
      if (list !== this.#list) this.#begin(list)
      if (this.#are_records === false) continue
      if (this.#are_records === null) {
        this.#waiting.push(record)
        if (this.#areTitles(namesOf(this.#waiting))) this.#are_records = this.is_known = true
        else if (this.#waiting.length === LOOKED_AT) this.#are_records = false
        else continue
        if (this.#are_records) records.push(...this.#waiting)
        this.#waiting = []
      } else records.push(record)
    }
    if (this.scanner.takeLong() !== null) throw new TableRefused('too_large')
    return records
  }

  #begin(list: number): void {
    this.#list = list
    this.#waiting = []
    this.#are_records = null
  }
}
