import { createPauses } from '../platform/pauses.ts'
import { RowGatherer, type SheetCell } from '../platform/read-csv.ts'
import type { Reading } from './batch-draft.ts'
import { ZipReader } from './read-zip.ts'

/** The most bytes of the list of sheets, and of that of their files. They have a few thousand, more with many named ranges. */
const LIST_MAX = 524_288
/** The most characters of a tag that we read, and of an escaped text: a cell keeps fewer. */
const TAG_MAX = 4_096
const ESCAPED_MAX = 8_192

export type XlsxRead =
  | { kind: 'rows'; sheet: RowGatherer; reading: Pick<Reading, 'sheet' | 'other_sheets'> }
  | { kind: 'refused'; code: 'workbook_unreadable' | 'workbook_too_large' }

/**
 * Reads the first visible sheet of a workbook (ECMA-376): its cells as a person would type them, without formats. It neither calculates a formula
 * nor trusts its stored result.
 * @param rows_max the most rows that are kept; later ones are only counted
 */
export async function readXlsx(bytes: Buffer, rows_max: number): Promise<XlsxRead> {
  const archive = ZipReader.open(bytes)
  if (archive === null) return refused('unreadable')
  const workbook = await archive.read('xl/workbook.xml', LIST_MAX)
  const relations = await archive.read('xl/_rels/workbook.xml.rels', LIST_MAX)
  if (workbook.kind !== 'text' || relations.kind !== 'text') return refused(whyOf(workbook, relations))
  const [first, ...others] = await visibleSheets(workbook.text, relations.text)
  if (first === undefined) return refused('unreadable')
  const sheet = await archive.read(first.path)
  const strings = await archive.read('xl/sharedStrings.xml')
  if (sheet.kind !== 'text' || strings.kind === 'refused') return refused(whyOf(sheet, strings))
  const shared = strings.kind === 'absent' ? [] : await sharedStrings(strings.text)
  const gathered = new RowGatherer(rows_max)
  const isWhole = await gatherRows(sheet.text, shared, gathered)
  if (!isWhole) return refused('unreadable')
  const other_sheets = others.map(({ name }) => name)
  return { kind: 'rows', sheet: gathered, reading: { sheet: first.name, ...(others.length > 0 && { other_sheets }) } }
}

/** The most sheets that are looked up: one to read, and some to name. */
const SHEETS_MAX = 10

type Part = Awaited<ReturnType<ZipReader['read']>>

function whyOf(...parts: readonly Part[]): 'unreadable' | 'too_large' {
  return parts.some((part) => part.kind === 'refused' && part.code === 'too_large') ? 'too_large' : 'unreadable'
}

function refused(why: 'unreadable' | 'too_large'): XlsxRead {
  return { kind: 'refused', code: `workbook_${why}` }
}

/** Returns the first sheets that a person sees, in the order of their tabs. */
async function visibleSheets(workbook: string, relations: string): Promise<{ name: string; path: string }[]> {
  const pauses = createPauses()
  const targets = new Map<string | undefined, string>()
  for (const relation of tagsOf(relations)) {
    if (pauses.isDue()) await pauses.take()
    if (relation.name !== 'Relationship') continue
    targets.set(relation.attribute('Id'), relation.attribute('Target') ?? '')
  }
  const sheets: { name: string; path: string }[] = []
  for (const tag of tagsOf(workbook)) {
    if (pauses.isDue()) await pauses.take()
    if (sheets.length === SHEETS_MAX) break
    if (tag.name !== 'sheet' || /hidden/i.test(tag.attribute('state') ?? '')) continue
    const target = targets.get(tag.attribute('id'))
    if (target === undefined) continue
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
    sheets.push({ name: (tag.attribute('name') ?? '').slice(0, 100), path })
  }
  return sheets
}

type Tag = {
  /** The name without the prefix of its namespace. */
  readonly name: string
  readonly closes: boolean
  /** Whether the tag opens and closes at once. */
  readonly empty: boolean
  /** The text before the tag. */
  readonly before: string
  attribute(name: string): string | undefined
}

