import type { ByteSource } from '../platform/tables/byte-source.ts'
import { type OpenTable, openTable, type TableForm } from '../platform/tables/open-table.ts'
import type { SheetRow } from '../platform/tables/read-csv.ts'
import { readFrancs } from '../platform/tables/read-francs.ts'
import { type RefusalCode, TableRefused } from '../platform/tables/table-refused.ts'
import { builtInProfiles } from './built-in-profiles.ts'
import { Chain, type ChainRead, type Reckoning, reckon, Settler } from './chain.ts'
import { columnsIn, HEAD_ROWS, hasTitles, profilesFor, valueAbove } from './find-columns.ts'
import type { StatementProfile } from './profile.ts'
import { createRowReader, type RowFault, type WrittenRow } from './read-row.ts'
import { addTo, emptyTotals, type StatementRow, type Totals } from './statement-row.ts'

export type StatementRefusal =
  | RefusalCode
  /** No row among the first 40 has the titles of a profile. */
  | 'unknown_titles'
  /** Only balances could tell net from gross amounts, and the file has none. */
  | 'arithmetic_unknown'
  /** More than one row in a hundred is unreadable. */
  | 'too_many_unreadable'

export type StatementEnd =
  | {
      readonly kind: 'read'
      readonly form: TableForm
      readonly profile: StatementProfile
      readonly reckoning: Reckoning
      readonly totals: Totals
      readonly chain: ChainRead
      /** The first and last day of its lines. Null: it has none. */
      readonly from: string | null
      readonly to: string | null
      /** The first hundred. */
      readonly faults: readonly { readonly row: number; readonly code: RowFault }[]
    }
  | {
      readonly kind: 'refused'
      readonly code: StatementRefusal
      readonly line: number | null
      readonly faults: readonly { readonly row: number; readonly code: RowFault }[]
    }

export type StatementOptions = {
  /** The profile, or those among which the titles decide. */
  readonly profile: StatementProfile | 'guess'
  /** The number or IBAN of the account that the file must be about. Absent: any. */
  readonly account?: string
}

/** The rows from which the arithmetic of a file is decided. */
const ROWS_RECKONED = 10_000
const FAULTS_MAX = 100

/**
 * Reads a statement file and yields its rows as they come; the value that the generator returns has the totals, or a refusal. A refusal may come
 * after rows: the caller keeps none of a refused file. Memory is bounded, whatever the length of the file (workbooks: 128 MB and their texts).
 * No column without a place in the profile is returned, and no name.
 */
export async function* readStatement(
  source: ByteSource,
  options: StatementOptions,
): AsyncGenerator<StatementRow, StatementEnd, undefined> {
  const faults: { row: number; code: RowFault }[] = []
  let table: OpenTable | null = null
  try {
    const profiles = options.profile === 'guess' ? builtInProfiles : [options.profile]
    table = await openTable(source, (written) => profiles.some((profile) => hasTitles(written, profile)))
    return yield* readRows(table, profiles, options.account, faults)
  } catch (error) {
    if (!(error instanceof TableRefused || error instanceof Refused)) throw error
    return { kind: 'refused', code: error.code, line: error.line, faults }
  } finally {
    // A source such as an open file is closed, also when the caller stops early.
    await table?.rows.return(undefined)
  }
}

/** Ends the reading of a table that is no statement of this account. */
class Refused extends Error {
  readonly code: StatementRefusal
  readonly line: number | null

  constructor(code: StatementRefusal, line: number | null = null) {
    super(`The statement is refused: ${code}.`)
    this.code = code
    this.line = line
  }
}

