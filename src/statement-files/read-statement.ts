import type { ByteSource } from '../platform/tables/byte-source.ts'
import { type OpenTable, openTable, type TableForm } from '../platform/tables/open-table.ts'
import type { SheetRow } from '../platform/tables/read-csv.ts'
import { readDecimal } from '../platform/tables/read-francs.ts'
import { type RefusalCode, TableRefused } from '../platform/tables/table-refused.ts'
import { builtInProfiles } from './built-in-profiles.ts'
import { Chain, type ChainRead, type Reckoning, reckon, Settler, showsDirection } from './chain.ts'
import { columnsIn, HEAD_ROWS, hasTitles, profilesFor, type StatementColumns, valueAbove } from './find-columns.ts'
import type { StatementProfile } from './profile.ts'
import { createAmountReader } from './read-money.ts'
import { createRowReader, isCurrency, type RowFault, type WrittenRow } from './read-row.ts'
import { addTo, emptyTotals, moves, type StatementRow, type Totals } from './statement-row.ts'

export type StatementRefusal =
  | RefusalCode
  /** No row among the first 40 has the titles of a profile. */
  | 'unknown_titles'
  /** Amounts of one column have no minus, and neither a column nor the balances say which of them left. */
  | 'direction_unknown'
  /** A balance that the file states is no whole number of francs. */
  | 'stated_balance'
  /** No row is a line. */
  | 'no_lines'
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
      /** The moments of its first and last line, as ISO 8601. Null: it has none. */
      readonly first_moment: string | null
      readonly last_moment: string | null
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
  /** The profile, or those among which the titles decide, the first of equals; `guess`: the built-in ones. */
  readonly profile: StatementProfile | readonly StatementProfile[] | 'guess'
  /** The number or IBAN of the account that the file must be about. Absent: any. */
  readonly account?: string
  /** The balance in francs with which the account's last file closed. With `from_balance` it shows the fee of the first row. Absent: unknown. */
  readonly opening?: number
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
    const profiles = options.profile === 'guess' ? builtInProfiles : [options.profile].flat()
    table = await openTable(source, (written) => profiles.some((profile) => hasTitles(written, profile)))
    return yield* readRows(table, profiles, options, faults)
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
  { account, opening }: StatementOptions,
  faults: { row: number; code: RowFault }[],
): AsyncGenerator<StatementRow, StatementEnd, undefined> {
  const { profile, titles, above, body } = await findHead(rows, form, profiles)
  const preamble = preambleOf(above, profile)
  refuseOther(preamble, profile, account)
  const columns = columnsIn(titles, profile)
  const first_column = titles.findIndex((title) => title.trim() !== '')
  const reader = createRowReader(profile, columns, Math.max(0, first_column))
  const tally = new Tally(faults)
  const written = writtenIn(body, reader.read)
  const first: WrittenRow[] = []
  for (let next = await written.next(); !next.done; next = await written.next()) {
    first.push(next.value)
    if (first.length === ROWS_RECKONED) break
  }
  if (needsSign(profile, columns) && !showsDirection(first)) throw new Refused('direction_unknown')
  const reckoning = reckon(first, profile)
  if (reckoning === null) throw new Refused('arithmetic_unknown')
  const before = profile.arithmetic === 'from_balance' ? (opening ?? preamble.opening) : null
  const settler = new Settler(reckoning, profile, before)
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
  refuseOther(facts, profile, account)
  if (tally.isUnreadable()) throw new Refused('too_many_unreadable', faults[0]?.row ?? null)
  const stated = {
    opening: preamble.opening ?? francsIn(facts.opening) ?? before,
    closing: francsIn(facts.closing),
  }
  // A bank's message of a day without operations has no line, but its balances.
  if (tally.isEmpty() && stated.closing === null) throw new Refused('no_lines')
  const { totals, from, to, first_moment, last_moment } = tally
  const read = { kind: 'read', form, profile, reckoning, totals, from, to, first_moment, last_moment, faults } as const
  return { ...read, chain: chain.end(stated) }
}

type Preamble = { readonly account: string | null; readonly currency: string | null; readonly opening: number | null }

/** Reads what stands above the table. @throws Refused `stated_balance` */
function preambleOf(above: readonly SheetRow[], profile: StatementProfile): Preamble {
  const cellOf = (title: string | undefined) => (title === undefined ? null : valueAbove(above, title))
  const { account, currency, opening } = profile.preamble ?? {}
  const balance = createAmountReader(profile)(cellOf(opening) ?? undefined)
  if (balance === null) throw new Refused('stated_balance')
  return {
    account: cellOf(account)?.text.trim() ?? null,
    currency: cellOf(currency)?.text.trim() ?? null,
    opening: balance ?? null,
  }
}

/** @throws Refused when the account or the currency that a file states is not that of the account */
function refuseOther(
  { account, currency }: { readonly account: string | null; readonly currency: string | null },
  profile: StatementProfile,
  wanted: string | undefined,
): void {
  if (wanted !== undefined && account !== null && !isAccount(account, wanted)) throw new Refused('other_account')
  if (currency !== null && !isCurrency(currency, profile.currency)) throw new Refused('other_currency')
}

/** Whether nothing but a minus could tell the direction of the amounts. */
function needsSign({ needs_sign = false }: StatementProfile, columns: StatementColumns): boolean {
  const { amount, debit, credit, direction } = columns
  return needs_sign && amount !== undefined && direction === undefined && debit === undefined && credit === undefined
}

/** @throws Refused `stated_balance` when a message states something else than a whole number of francs */
function francsIn(text: string | null): number | null {
  if (text === null) return null
  const francs = readDecimal(text)
  if (francs === null) throw new Refused('stated_balance')
  return francs
}

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
  first_moment: string | null = null
  last_moment: string | null = null
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
    const at = row.occurred_at!
    if (!moves(row)) return
    if (this.first_moment === null || at < this.first_moment) this.first_moment = at
    if (this.last_moment === null || at > this.last_moment) this.last_moment = at
  }

  /** Whether more than one row in a hundred is unreadable. Summaries do not count. */
  isUnreadable(): boolean {
    return this.totals.unreadable.rows * 100 > this.#lines()
  }

  isEmpty(): boolean {
    return this.#lines() === 0
  }

  #lines(): number {
    const { summary, ...others } = this.totals
    return Object.values(others).reduce((sum, { rows }) => sum + rows, 0)
  }
}
