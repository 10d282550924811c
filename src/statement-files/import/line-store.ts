import type { Db, Tx } from '../../platform/postgres/database.ts'
import { given, insertRows } from '../../platform/postgres/rows.ts'
import type { LineToMatch, Match } from '../matching/match-lines.ts'
import type { RowClass } from '../profile.ts'
import type { LineState } from '../states.ts'
import type { AccountKey } from './statement-file.ts'

/** The money of a line as one file shows it, in francs. */
export type Shown = {
  readonly gross: number
  readonly fee: number
  readonly tax: number
  readonly effect: number
  readonly is_fee_known: boolean
}

export type LineRow = LineToMatch &
  Shown & {
    readonly livemode: boolean
    readonly day: string
    readonly balance: number | null
    readonly currency: string
    readonly reference: string | null
    readonly text: string | null
    readonly file_id: string
    readonly row: number
    readonly state: LineState
    readonly matched_by: Match['matched_by']
    readonly subject_id: string | null
    readonly charge: number | null
    readonly kind: Match['kind']
    /** Rows of several files made it what it is: `statement_rows` has each of them. */
    readonly is_merged: boolean
  }

/** A row of a file that is no new line. */
export type OtherRow = Shown & {
  readonly file_id: string
  readonly month: string
  readonly row: number
  readonly class: RowClass
  readonly fault: string | null
  readonly line_id: string | null
  readonly line_month: string | null
  readonly day: string | null
  readonly balance: number | null
  /** Told of its line. Null: it is no line's, or did not say. */
  readonly occurred_at: Date | null
  readonly our_reference: string | null
  readonly party: string | null
  readonly text: string | null
}

const columns = [
  ...[
    'id',
    'account',
    'livemode',
    'occurred_at',
    'class',
    'direction',
    'gross',
    'fee',
    'tax',
    'effect',
    'is_fee_known',
  ],
  ...['balance', 'currency', 'reference', 'our_reference', 'party', 'text', 'file_id', 'row', 'state', 'matched_by'],
  ...['subject_id', 'charge', 'kind', 'is_changed', 'is_merged'],
]

const shown = (db: Db) => db`${db(columns.map((column) => `l.${column}`))}, l.month::text as month, l.day::text as day`

/** The lines of one order that are compared with one another, the matched one aside. More of one order are an attack or a fault of the file. */
const RIVALS_MAX = 200

type Names = readonly { readonly id: string; readonly month: string }[]

/** Reads lines by their names. */
export function readLinesByName(db: Db, names: Names): Promise<LineRow[]> {
  if (names.length === 0) return Promise.resolve([])
  return db<LineRow[]>`${byName(db, names)}`
}

/** Reads lines by their names, and locks them until the transaction ends. */
export function lockLines(tx: Tx, names: Names): Promise<LineRow[]> {
  if (names.length === 0) return Promise.resolve([])
  return tx<LineRow[]>`${byName(tx, names)} for no key update`
}

function byName(db: Db, names: Names) {
  const months = [...new Set(names.map(({ month }) => month))]
  return db`
    select ${shown(db)}
      from statement_lines l
     where l.id = any(${names.map(({ id }) => id)}::text[]) and l.month = any(${months}::date[])
     order by l.id`
}

/** Reads the lines that name these operations, of any account and file: of each its matched line, and the earliest others. */
export function readLinesOf(db: Db, subjects: readonly string[]): Promise<LineRow[]> {
  if (subjects.length === 0) return Promise.resolve([])
  return db<LineRow[]>`
    select ${shown(db)}
      from unnest(${[...subjects]}::text[]) as s(subject_id)
     cross join lateral (
           select ${db([...columns, 'month', 'day'])}
             from statement_lines
            where subject_id = s.subject_id
            order by (state = 'matched') desc, occurred_at, id
            limit ${RIVALS_MAX + 1}) l`
}

/** Reads lines whose order had not ended when they were matched, and has ended since. At most 500. */
export function readEnded(db: Db): Promise<LineRow[]> {
  return db<LineRow[]>`
    select ${shown(db)}
      from statement_lines l
      join instruction_progress p on p.subject_id = l.subject_id and p.livemode = l.livemode
     where l.kind = 'order_open' and p.state in ('confirmed', 'refused')
     order by l.id
     limit 500`
}

/** Inserts new lines. The key refuses one that is there. Does not wait. */
export function insertLines(tx: Tx, lines: readonly LineRow[]): void {
  insertRows(tx, 'statement_lines', lines)
}

/** Deletes withdrawn lines that a file shows again: they begin anew. Does not wait. */
export function deleteWithdrawn(tx: Tx, lines: readonly LineRow[]): void {
  if (lines.length === 0) return
  tx.send(tx`
    delete from statement_lines
     where id = any(${lines.map(({ id }) => id)}::text[]) and state = 'withdrawn'`)
}

export function insertOtherRows(tx: Tx, rows: readonly OtherRow[]): void {
  insertRows(tx, 'statement_rows', rows)
}

const matchColumns = ['state', 'matched_by', 'subject_id', 'charge', 'kind'] as const
/** The columns of a line that later files and matches change. */
const changing = [
  ...['day', 'occurred_at'],
  ...['gross', 'fee', 'tax', 'effect', 'is_fee_known', 'balance', 'our_reference', 'party', 'text'],
  ...['is_changed', 'is_merged'],
  ...matchColumns,
] as const

/**
 * Writes lines that a file changed, and the matches of others, of which a file may change the rest at the same time. Orders that lines lose are free before
 * others take them, because one order has one matched line. Does not wait.
 */