async function* readRows(
  { form, facts, rows }: OpenTable,
  profiles: readonly StatementProfile[],
  account: string | undefined,
  faults: { row: number; code: RowFault }[],
): AsyncGenerator<StatementRow, StatementEnd, undefined> {
  const { profile, titles, above, body } = await findHead(rows, form, profiles)
  const named = profile.preamble?.account === undefined ? null : valueAbove(above, profile.preamble.account)
  if (account !== undefined && named !== null && !isAccount(named, account)) throw new Refused('other_account')
  const reader = createRowReader(profile, columnsIn(titles, profile))
  const tally = new Tally(faults)
  const written = writtenIn(body, reader.read)
  const first: WrittenRow[] = []
  for (let next = await written.next(); !next.done; next = await written.next()) {
    first.push(next.value)
    if (first.length === ROWS_RECKONED) break
  }
  const reckoning = reckon(first, profile)
  if (reckoning === null) throw new Refused('arithmetic_unknown')
  const settler = new Settler(reckoning, profile)
  const chain = new Chain(reckoning.order)
  const take = (ready: readonly StatementRow[]) => {
    for (const row of ready) {
      tally.add(row)
      chain.take(row)
    }
    return ready
  }
  for (const row of first) yield* take(settler.take(row))
  first.length = 0
  for await (const row of written) yield* take(settler.take(row))
  yield* take(settler.end())
  if (account !== undefined && facts.account !== null && !isAccount(facts.account, account))
    throw new Refused('other_account')
  if (facts.currency !== null && facts.currency !== profile.currency) throw new Refused('other_currency')
  if (tally.isUnreadable()) throw new Refused('too_many_unreadable', faults[0]?.row ?? null)
  const opening =
    facts.opening ?? (profile.preamble?.opening === undefined ? null : valueAbove(above, profile.preamble.opening))
  const stated = { opening: francsIn(opening), closing: francsIn(facts.closing) }
  const { totals, from, to } = tally
  return { kind: 'read', form, profile, reckoning, totals, chain: chain.end(stated), from, to, faults }
}

const francsIn = (text: string | null) => (text === null ? null : readFrancs(text))

async function* writtenIn(
  steps: AsyncGenerator<SheetRow[]>,
  read: (row: SheetRow) => WrittenRow,
): AsyncGenerator<WrittenRow> {
  for await (const rows of steps) for (const row of rows) yield read(row)
}

const formats = { csv: 'table', xlsx: 'table', xls: 'table', json: 'json', mt940: 'mt940', camt053: 'camt053' } as const

/** Finds the row of titles, and returns the rows above and below it. @throws Refused `unknown_titles` */
async function findHead(steps: AsyncGenerator<SheetRow[]>, form: TableForm, profiles: readonly StatementProfile[]) {
  const fitting = profiles.filter(({ format }) => format === formats[form])
  const looked: SheetRow[] = []
  while (looked.length < HEAD_ROWS) {
    const next = await steps.next()
    if (next.done) break
    for (const row of next.value) looked.push(row)
  }
  if (looked.length === 0) throw new Refused('empty')
  for (const [at, { cells }] of looked.slice(0, HEAD_ROWS).entries()) {
    const titles = cells.map(({ text }) => text)
    const [profile] = profilesFor(titles, fitting)
    if (profile === undefined) continue
    const above = looked.slice(0, at + 1)
    async function* body(): AsyncGenerator<SheetRow[]> {
      yield looked.slice(at + 1)
      yield* steps
    }
    return { profile, titles, above, body: body() }
  }
  throw new Refused('unknown_titles')
}

/** Whether two writings mean one account: the same letters and digits, or one the end of the other, as an account number is of its IBAN. */
export function isAccount(written: string, account: string): boolean {
  const [one, other] = [written, account].map((text) => text.replace(/[^0-9a-z]/gi, '').toUpperCase()) as [
    string,
    string,
  ]
  if (one === other) return true
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short.length >= 8 && long.endsWith(short)
}

/** Counts the rows of a file. */
class Tally {
  readonly totals = emptyTotals()
  from: string | null = null
  to: string | null = null
  readonly #faults: { row: number; code: RowFault }[]

  constructor(faults: { row: number; code: RowFault }[]) {
    this.#faults = faults
  }

  add(row: StatementRow): void {
    addTo(this.totals, row)
    const day = row.occurred_at?.slice(0, 10)
    if (row.fault !== null && this.#faults.length < FAULTS_MAX) this.#faults.push({ row: row.row, code: row.fault })
    if (day === undefined || row.fault !== null) return
    if (this.from === null || day < this.from) this.from = day
    if (this.to === null || day > this.to) this.to = day
  }

  /** Whether more than one row in a hundred is unreadable. Summaries do not count. */
  isUnreadable(): boolean {
    const { summary, unreadable, ...others } = this.totals
    const lines = Object.values(others).reduce((sum, { rows }) => sum + rows, unreadable.rows)
    return unreadable.rows * 100 > lines
  }
}
