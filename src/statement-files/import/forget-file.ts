import type { Db, Tx } from '../../platform/postgres/database.ts'
import { rematchLines, settleOrders } from '../matching/match-file.ts'
import type { CarriedBy } from '../matching/match-lines.ts'
import type { OtherRow } from './line-store.ts'
import * as lines from './line-store.ts'
import { isOtherwise, mergeAll } from './merge-sighting.ts'
import type { FileRow } from './statement-file.ts'

type FileToForget = Pick<FileRow, 'id' | 'livemode' | 'account' | 'first_day' | 'last_day'>
type Name = { readonly id: string; readonly month: string }

const PAGE = 2_000

/**
 * Takes back what a file showed: lines that no other file shows go, and the others are what their other files say of them. Orders that lines lose go to the next
 * lines. The caller holds the account, so that no other file of it is being written.
 * @param gone `withdrawn`: lines that go stay to be read; `deleted`: they never counted
 */
export async function forgetFile(
  tx: Tx,
  carried: CarriedBy,
  file: FileToForget,
  gone: 'withdrawn' | 'deleted',
): Promise<void> {
  const taught = await forgetRows(tx, file)
  if (file.first_day === null) return
  const handed = await handOver(tx, file)
  const lost = new Set(await readShared(tx, file))
  if (gone === 'withdrawn') withdrawLines(tx, file)
  else deleteLines(tx, file)
  const names = [...taught, ...handed]
  for (let at = 0; at < names.length; at += PAGE)
    for (const subject of await mergeAgain(tx, carried, names.slice(at, at + PAGE))) lost.add(subject)
  await settleOrders(tx, carried, file.livemode, [...lost])
}

/** Deletes the rows of a file. Returns the lines of other files of which they may have changed something. */
function forgetRows(tx: Tx, { id }: FileToForget): Promise<Name[]> {
  return tx<Name[]>`
    with gone as (delete from statement_rows where file_id = ${id} returning line_id, line_month)
    select distinct l.id, l.month::text as month
      from gone g
      join statement_lines l on l.id = g.line_id and l.month = g.line_month
     where (l.is_merged or l.is_changed) and l.file_id <> ${id}
     order by 1`
}

// Another file may have told an earlier day of the month.
const ofFile = (db: Db, { id, livemode, account, first_day, last_day }: FileToForget) => db`
  l.livemode = ${livemode} and l.account = ${account} and l.file_id = ${id}
  and l.day between date_trunc('month', ${first_day}::date) and ${last_day}::date
  and l.month between date_trunc('month', ${first_day}::date) and ${last_day}::date`

/** Gives the lines that other files show too to the earliest of these. */
function handOver(tx: Tx, file: FileToForget): Promise<Name[]> {
  return tx<Name[]>`
    update statement_lines w
       set file_id = r.file_id, row = r.row
      from (select distinct on (o.line_id, o.line_month) o.line_id, o.line_month, o.file_id, o.row
              from statement_lines l
              join statement_rows o on o.line_id = l.id and o.line_month = l.month
             where ${ofFile(tx, file)}
             order by o.line_id, o.line_month, o.file_id, o.row) r
     where w.id = r.line_id and w.month = r.line_month
    returning w.id, w.month::text as month`
}

/** The operations that a line of this file and one of another file name. */
async function readShared(tx: Tx, file: FileToForget): Promise<string[]> {
  const rows = await tx<{ subject_id: string }[]>`
    select distinct o.subject_id
      from statement_lines l
      join statement_lines o on o.subject_id = l.subject_id and o.file_id <> l.file_id
     where ${ofFile(tx, file)}`
  return rows.map(({ subject_id }) => subject_id)
}

function withdrawLines(tx: Tx, file: FileToForget): void {
  tx.send(tx`
    update statement_lines l
       set state = 'withdrawn', matched_by = null, subject_id = null, charge = null, kind = null,
           is_merged = false, is_changed = false
     where ${ofFile(tx, file)}`)
}

function deleteLines(tx: Tx, file: FileToForget): void {
  tx.send(tx`delete from statement_lines l where ${ofFile(tx, file)}`)
}

/** Makes lines again from the rows that are left of them. Returns the operations that they no longer name. */
async function mergeAgain(tx: Tx, carried: CarriedBy, names: readonly Name[]): Promise<string[]> {
  const written = await lines.lockLines(tx, names)
  const rows = Map.groupBy(await readSightings(tx, names), ({ line_id, line_month }) => `${line_id} ${line_month}`)
  const changed = written.map((line) => mergeAll(line, rows.get(`${line.id} ${line.month}`) ?? []))
  const apart = changed.filter((line, at) => isOtherwise(written[at]!, line))
  const lost = written.flatMap(({ subject_id }, at) =>
    subject_id !== null && changed[at]!.subject_id !== subject_id ? [subject_id] : [],
  )
  lines.updateLines(tx, changed, [])
  forgetFirstRows(
    tx,
    changed.filter(({ is_merged }) => !is_merged),
  )
  await rematchLines(tx, carried, apart)
  return lost
}

function readSightings(tx: Tx, names: readonly Name[]): Promise<OtherRow[]> {
  return tx<OtherRow[]>`
    select file_id, row, month::text as month, class, fault, line_id, line_month::text as line_month, day::text as day,
           gross, fee, tax, effect, is_fee_known, balance, occurred_at, our_reference, party, text
      from statement_rows
     where line_id = any(${names.map(({ id }) => id)}::text[])
     order by file_id, row`
}

/** Only a line that several rows made has a row of its own first sighting. Does not wait. */
function forgetFirstRows(tx: Tx, of: readonly Name[]): void {
  if (of.length === 0) return
  tx.send(tx`
    delete from statement_rows r
     using statement_lines l
     where r.line_id = any(${of.map(({ id }) => id)}::text[])
       and l.id = r.line_id and l.month = r.line_month and r.file_id = l.file_id and r.row = l.row`)
}

/** Deletes the record of the chunks of a file. Does not wait. */
export function forgetChunks(tx: Tx, file_id: string): void {
  tx.send(tx`delete from statement_chunks where file_id = ${file_id}`)
}
