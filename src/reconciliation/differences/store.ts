import type { Db, Tx } from '../../platform/postgres/database.ts'
import { given } from '../../platform/postgres/rows.ts'
import type { AccountKey } from '../../statement-files/import/statement-file.ts'
import type { DifferenceRow } from './difference.ts'
import type { DifferenceStatus } from './states.ts'

const columns = [
  ...['id', 'livemode', 'account', 'kind', 'status', 'amount', 'line_id', 'subject_id', 'file_id', 'anomaly_id'],
  ...['opened_at', 'closed_at', 'resolution', 'proposal_id'],
]
const shown = (db: Db) => db`${db(columns)}, day::text, line_month::text, due_on::text`

/** The days of one account that are compared. */
export type AccountDays = AccountKey & { readonly days: readonly string[] }

const monthsOf = (days: readonly string[]) => [...new Set(days.map((day) => `${day.slice(0, 8)}01`))]

/** The days after which an own transfer whose other half no statement shows is open: five business days, and a weekend. */
const TRANSFER_DAYS = 7

/** The lines of some days that disagree with our books. */
const found = (tx: Tx, { livemode, account, days }: AccountDays) => tx`
  differing_lines l
   where l.livemode = ${livemode} and l.account = ${account} and l.day = any(${[...days]}::date[])
     and l.month = any(${monthsOf(days)}::date[])`

/** Closes the differences whose lines agree with our books by now. */
export function closeExplained(tx: Tx, { livemode, account, days }: AccountDays): void {
  tx.send(tx`
    update differences d
       set status = 'closed', closed_at = clock_now(), resolution = 'late_line'
     where d.livemode = ${livemode} and d.account = ${account} and d.day = any(${[...days]}::date[])
       and d.status in ('waiting', 'open') and d.line_id is not null
       and not exists (select from differing_lines l where l.id = d.line_id and l.month = d.line_month)`)
}

/** Opens or changes the differences of lines that name no order of ours, in one statement: a file of somebody else has a million. */
export function openAlone(tx: Tx, period: AccountDays): void {
  tx.send(tx`
    insert into differences as d (id, livemode, account, day, kind, status, amount, line_id, line_month, due_on)
    select 'dif' || substr(l.id, 4), l.livemode, l.account, l.day, l.kind,
           case when l.kind = 'own_transfer' and l.day + ${TRANSFER_DAYS}::int >= clock_now()::date then 'waiting' else 'open' end,
           abs(l.gross), l.id, l.month, case l.kind when 'own_transfer' then l.day + ${TRANSFER_DAYS}::int end
      from ${found(tx, period)} and l.subject_id is null
        ${changes(tx)}`)
}

/** A later file, order or answer may change a difference until two people have decided it. */
export const changes = (tx: Tx) => tx`
  on conflict (id) do update
     set day = excluded.day, kind = excluded.kind, status = excluded.status, amount = excluded.amount,
         subject_id = excluded.subject_id, anomaly_id = excluded.anomaly_id, due_on = excluded.due_on,
         closed_at = null, resolution = null
   where d.proposal_id is null
     and (d.day, d.kind, d.status, d.amount, d.subject_id, d.anomaly_id, d.due_on)
         is distinct from (excluded.day, excluded.kind, excluded.status, excluded.amount, excluded.subject_id, excluded.anomaly_id,
                           excluded.due_on)`

/** A line that is about an order of ours and disagrees with it. */
export type LineAbout = {
  readonly id: string
  readonly month: string
  readonly day: string
  readonly kind: DifferenceRow['kind']
  readonly gross: number
  readonly subject_id: string
}

/** Reads such lines in the order of their ids. */
export function readAbout(tx: Tx, period: AccountDays, after: string, limit: number): Promise<LineAbout[]> {
  return tx<LineAbout[]>`
    select l.id, l.month::text, l.day::text, l.kind, l.gross, l.subject_id
      from ${found(tx, period)} and l.subject_id is not null and l.id > ${after}
     order by l.id
     limit ${limit}`
}

export type NewDifference = Omit<DifferenceRow, 'opened_at' | 'closed_at' | 'resolution' | 'proposal_id' | 'file_id'>

const fields = [
  ...(['id', 'livemode', 'account', 'day', 'kind', 'status', 'amount', 'line_id', 'line_month', 'subject_id'] as const),
  ...(['anomaly_id', 'due_on'] as const),
]

/** Opens or changes differences. */
export function openDifferences(tx: Tx, rows: readonly NewDifference[]): void {
  if (rows.length === 0) return
  tx.send(tx`
    insert into differences as d (${tx(fields)})
    select ${tx(fields)}
      from ${given(tx, 'differences w', rows, fields)}
        ${changes(tx)}`)
}

/** Opens the differences whose time to explain themselves is over. Returns their number. */
export async function openOverdue(db: Db): Promise<number> {
  const { count } = await db`
    update differences
       set status = 'open'
     where status = 'waiting' and due_on < clock_now()::date`
  return count
}

export type DifferencesWanted = {
  readonly livemode: boolean
  readonly account: string | null
  readonly day: string | null
  readonly kind: string | null
  readonly status: DifferenceStatus | null
  /** The last one of the page before. */
  readonly after: Pick<DifferenceRow, 'day' | 'id'> | null
  readonly limit: number
}

/** Reads a page of differences, oldest day first. */
export function readDifferences(
  db: Db,
  { livemode, account, day, kind, status, after, limit }: DifferencesWanted,
): Promise<DifferenceRow[]> {
  return db<DifferenceRow[]>`
    select ${shown(db)}
      from differences
     where livemode = ${livemode}
       and ${account === null ? db`true` : db`account = ${account}`}
       and ${day === null ? db`true` : db`day = ${day}::date`}
       and ${kind === null ? db`true` : db`kind = ${kind}`}
       and ${status === null ? db`true` : db`status = ${status}`}
       and ${after === null ? db`true` : db`(day, id) > (${after.day}::date, ${after.id})`}
     order by day, id
     limit ${limit}`
}

/** Reads a difference. Null: there is none. */
export async function readDifference(db: Db, id: string): Promise<DifferenceRow | null> {
  const [row] = await db<DifferenceRow[]>`select ${shown(db)} from differences where id = ${id}`
  return row ?? null
}
