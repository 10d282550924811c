import type { Row } from './rows-of-list.ts'
import { type ZipEntry, zip } from './zip.ts'

/** The most rows of a sheet in spreadsheets. Further rows go to another sheet. */
const SHEET_ROWS_MAX = 1_048_576
/** The most characters of a sheet: far below four gigabytes, the limit of a file in an archive. */
const SHEET_CHARACTERS_MAX = 1_000_000_000
/** The most characters of a cell in spreadsheets. */
const CELL_MAX = 32_767

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'

/**
 * Writes rows as a workbook (ECMA-376), page by page. Amounts are numbers; all other cells are text, which no spreadsheet reads as a formula
 * or a number. Each sheet begins with the titles.
 */
export function writeXlsx(
  titles: readonly string[],
  pages: AsyncIterable<readonly Row[]>,
  { sheet_rows_max = SHEET_ROWS_MAX }: { sheet_rows_max?: number } = {},
): AsyncGenerator<Uint8Array> {
  return zip(entriesOf(titles, pages, sheet_rows_max))
}

async function* entriesOf(
  titles: readonly string[],
  pages: AsyncIterable<readonly Row[]>,
  sheet_rows_max: number,
): AsyncGenerator<ZipEntry> {
  const rows = new RowReader(pages)
  let sheets = 0
  do {
    sheets += 1
    yield { name: `xl/worksheets/sheet${sheets}.xml`, parts: sheetOf(titles, rows, sheet_rows_max) }
  } while (!(await rows.isAtEnd()))
  yield textEntry('xl/workbook.xml', workbookOf(sheets))
  yield textEntry('xl/_rels/workbook.xml.rels', relationsOf(sheets))
  yield textEntry('_rels/.rels', rootRelations)
  yield textEntry('[Content_Types].xml', contentTypesOf(sheets))
}

/** Reads pages for several sheets, each from where the previous one stopped. */
class RowReader {
  readonly #pages: AsyncIterator<readonly Row[]>
  #page: readonly Row[] = []
  #at = 0

  constructor(pages: AsyncIterable<readonly Row[]>) {
    this.#pages = pages[Symbol.asyncIterator]()
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#at >= this.#page.length) {
      const next = await this.#pages.next()
      if (next.done) return true
      this.#page = next.value
      this.#at = 0
    }
    return false
  }

  /** Returns at most this many rows of the current page. The caller has checked `isAtEnd`. */
  take(most: number): readonly Row[] {
    const rows = this.#page.slice(this.#at, this.#at + most)
    this.#at += rows.length
    return rows
  }

  /** Ends the source of the pages. */
  async close(): Promise<void> {
    await this.#pages.return?.()
  }
}

async function* sheetOf(titles: readonly string[], rows: RowReader, rows_max: number): AsyncGenerator<string[]> {
  let ended = false
  try {
    yield [`${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`, xmlOf(titles, 1)]
    let written = 1
    let characters = 0
    while (written < rows_max && characters < SHEET_CHARACTERS_MAX && !(await rows.isAtEnd())) {
      const some = rows.take(rows_max - written)
      const texts = some.map((row, nth) => xmlOf(row, written + nth + 1))
      written += some.length
      for (const { length } of texts) characters += length
      yield texts
    }
    yield ['</sheetData></worksheet>']
    ended = true
  } finally {
    if (!ended) await rows.close()
  }
}

/** Writes a row with its number and each cell with its place: the standard lets a writer omit both, but exceljs cannot read the file then. */
function xmlOf(row: Row, number: number): string {
  let cells = ''
  for (const [at, field] of row.entries()) {
    const place = `r="${columnName(at)}${number}"`
    if (typeof field === 'number') cells += `<c ${place}><v>${field}</v></c>`
    else if (field === '') cells += `<c ${place}/>`
    else cells += `<c ${place} t="inlineStr"><is><t xml:space="preserve">${escaped(field)}</t></is></c>`
  }
  return `<row r="${number}">${cells}</row>`
}

/** The name of a column in spreadsheets: A to Z, then AA. */
function columnName(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26))
  return at < 26 ? letter : columnName(Math.floor(at / 26) - 1) + letter
}

const special = /[_&<>\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\ud800-\udfff]/

/**
 * Escapes a text for XML. Spreadsheets read `_x0041_` as A (ECMA-376, ST_Xstring), so the underscore of such a text becomes `_x005F_`. Characters that XML cannot contain, such as
 * a lone surrogate, become the replacement character.
 */
function escaped(field: string): string {
  const text = field.length > CELL_MAX ? field.slice(0, CELL_MAX) : field
  if (!special.test(text)) return text
  return text
    .toWellFormed()
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
}

function textEntry(name: string, text: string): ZipEntry {
  return { name, parts: [[HEAD + text]] }
}

const numbered = (count: number, write: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => write(nth + 1)).join('')

function workbookOf(sheets: number): string {
  const list = numbered(sheets, (nth) => `<sheet name="${nth}" sheetId="${nth}" r:id="rId${nth}"/>`)
  return `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${list}</sheets></workbook>`
}

function relationsOf(sheets: number): string {
  const list = numbered(
    sheets,
    (nth) => `<Relationship Id="rId${nth}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${nth}.xml"/>`,
  )
  return `<Relationships xmlns="${PACKAGE}/relationships">${list}</Relationships>`
}

const rootRelations =
  `<Relationships xmlns="${PACKAGE}/relationships">` +
  `<Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`

function contentTypesOf(sheets: number): string {
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  const list = numbered(
    sheets,
    (nth) => `<Override PartName="/xl/worksheets/sheet${nth}.xml" ContentType="${type}.worksheet+xml"/>`,
  )
  return (
    `<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/>${list}</Types>`
  )
}
