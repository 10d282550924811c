import { buffer } from 'node:stream/consumers'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { Clock } from '../../platform/clock.ts'
import { spreadsheetLine, UTF8_MARK } from '../../platform/csv-line.ts'
import type { Db, Sql } from '../../platform/postgres/database.ts'
import { type Period, periodOf } from '../../values/period.ts'
import { exportStatement, type StatementExport } from '../export-statement.ts'
import { readStatement } from '../read-statement.ts'
import { recordStatementTaken } from '../record-taken.ts'
import { countOf } from '../statement.ts'
import { readPaymentFacts } from '../store.ts'
import { writeCsv } from '../write-csv.ts'
import { statementView } from './statement-view.ts'

export type StatementScreenDeps = {
  readonly statements: {
    readonly sql: Sql
    readonly reads: Db
    readonly clock: Clock
    /** The service's name, printed on the PDF. */
    readonly brand: string
  }
}
type Request = ScreenRequest<'console'>

const PAGE = 100

/** The most movements of a file from the console, the same as in a PDF. The command line writes longer files. */
const FILE_MOVEMENTS_MAX = 20_000

/** The current month up to today. */
function thisMonth(clock: Clock): Period {
  const to = clock.now().toISOString().slice(0, 10)
  return { from: `${to.slice(0, 8)}01`, to }
}

/** Reads the period of the query. Null when it is invalid. */
function periodIn({ query }: Request, clock: Clock): Period | null {
  const month = thisMonth(clock)
  return periodOf(query.get('from') || month.from, query.get('to') || month.to)
}

export const getStatementScreen = defineConsoleScreen<StatementScreenDeps>({
  method: 'GET',
  path: '/statement',
  query: ['from', 'to', 'offset'],
  operation: 'consoleStatement',
  summary: 'The account of a merchant over a period, to read and to print',
  right: 'statement.read',
  menu: { group: 'account', icon: 'sheet', words: ['Relevé', 'Statement'] },
  async handle(request, { statements: { reads, clock, brand } }) {
    const { query, tenant, say } = request
    const asked = periodIn(request, clock)
    const period = asked ?? thisMonth(clock)
    const offset = /^\d{1,9}$/.test(query.get('offset') ?? '') ? Number(query.get('offset')) : 0
    const statement = await readStatement(reads, tenant, period, { limit: PAGE, offset })
    if (statement === null) return absent
    const typed = { from: query.get('from') ?? period.from, to: query.get('to') ?? period.to }
    const text = say(['Le premier jour vient avant le dernier.', 'The first day comes before the last.'])
    const errors = asked === null ? [{ field: 'from', text }] : []
    const ids = new Set(statement.data.flatMap(({ payment_id }) => payment_id ?? []))
    const facts = ids.size === 0 ? [] : await readPaymentFacts(reads, tenant, [...ids])
    const payments = new Map(facts.map((one) => [one.id, one]))
    return statementView(request, { statement, payments, errors, brand, now: clock.now(), typed })
  },
})

export const getStatementFile = defineConsoleScreen<StatementScreenDeps>({
  method: 'GET',
  path: '/statement/:format',
  query: ['from', 'to'],
  operation: 'consoleStatementFile',
  summary: 'The same account as a file: csv or pdf',
  right: 'exports.take',
  takes_file: true,
  async handle(request, { statements: { sql, reads, clock, brand } }): Promise<ScreenAnswer> {
    const { tenant, params, at, actor: by } = request
    const period = periodIn(request, clock)
    const { format } = params
    if (period === null || (format !== 'csv' && format !== 'pdf')) return absent
    const exported = await exportStatement(reads, tenant, period)
    if (exported === null) return absent
    // The page then offers a shorter period.
    if (countOf(exported.figures) > FILE_MOVEMENTS_MAX) return moved(at(`/statement?${new URLSearchParams(period)}`))
    await recordStatementTaken(sql, exported, { format, period, by })
    const name = `statement-${period.from}-${period.to}.${format}`
    return { kind: 'file', name, type: fileTypes[format], body: await bytesOf(request, exported, format, brand) }
  },
})

const fileTypes = { csv: 'text/csv; charset=utf-8', pdf: 'application/pdf' } as const

async function bytesOf(
  { language }: ScreenRequest<'console'>,
  exported: StatementExport,
  format: 'csv' | 'pdf',
  brand: string,
): Promise<Buffer> {
  if (format === 'csv') {
    const lineOf = (fields: readonly (string | number)[]) => spreadsheetLine(fields, language === 'fr' ? ';' : ',')
    const lines = await Array.fromAsync(writeCsv(exported, lineOf, language))
    return Buffer.from(UTF8_MARK + lines.join(''))
  }
  // Loaded on first use, as on the command line.
  const { writePdf } = await import('../write-pdf.ts')
  return buffer(writePdf(exported, brand))
}

export const statementScreens = [getStatementScreen, getStatementFile] as const
