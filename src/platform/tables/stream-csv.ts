import { ROWS_MAX } from './byte-source.ts'
import { CELLS_MAX, type Separator, type SheetRow, separatorOf, titledBy, wideEncodingOf } from './read-csv.ts'
import { CsvSplitter } from './split-csv.ts'
import { TableRefused } from './table-refused.ts'

/** The most characters of a cell that are kept. */
const TEXT_MAX = 800

/**
 * Yields the rows of a table of text that are not empty, piece by piece. UTF-16 is told by its first bytes. Otherwise each cell is UTF-8, or
 * Windows-1252 when it is not, so that neither a late accent nor the split of the file changes a row.
 * @param areTitles whether the cells of a line are titles that the caller knows
 * @throws TableRefused
 */
export async function* streamCsv(
  head: Buffer,
  pieces: AsyncIterable<Buffer>,
  areTitles: (written: readonly string[]) => boolean,
): AsyncGenerator<SheetRow[]> {
  const wide = wideEncodingOf(head)
  const decoder = wide === null ? null : new TextDecoder(wide)
  const decode = (piece: Buffer) => decoder?.decode(piece, { stream: true }) ?? piece.toString('latin1')
  let splitter: CsvSplitter | null = null
  let count = 0
  for await (const piece of pieces) {
    let text = decode(piece)
    if (text.includes('\0')) throw new TableRefused('not_a_table')
    if (splitter === null) {
      text = text.replace(/^(?:\xef\xbb\xbf|\ufeff)/, '')
      const told = /^sep=([;,\t|])\r?\n/.exec(text)
      const separator =
        (told?.[1] as Separator) ??
        (await titledBy(text, (cells) => areTitles(cells.map(decodeCell)))) ??
        separatorOf(text)
      splitter = new CsvSplitter(separator, CELLS_MAX, told === null ? 1 : 2)
      text = text.slice(told?.[0].length ?? 0)
    }
    yield rowsOf(splitter.push(text), splitter)
  }
  const last = decoder?.decode() ?? ''
  if (splitter !== null) {
    if (last !== '') yield rowsOf(splitter.push(last), splitter)
    yield rowsOf(splitter.end(), splitter)
  }

  function rowsOf(split: ReturnType<CsvSplitter['push']>, { line, is_quoted }: CsvSplitter): SheetRow[] {
    if (split === null) throw new TableRefused(is_quoted ? 'unclosed_quote' : 'not_a_table', line)
    count += split.length
    if (count > ROWS_MAX) throw new TableRefused('too_many_rows', line)
    const rows: SheetRow[] = []
    for (const row of split) {
      if (!row.cells.some((text) => text !== '' && text.trim() !== '')) continue
      const cells = row.cells.map((text) => {
        const decoded = wide === null ? decodeCell(text) : text
        return { text: decoded.length > TEXT_MAX ? decoded.slice(0, TEXT_MAX) : decoded }
      })
      rows.push({ line: row.line, cells })
    }
    return rows
  }
}

const strict = new TextDecoder('utf-8', { fatal: true })
const western = new TextDecoder('windows-1252')

/** Reads a cell whose characters are its bytes. */
export function decodeCell(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes
  const raw = Buffer.from(bytes, 'latin1')
  try {
    return strict.decode(raw)
  } catch {
    return western.decode(raw)
  }
}
