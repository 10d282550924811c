import { setImmediate as turn } from 'node:timers/promises'
import { type ByteSource, gunzipped, piecesOf, ROWS_MAX, wholeOf } from './byte-source.ts'
import { fileFormOf } from './file-form.ts'
import { readCamt } from './read-camt.ts'
import type { SheetRow } from './read-csv.ts'
import { readMt940 } from './read-mt940.ts'
import { noFacts, type StatementFacts } from './statement-facts.ts'
import { streamCsv } from './stream-csv.ts'
import { streamJson } from './stream-json.ts'
import { TableRefused } from './table-refused.ts'
import { streamXlsx } from './workbook/stream-xlsx.ts'
import { streamXls } from './xls/stream-xls.ts'

export type TableForm = 'csv' | 'xlsx' | 'xls' | 'json' | 'mt940' | 'camt053'

/** The bytes in which a text says its form. */
const HEAD = 4_096

export type OpenTable = {
  readonly form: TableForm
  /** Filled while the rows are read; only banks' messages state any. */
  readonly facts: StatementFacts
  readonly rows: AsyncGenerator<SheetRow[]>
}

/**
 * Opens a file by its first bytes, whatever its name says, and yields its rows in steps. A file of gzip is unpacked once.
 * @param areTitles whether the cells of a line are titles that the caller knows; they decide the separator of a CSV and the records of a JSON
 * @throws TableRefused here and while the rows are read
 */
export async function openTable(
  source: ByteSource,
  areTitles: (written: readonly string[]) => boolean,
): Promise<OpenTable> {
  const raw = piecesOf(source)
  try {
    const { form, facts, steps } = await open(raw, areTitles)
    return { form, facts, rows: bounded(steps, raw) }
  } catch (error) {
    await raw.return(undefined)
    throw error
  }
}

async function open(raw: AsyncGenerator<Buffer>, areTitles: (written: readonly string[]) => boolean) {
  let { head, pieces } = await headOf(raw)
  if (isGzip(head)) ({ head, pieces } = await headOf(gunzipped(pieces)))
  if (head.length === 0) throw new TableRefused('empty')
  const facts = noFacts()
  const form = formOf(head)
  if (form === 'csv') return { form, facts, steps: streamCsv(head, pieces, areTitles) }
  if (form === 'json') return { form, facts, steps: streamJson(pieces, areTitles) }
  if (form === 'mt940') return { form, facts, steps: readMt940(pieces, facts) }
  if (form === 'camt053') return { form, facts, steps: readCamt(pieces, facts) }
  const bytes = await wholeOf(pieces)
  const whole = fileFormOf(bytes)
  if (whole === 'xlsx') return { form: whole, facts, steps: streamXlsx(bytes) }
  if (whole === 'old_excel') return { form: 'xls' as const, facts, steps: streamXls(bytes) }
  throw new TableRefused(whole === 'with_password' ? whole : 'other_form')
}

/**
 * Counts the rows, and closes the source after the last one, or when the caller stops.
 * @throws TableRefused `too_many_rows`
 */
async function* bounded(steps: AsyncGenerator<SheetRow[]>, raw: AsyncGenerator<Buffer>): AsyncGenerator<SheetRow[]> {
  let count = 0
  try {
    for await (const rows of steps) {
      count += rows.length
      if (count > ROWS_MAX) throw new TableRefused('too_many_rows')
      if (rows.length > 0) yield rows
      // A step of a large file takes some milliseconds: then requests have their turn.
      await turn()
    }
  } finally {
    await raw.return(undefined)
  }
}

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Reads the first piece of a stream, and returns the stream as if it were whole. */
async function headOf(all: AsyncGenerator<Buffer>): Promise<{ head: Buffer; pieces: AsyncGenerator<Buffer> }> {
  const first = await all.next()
  const head: Buffer = first.done ? Buffer.alloc(0) : first.value
  async function* pieces(): AsyncGenerator<Buffer> {
    if (!first.done) yield head
    yield* all
  }
  return { head, pieces: pieces() }
}

/** @throws TableRefused with the form that is not read */
function formOf(head: Buffer): Exclude<TableForm, 'xlsx' | 'xls'> | 'workbook' {
  if (isGzip(head)) throw new TableRefused('other_form')
  if (/^PK\x03\x04|^PK\x05\x06/.test(head.toString('latin1', 0, 4))) return 'workbook'
  if (head.subarray(0, 4).equals(Buffer.from('d0cf11e0', 'hex'))) return 'workbook'
  const text = head
    .toString('latin1', 0, HEAD)
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
  const form = fileFormOf(head)
  if (form === 'pdf' || form === 'html') throw new TableRefused(form)
  if (form === 'mt940') return 'mt940'
  if (form === 'camt') return 'camt053'
  if (form === null && /^(?:\[\s*[[{]|\{\s*["}])/.test(text)) return 'json'
  if (form !== null) throw new TableRefused('other_form')
  return 'csv'
}
