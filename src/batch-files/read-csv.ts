import type { Reading, Unread } from './batch-draft.ts'

/** A cell as the file has it. */
export type SheetCell = { readonly text: string; readonly unread?: Unread }
/** A line of a file that is not empty. `line` counts from 1. */
export type SheetRow = { readonly line: number; readonly cells: readonly SheetCell[] }

export type CsvRead =
  | { kind: 'rows'; rows: readonly SheetRow[]; reading: Pick<Reading, 'encoding' | 'separator'> }
  | { kind: 'refused'; code: 'not_a_table' }
  /** A quotation mark that opens on this line and closes nowhere. */
  | { kind: 'refused'; code: 'unclosed_quote'; line: number }

/**
 * Reads a table of text (RFC 4180): with commas, semicolons or tabs, whichever the first line has most of, in UTF-8, UTF-16 with its mark,
 * or else in Windows-1252, in which spreadsheets of this country save.
 */
export function readCsv(bytes: Buffer): CsvRead {
  const { text, encoding } = decode(bytes)
  if (text.includes('\0')) return { kind: 'refused', code: 'not_a_table' }
  // A line by which Excel is told the separator is no line of the table.
  const told = /^sep=([;,\t])\r?\n/.exec(text)
  const separator = (told?.[1] as Reading['separator']) ?? separatorOf(text)
  const rows = split(told === null ? text : text.slice(told[0].length), separator!, told === null ? 1 : 2)
  return Array.isArray(rows) ? { kind: 'rows', rows, reading: { encoding, separator: separator! } } : rows
}

function decode(bytes: Buffer): { text: string; encoding: NonNullable<Reading['encoding']> } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'utf-16' }
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' }
  }
}

function separatorOf(text: string): ';' | ',' | '\t' {
  const [first = ''] = text.trimStart().split(/\r?\n|\r/, 1)
  const bare = first.replace(/"[^"]*"/g, '')
  const counted = ([';', ',', '\t'] as const).map((sign) => ({ sign, count: bare.split(sign).length }))
  return counted.toSorted((one, other) => other.count - one.count)[0]!.sign
}

function split(
  text: string,
  separator: string,
  first: number,
): SheetRow[] | { kind: 'refused'; code: 'unclosed_quote'; line: number } {
  const rows: SheetRow[] = []
  let cells: SheetCell[] = []
  let line = first
  let began = first
  let at = 0
  const endRow = () => {
    if (cells.some((cell) => cell.text.trim() !== '')) rows.push({ line: began, cells })
    cells = []
    began = line
  }
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      const opened = line
      const closed = endOfQuote(text, at + 1)
      if (closed === -1) return { kind: 'refused', code: 'unclosed_quote', line: opened }
      cell = text.slice(at + 1, closed).replaceAll('""', '"')
      line += cell.split(/\r\n|\r|\n/).length - 1
      at = closed + 1
    }
    const end = endOfCell(text, at, separator)
    cells.push({ text: cell + text.slice(at, end) })
    at = end + 1
    const sign = text[end]
    if (sign === separator) {
      // A separator at the very end stands before an empty cell.
      if (at === text.length) cells.push({ text: '' })
      continue
    }
    if (sign === '\r' && text[at] === '\n') at += 1
    line += 1
    endRow()
  }
  if (cells.length > 0) endRow()
  return rows
}

/** The place of the mark that closes a quotation; -1: none does. A doubled mark is one of the text. */
function endOfQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at
  return -1
}

function endOfCell(text: string, from: number, separator: string): number {
  let at = from
  while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at += 1
  return at
}