export function updateLines(tx: Tx, changed: readonly LineRow[], rematched: readonly LineRow[]): void {
  const both = [...changed, ...rematched]
  if (both.length === 0) return
  tx.send(tx`
    update statement_lines l
       set state = 'unmatched'
      from ${given(tx, 'statement_lines w', both, ['id', 'month', 'state', 'subject_id'])}
     where l.id = w.id and l.month = w.month and l.state = 'matched'
       and (w.state <> 'matched' or l.subject_id <> w.subject_id)`)
  writeColumns(tx, changed, changing)
  writeColumns(tx, rematched, matchColumns)
}

function writeColumns(tx: Tx, lines: readonly LineRow[], columns: readonly (typeof changing)[number][]): void {
  if (lines.length === 0) return
  const changes = columns.map((column) => `${column} = w.${column}`).join(', ')
  tx.send(tx`
    update statement_lines l
       set ${tx.unsafe(changes)}
      from ${given(tx, 'statement_lines w', lines, ['id', 'month', ...columns])}
     where l.id = w.id and l.month = w.month and l.state <> 'withdrawn'`)
}

/** Marks lines whose money two people booked. From here on the database keeps them. Does not wait. */
export function markBooked(tx: Tx, lines: Names): void {
  for (const { id, month } of lines)
    tx.send(tx`
      update statement_lines
         set state = 'explained', matched_by = 'two_people', kind = null
       where id = ${id} and month = ${month}::date and state = 'unmatched'`)
}

/** Whether two people decided about a line of a file, which therefore cannot be taken back. */
export async function hasBooked(
  db: Db,
  {
    id,
    livemode,
    account,
    first_day,
    last_day,
  }: AccountKey & { id: string; first_day: string | null; last_day: string | null },
): Promise<boolean> {
  if (first_day === null || last_day === null) return false
  const [row] = await db<{ found: boolean }[]>`
    select exists (
           select
             from statement_lines
            where livemode = ${livemode} and account = ${account} and file_id = ${id} and matched_by = 'two_people'
              and day between date_trunc('month', ${first_day}::date) and ${last_day}::date
              and month between date_trunc('month', ${first_day}::date) and ${last_day}::date) as found`
  return row!.found
}

/** Whether a match would change what is written. */
export function isSameMatch(line: LineRow, match: Match): boolean {
  return (Object.keys(match) as (keyof Match)[]).every((key) => line[key] === match[key])
}

/** The place of the last line of a page. */
export type LinePlace = { readonly day: string; readonly id: string }

export type LinesWanted = {
  readonly livemode: boolean
  readonly account: string
  readonly from: string
  readonly to: string
  readonly file_id: string | null
  readonly state: LineState | null
  readonly after: LinePlace | null
  readonly limit: number
}

/** Reads a page of the lines of an account, by day and id: withdrawn ones only of a file, or when they are wanted. */
export function readLines(
  db: Db,
  { livemode, account, from, to, file_id, state, after, limit }: LinesWanted,
): Promise<LineRow[]> {
  return db<LineRow[]>`
    select ${shown(db)}
      from statement_lines l
     where l.livemode = ${livemode} and l.account = ${account}
       and l.day between ${from}::date and ${to}::date
       and l.month between date_trunc('month', ${from}::date) and ${to}::date
       and (${file_id}::text is null or l.file_id = ${file_id})
       and (l.state = ${state} or ${state}::text is null and (l.state <> 'withdrawn' or ${file_id}::text is not null))
       and (${after === null} or (l.day, l.id) > (${after?.day ?? from}::date, ${after?.id ?? ''}))
     order by l.day, l.id
     limit ${limit}`
}

/** Finds the place of a line. Null: there is none. */
export async function findLinePlace(db: Db, id: string): Promise<LinePlace | null> {
  const [row] = await db<LinePlace[]>`select id, day::text as day from statement_lines where id = ${id}`
  return row ?? null
}

type FileOfLines = AccountKey & { readonly id: string; readonly first_day: string; readonly last_day: string }

/**
 * Reads the lines of an account on the days of a file that name no order and have a number of their operator, in the order of their names. One with a reference of our form that we do not
 * know has a number that we do not know either.
 */
export function readNumbered(
  db: Db,
  { livemode, account, first_day, last_day }: FileOfLines,
  after: LinePlace | null,
  limit: number,
): Promise<LineRow[]> {
  return db<LineRow[]>`
    select ${shown(db)}
      from statement_lines l
     where l.livemode = ${livemode} and l.account = ${account}
       and l.day between ${first_day}::date and ${last_day}::date
       and l.month between date_trunc('month', ${first_day}::date) and ${last_day}::date
       and l.state = 'unmatched' and l.kind = 'missing_here' and l.reference is not null
       and (l.our_reference is null or l.our_reference !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')
       and (${after === null} or (l.day, l.id) > (${after?.day ?? first_day}::date, ${after?.id ?? ''}))
     order by l.day, l.id
     limit ${limit}`
}

/** Finds the operations that more than one line of an account names, if this file shows one of them. */
export async function findContested(
  tx: Tx,
  { id, livemode, account, first_day, last_day }: FileOfLines,
): Promise<string[]> {
  const rows = await tx<{ subject_id: string }[]>`
    select l.subject_id
      from statement_lines l
     where l.livemode = ${livemode} and l.account = ${account} and l.subject_id is not null
       and l.day between ${first_day}::date and ${last_day}::date
       and l.month between date_trunc('month', ${first_day}::date) and ${last_day}::date
     group by l.subject_id
    having count(*) > 1 and bool_or(l.file_id = ${id})`
  return rows.map(({ subject_id }) => subject_id)
}
