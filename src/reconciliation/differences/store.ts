import type { Db, Tx } from '../../platform/postgres/database.ts'
import { given } from '../../platform/postgres/rows.ts'
import type { ChangedDay } from '../../statement-files/import/changed-days.ts'
import type { AccountKey } from '../../statement-files/import/statement-file.ts'
import { anomalyKinds, type DifferenceRow } from './difference.ts'
import type { DifferenceStatus } from './states.ts'

const columns = [
  ...['id', 'livemode', 'account', 'kind', 'status', 'amount', 'line_id', 'subject_id', 'file_id', 'anomaly_id'],
  ...['opened_at', 'closed_at', 'resolution', 'proposal_id'],
]
const shown = (db: Db) => db`${db(columns)}, day::text, line_month::text, due_on::text`

/** The days of one account that are compared. */
export type AccountDays = AccountKey & { readonly days: readonly string[] }

export const monthsOf = (days: readonly string[]) => [...new Set(days.map((day) => `${day.slice(0, 8)}01`))]

/** The lines of some days that disagree with our books. */
const found = (tx: Tx, { livemode, account, days }: AccountDays) => tx`
  differing_lines l
   where l.livemode = ${livemode} and l.account = ${account} and l.day = any(${[...days]}::date[])
     and l.month = any(${monthsOf(days)}::date[])`

/** Closes the differences whose lines agree with our books by now. Returns the ids of their anomalies. */
export async function closeExplained(tx: Tx, { livemode, account, days }: AccountDays): Promise<string[]> {
  const rows = await tx<{ anomaly_id: string }[]>`
    with explained as (
      update differences d
         set status = 'closed', closed_at = clock_now(), resolution = 'late_line'
       where d.livemode = ${livemode} and d.account = ${account} and d.day = any(${[...days]}::date[])
         and d.status in ('waiting', 'open') and d.line_id is not null
         and not exists (select from differing_lines l where l.id = d.line_id and l.month = d.line_month)
      returning d.anomaly_id)
    select anomaly_id from explained where anomaly_id is not null`
  return rows.map(({ anomaly_id }) => anomaly_id)
}

/**
 * Opens or changes the differences of lines that name no order of ours, in one statement: a file of somebody else has a million. Own transfers, and the lines of banks,
 * wait until matching finds their other half; it does not look for one yet.
 */
export function openAlone(tx: Tx, period: AccountDays, kind: 'wallet' | 'bank' | 'safeguarding'): void {
  const waiting = kind === 'wallet' ? ['own_transfer'] : ['own_transfer', 'missing_here']
  tx.send(tx`
    insert into differences as d (id, livemode, account, day, kind, status, amount, line_id, line_month)
    select 'dif' || substr(l.id, 4), l.livemode, l.account, l.day, l.kind,
           case when l.kind = any(${waiting}::text[]) then 'waiting' else 'open' end, abs(l.gross), l.id, l.month
      from ${found(tx, period)} and l.subject_id is null
        ${changes(tx)}`)
}

/** A later file, order or answer may change a difference until two people have decided it. */
export const changes = (tx: Tx) => tx`
  on conflict (id) do update
     set day = excluded.day, kind = excluded.kind, status = excluded.status, amount = excluded.amount,
         subject_id = excluded.subject_id, anomaly_id = excluded.anomaly_id, due_on = excluded.due_on,
         closed_at = excluded.closed_at, resolution = excluded.resolution
   where d.proposal_id is null
     and (d.day, d.kind, d.status, d.amount, d.subject_id, d.anomaly_id, d.due_on, d.resolution)
         is distinct from (excluded.day, excluded.kind, excluded.status, excluded.amount, excluded.subject_id, excluded.anomaly_id,
                           excluded.due_on, excluded.resolution)`

/** A line that is about an order of ours and disagrees with it. */
export type LineAbout = {
  readonly id: string
  readonly month: string
  readonly day: string
  readonly kind: DifferenceRow['kind']
  readonly gross: number
  readonly subject_id: string
}

/** Reads such lines by day and id. */
export function readAbout(tx: Tx, period: AccountDays, after: LineAbout | null, limit: number): Promise<LineAbout[]> {
  const [first] = [...period.days].sort()
  return tx<LineAbout[]>`
    select l.id, l.month::text as month, l.day::text as day, l.kind, l.gross, l.subject_id
      from ${found(tx, period)} and l.subject_id is not null
       and (l.day, l.id) > (${after?.day ?? first!}::date, ${after?.id ?? ''})
     order by l.day, l.id
     limit ${limit}`
}

/** Reads the anomalies of differences that are there, by their ids. */
export async function readStanding(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<DifferenceRow, 'status' | 'anomaly_id'>>> {
  const rows = await tx<Pick<DifferenceRow, 'id' | 'status' | 'anomaly_id'>[]>`
    select id, status, anomaly_id
      from differences
     where id = any(${[...ids]}::text[])`
  return new Map(rows.map((row) => [row.id, row]))
}

/** The most open anomalies about the lines of one account: a forged file may name any number of orders. */
const ANOMALIES_MAX = 1_000

/** Counts the anomalies that an account may open. */
export async function countRoom(db: Db, { livemode, account }: AccountKey): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) as count
      from (select
              from differences
             where livemode = ${livemode} and account = ${account} and status = 'open' and anomaly_id is not null
             limit ${ANOMALIES_MAX}) o`
  return ANOMALIES_MAX - row!.count
}

/** Finds of each account the oldest day with differences that found no room for their anomaly. */
export function readCrowded(db: Db): Promise<ChangedDay[]> {
  return db<ChangedDay[]>`
    select livemode, account, min(day)::text as day
      from differences
     where status = 'open' and anomaly_id is null and subject_id is not null and line_id is not null
       and kind = any(${Object.keys(anomalyKinds)}::text[])
     group by livemode, account`
}

/** Closes open differences whose anomaly people have closed. */
export async function closeDecided(db: Db): Promise<void> {
  await db`
    update differences
       set status = 'closed', closed_at = clock_now(), resolution = 'anomaly'
     where id in (select d.id
                    from differences d
                    join reported_anomalies a on a.id = d.anomaly_id
                   where d.status = 'open' and d.anomaly_id is not null and a.closed_at is not null
                   limit 1000
                     for no key update of d skip locked)`
}

export type NewDifference = Omit<DifferenceRow, 'opened_at' | 'closed_at' | 'proposal_id' | 'file_id'>

const fields = [
  ...(['id', 'livemode', 'account', 'day', 'kind', 'status', 'amount', 'line_id', 'line_month', 'subject_id'] as const),
  ...(['anomaly_id', 'due_on', 'resolution'] as const),
]

/** Opens or changes differences. */
export function openDifferences(tx: Tx, rows: readonly NewDifference[]): void {
  if (rows.length === 0) return
  tx.send(tx`
    insert into differences as d (${tx(fields)}, closed_at)
    select ${tx(fields)}, case status when 'closed' then clock_now() end
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
