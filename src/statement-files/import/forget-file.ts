import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { FileRow } from './statement-file.ts'

type FileToForget = Pick<FileRow, 'id' | 'livemode' | 'account' | 'first_day' | 'last_day'>
type Name = { readonly id: string; readonly month: string }

/**
 * Deletes the rows of a file. A line of another file that it had changed gets the amounts back that its other rows show. Returns these lines.
 */
export async function forgetRows(tx: Tx, { id }: FileToForget): Promise<Name[]> {
  const seen = await tx<Name[]>`
    with gone as (delete from statement_rows where file_id = ${id} returning line_id, line_month)
    select distinct l.id, l.month::text as month
      from gone g
      join statement_lines l on l.id = g.line_id and l.month = g.line_month
     where l.is_changed and l.file_id <> ${id}`
  if (seen.length === 0) return []
  await tx`
    update statement_lines l
       set gross = r.gross, fee = r.fee, tax = r.tax, effect = r.effect, is_fee_known = r.is_fee_known,
           is_changed = r.others
      from (select distinct on (line_id, line_month)
                   line_id, line_month, gross, fee, tax, effect, is_fee_known,
                   max(concat_ws(' ', gross, fee, tax, effect)) over w
                     is distinct from min(concat_ws(' ', gross, fee, tax, effect)) over w as others
              from statement_rows
             where ${named(tx, seen, 'line_id')}
            window w as (partition by line_id, line_month)
             order by line_id, line_month, effect, gross, fee, tax) r
     where l.id = r.line_id and l.month = r.line_month`
  // Only a changed line has a row of its own first sighting.
  await tx`
    delete from statement_rows r
     using statement_lines l
     where l.id = r.line_id and l.month = r.line_month and r.file_id = l.file_id and r.row = l.row and not l.is_changed
       and ${named(tx, seen, 'r.line_id')}`
  return seen
}

const named = (db: Db, names: readonly Name[], column: string) =>
  db`${db.unsafe(column)} = any(${names.map(({ id }) => id)}::text[])`

/** Deletes the lines that no file had shown before this one. Returns the operations that lines of others name too. */
export async function forgetLines(
  tx: Tx,
  { id, livemode, account, first_day, last_day }: FileToForget,
): Promise<string[]> {
  if (first_day === null) return []
  const rows = await tx<{ subject_id: string }[]>`
    with gone as (
      delete from statement_lines
       where livemode = ${livemode} and account = ${account} and file_id = ${id}
         and day between ${first_day}::date and ${last_day}::date
         and month between date_trunc('month', ${first_day}::date) and ${last_day}::date
      returning subject_id)
    select distinct o.subject_id
      from gone g
      join statement_lines o on o.subject_id = g.subject_id
     where o.file_id <> ${id}`
  return rows.map(({ subject_id }) => subject_id)
}

/** Deletes the record of the chunks of a file. Does not wait. */
export function forgetChunks(tx: Tx, file_id: string): void {
  tx.send(tx`delete from statement_chunks where file_id = ${file_id}`)
}
