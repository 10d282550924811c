import { recordAct } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import type { Row } from './rows-of-list.ts'
import { setReaderPatience } from './store.ts'
import { writeCsv } from './write-csv.ts'
import { writeXlsx } from './write-xlsx.ts'

/**
 * The most simultaneous exports of a process. A merchant has one at a time, and so has a person, who may belong to several merchants, so that
 * nobody's slow downloads block others. Each holds a connection for its whole time. The server cuts a download that its reader hardly takes
 * (`slow-downloads.ts`).
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
  /** The merchant or the person has an export in progress, or the process has the most exports. The person can try again in a minute. */
  | { kind: 'refused'; code: 'exports_busy' }

/** The person who takes a file, and what they asked for, for the audit log. */
export type Taken = {
  readonly by: Actor
  readonly list: string
  /** The filters of the list. Never a number or free text. */
  readonly filters: Readonly<Record<string, string>>
}

/** The parts of a file that its list does not decide. */
export type FileWanted = { readonly format: ExportFormat; readonly taken: Taken }

/** Begins a file of one list of a merchant. `pages` reads the rows in the snapshot of its transaction. */
export type ExportFile = (wanted: {
  readonly tenant: Tenant
  readonly file: FileWanted
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
 * as the caller reads the file. Before its first byte the audit log has the act with the number of rows, counted in the same snapshot, also if the
 * reader stops after that byte.
 * @param exports a pool of its own, of `EXPORTS_AT_ONCE` connections
 */
export function createExportFile({ sql, exports, clock }: { sql: Sql; exports: Sql; clock: Clock }): ExportFile {
  const underWay = new Set<number>()
  const readers = new Set<string>()
  return async (wanted) => {
    const { merchant_id } = wanted.tenant
    const { person } = wanted.file.taken.by
    if (underWay.size >= EXPORTS_AT_ONCE || underWay.has(merchant_id) || readers.has(person))
      return { kind: 'refused', code: 'exports_busy' }
    underWay.add(merchant_id)
    readers.add(person)
    const begun_at = clock.now()
    const stream = fileOf(wanted)
    // Runs the generator up to its first part, which is empty. A generator that has not begun would not end its transaction on `return`.
    await stream.next()
    return { kind: 'begun', begun_at, content_type: contentTypes[wanted.file.format], stream }
  }

  async function* fileOf({
    tenant,
    file: { format, taken },
    titles,
    pages,
  }: Parameters<ExportFile>[0]): AsyncGenerator<string | Uint8Array> {
    const moment = openMoment(exports, () => {
      underWay.delete(tenant.merchant_id)
      readers.delete(taken.by.person)
    })
    try {
      const tx = await moment.tx
      const rows = pages(tx)
      const first = await rows.next()
      yield ''
      await recordTaken(tenant, taken, format, await countRows(pages(tx)))
      const all = begunWith(first, rows)
      yield* format === 'xlsx' ? writeXlsx(titles, all) : writeCsv(titles, all, format === 'csv' ? ',' : ';')
    } finally {
      await moment.close()
    }
  }

  async function recordTaken(tenant: Tenant, { by, list, filters }: Taken, format: ExportFormat, rows: number) {
    const file = format === 'xlsx' ? 'xlsx' : 'csv'
    const act = { actor: by, act: 'export.take', after: { list, format: file, filters, rows } } as const
    await sql.begin(async (tx) => recordAct(tx, tenant, act))
  }
}

async function countRows(pages: AsyncGenerator<Row[]>): Promise<number> {
  let count = 0
  for await (const page of pages) count += page.length
  return count
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
