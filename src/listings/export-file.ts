import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Row } from './export-columns.ts'
import { setReaderPatience } from './store.ts'
import { writeCsv } from './write-csv.ts'
import { writeXlsx } from './write-xlsx.ts'

/**
 * Exports that are under way in a process at once, one for each merchant: a download that takes half an hour keeps nobody else from theirs. Each
 * has a connection of its own for as long as it lasts.
 */
export const EXPORTS_AT_ONCE = 4
/** Minutes that a download may take. The moment that it shows is kept for it in the database, which cleans up nothing later meanwhile. */
const EXPORT_MINUTES_MAX = 30

export type ExportFormat = 'csv' | 'xlsx'

export type ExportBegun =
  | {
      kind: 'begun'
      content_type: string
      /** The file. It throws when it cannot be read to its end, and its reader must then show a failed download. To be read, or returned from. */
      stream: AsyncGenerator<string | Uint8Array>
    }
  /** The merchant's last one is under way, or as many as a process makes: to be tried again in a minute. */
  | { kind: 'refused'; code: 'exports_busy' }

/** A file of one list of a merchant. `pages` reads the rows in the one moment that its transaction sees. */
export type ExportFile = (wanted: {
  readonly merchant_id: number
  readonly format: ExportFormat
  readonly titles: readonly string[]
  readonly pages: (tx: Tx) => AsyncGenerator<Row[]>
}) => Promise<ExportBegun>

const contentTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/**
 * Writes lists into files, each as it was when its export began: one transaction, which sees one moment, lasts as long as the file is read.
 * @param sql a pool of its own, of `EXPORTS_AT_ONCE` connections
 */
export function createExportFile(sql: Sql): ExportFile {
  const underWay = new Set<number>()
  return async (wanted) => {
    const { merchant_id } = wanted
    if (underWay.size >= EXPORTS_AT_ONCE || underWay.has(merchant_id)) return { kind: 'refused', code: 'exports_busy' }
    underWay.add(merchant_id)
    const stream = fileOf(wanted)
    // Up to its first part, which is empty: a generator that has not begun would not end its transaction when its reader leaves.
    await stream.next()
    return { kind: 'begun', content_type: contentTypes[wanted.format], stream }
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
      yield* (format === 'csv' ? writeCsv : writeXlsx)(titles, begunWith(first, rows))
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

/** A transaction that sees one moment and stays open until it is closed, or until a download has taken too long: then it reads no more. */
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
    // It wrote nothing: whether it ends well says nothing of what was read.
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