/** Yields the tags of an XML text in order, each with the text before it. It skips comments, declarations and CDATA sections. */
function* tagsOf(xml: string): Generator<Tag> {
  let at = 0
  for (;;) {
    const from = xml.indexOf('<', at)
    const to = from === -1 ? -1 : xml.indexOf('>', from)
    if (to === -1) return
    const inside = xml.slice(from + 1, to)
    const before = xml.slice(at, from)
    at = to + 1
    if (inside.startsWith('?') || inside.startsWith('!')) continue
    const closes = inside.startsWith('/')
    const empty = inside.endsWith('/')
    const [qualified = ''] = inside.slice(closes ? 1 : 0).split(/[\s/]/, 1)
    const name = qualified.slice(qualified.indexOf(':') + 1)
    yield { name, closes, empty, before, attribute: (wanted) => attributeOf(inside, wanted) }
  }
}

function attributeOf(tag: string, name: string): string | undefined {
  for (const [, qualified, value] of tag.slice(0, TAG_MAX).matchAll(/\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (qualified!.slice(qualified!.indexOf(':') + 1) === name) return unescaped(value ?? '')
  }
  return undefined
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescaped(whole: string): string {
  const text = whole.slice(0, ESCAPED_MAX)
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 0x10ffff ? whole : String.fromCodePoint(code)
  })
}

/** Returns the shared texts, to which cells refer by index. A phonetic reading is not a part of its text. */
async function sharedStrings(xml: string): Promise<string[]> {
  const pauses = createPauses()
  const strings: string[] = []
  let text = ''
  let aid = false
  for (const tag of tagsOf(xml)) {
    if (pauses.isDue()) await pauses.take()
    if (tag.name === 'rPh') aid = !tag.closes && !tag.empty
    else if (tag.name === 't' && tag.closes && !aid) text += unescaped(tag.before)
    else if (tag.name === 'si' && (tag.closes || tag.empty)) {
      strings.push(text)
      text = ''
    }
  }
  return strings
}

type OpenCell = { type: string; text: string; formula: boolean }

/** Adds the rows of a sheet. False when the sheet is damaged. */
async function gatherRows(xml: string, shared: readonly string[], sheet: RowGatherer): Promise<boolean> {
  const pauses = createPauses()
  let line = 0
  let cell: OpenCell | null = null
  let place = -1
  for (const tag of tagsOf(xml)) {
    if (pauses.isDue()) await pauses.take()
    if (tag.name === 'row') {
      if (!tag.closes) {
        const said = tag.attribute('r')
        line = said === undefined ? line + 1 : Number(said)
        if (!Number.isSafeInteger(line) || line < 1) return false
        place = -1
      }
      if (tag.closes || tag.empty) sheet.endRow(line)
    } else if (tag.name === 'c') {
      if (!tag.closes) {
        place = placeOf(tag.attribute('r')) ?? place + 1
        cell = { type: tag.attribute('t') ?? 'n', text: '', formula: false }
      }
      if ((tag.closes || tag.empty) && cell !== null) {
        sheet.put(cellOf(cell, shared), place)
        cell = null
      }
    } else if (cell !== null) {
      if (tag.name === 'f') cell.formula = true
      else if ((tag.name === 'v' || tag.name === 't') && tag.closes) cell.text += unescaped(tag.before)
    }
  }
  return true
}

/** Returns the column of a cell from its name, such as `AB12`, counted from 0. Null when the name has none. */
function placeOf(name: string | undefined): number | null {
  const [letters] = /^[A-Z]{1,3}(?=\d)/.exec(name ?? '') ?? []
  if (letters === undefined) return null
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function cellOf({ type, text, formula }: OpenCell, shared: readonly string[]): SheetCell {
  // The stored result of a formula comes from the last program that wrote the file, and may be wrong.
  if (formula) return { text: '', unread: 'formula' }
  if (type === 'e') return { text: '', unread: 'cell_error' }
  if (type === 's') return { text: shared[Number(text)] ?? '' }
  return { text: type === 'n' ? writeFloat(text) : text }
}

/** Writes a number as a person would type it. A spreadsheet stores floats: 16 000 may be stored as 16000.000000000002. */
function writeFloat(text: string): string {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return text
  const whole = Math.round(value)
  return Math.abs(value - whole) < 1e-6 && Number.isSafeInteger(whole) ? String(whole) : String(value)
}
