import type { Clock } from '../platform/clock.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Row } from './export-columns.ts'
import { setReaderPatience } from './store.ts'
import { writeCsv } from './write-csv.ts'
import { writeXlsx } from './write-xlsx.ts'

/**
 * The most simultaneous exports of a process; a merchant has one at a time, so that a slow download does not block other merchants. Each
 * holds a connection for its whole time.
 */
export const EXPORTS_AT_ONCE = 4
/** The most minutes of a download. Its snapshot keeps the database from vacuuming newer dead rows meanwhile. */
const EXPORT_MINUTES_MAX = 30

/** `csv_semicolons`: for a spreadsheet in French, which does not split at commas. */
export type ExportFormat = 'csv' | 'csv_semicolons' | 'xlsx'

export type ExportBegun =
  | {
      kind: 'begun'
      /** The time as of which the file shows the list. */
      begun_at: Date
      content_type: string
      /** The file. It throws if it cannot be read to its end; the download must then fail. The caller must read it to the end or call `return`. */
      stream: AsyncGenerator<string | Uint8Array>
    }
  /** The merchant has an export in progress, or the process has the most exports. The person can try again in a minute. */
  | { kind: 'refused'; code: 'exports_busy' }

/** Begins a file of one list of a merchant. `pages` reads the rows in the snapshot of its transaction. */
export type ExportFile = (wanted: {
  readonly merchant_id: number
  readonly format: ExportFormat
  readonly titles: readonly string[]
  readonly pages: (tx: Tx) => AsyncGenerator<Row[]>
}) => Promise<ExportBegun>

const contentTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  csv_semicolons: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/**
 * Creates the writer of lists into files. A file shows the list at the start of its export: one transaction with one snapshot lasts as long
 * as the caller reads the file.
 * @param sql a pool of its own, of `EXPORTS_AT_ONCE` connections
 */
export function createExportFile(sql: Sql, clock: Clock): ExportFile {
  const underWay = new Set<number>()
  return async (wanted) => {
    const { merchant_id } = wanted
    if (underWay.size >= EXPORTS_AT_ONCE || underWay.has(merchant_id)) return { kind: 'refused', code: 'exports_busy' }
    underWay.add(merchant_id)
    const begun_at = clock.now()
    const stream = fileOf(wanted)
    // Runs the generator up to its first part, which is empty. A generator that has not begun would not end its transaction on `return`.
    await stream.next()
    return { kind: 'begun', begun_at, content_type: contentTypes[wanted.format], stream }
  }

  async function* fileOf({
    merchant_id,
    format,
    titles,
    pages,
  }: Parameters<ExportFile>[0]): AsyncGenerator<string | Uint8Array> {
    const moment = openMoment(sql, () => underWay.delete(merchant_id))
    try {
      const rows = pages(await moment.tx)
      const first = await rows.next()
      yield ''
      const all = begunWith(first, rows)
      yield* format === 'xlsx' ? writeXlsx(titles, all) : writeCsv(titles, all, format === 'csv' ? ',' : ';')
    } finally {
      await moment.close()
    }
  }
}

async function* begunWith(first: IteratorResult<Row[]>, rest: AsyncGenerator<Row[]>): AsyncGenerator<Row[]> {
  if (first.done) return
  yield first.value
  yield* rest
}

/** Opens a transaction with one snapshot, until it is closed or the download has taken too long. */
function openMoment(sql: Sql, onEnd: () => void): { tx: Promise<Tx>; close(): Promise<void> } {
  const opened = Promise.withResolvers<Tx>()
  const over = Promise.withResolvers<void>()
  const tooLong = setTimeout(over.resolve, EXPORT_MINUTES_MAX * 60_000).unref()
  const lasting = sql
    .begin('isolation level repeatable read, read only', async (tx) => {
      await setReaderPatience(tx)
      opened.resolve(tx)
      await over.promise
    })
    // The transaction writes nothing, so a failure at its end does not matter for the rows that were read.
    .catch(opened.reject)
    .finally(() => {
      clearTimeout(tooLong)
      onEnd()
    })
  return {
    tx: opened.promise,
    async close() {
      over.resolve()
      await lasting
    },
  }
}
