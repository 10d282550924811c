import { defineEffect } from '../../platform/commands/effects.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { given, insertRows } from '../../platform/postgres/rows.ts'
import { deleteExpired, type ScanOptions } from '../../platform/postgres/upkeep/delete-expired.ts'
import type { AccountKey, FileCounts, FileRow } from './statement-file.ts'

const columns = [
  ...[
    'id',
    'account',
    'livemode',
    'source',
    'status',
    'hash',
    'bytes',
    'settings',
    'opening',
    'found',
    'counts',
    'refusal',
  ],
  ...['imported_by', 'imported_at', 'ended_at'],
]

const shown = (db: Db) => db`
  ${db(columns)}, period_from::text, period_to::text, first_day::text, last_day::text`

/** How long a process holds a file without a sign of life, in seconds. */
export const HELD_SECONDS = 60

export type NewFile = FileRow & {
  /** Sealed pieces of its bytes. None: the file is refused. */
  readonly pieces: readonly Buffer[]
}

/** Writes new files with their bytes, held by this process. */
export const addFile = defineEffect<NewFile>('statement file', (tx, files) => {
  for (const { pieces, ...file } of files) {
    const held_until = file.status === 'reading' ? heldUntil(file.imported_at) : null
    insertRows(tx, 'statement_files', [{ ...file, held_until }])
    // One statement each: a piece has a megabyte.
    for (const [piece, sealed] of pieces.entries())
      insertRows(tx, 'statement_bytes', [{ file_id: file.id, piece, sealed }])
  }
})

const heldUntil = (now: Date) => new Date(now.getTime() + HELD_SECONDS * 1_000)

/** Finds the file of these bytes that is read or counted. Null: none is. */
export async function findFileByHash(db: Db, { livemode, account }: AccountKey, hash: Buffer): Promise<FileRow | null> {
  const [row] = await db<FileRow[]>`
    select ${shown(db)}
      from statement_files
     where livemode = ${livemode} and account = ${account} and hash = ${hash} and status in ('proposed', 'reading', 'counted')`
  return row ?? null
}

/** Reads a file by its id. Null: there is none. */
export async function readFile(db: Db, id: string): Promise<FileRow | null> {
  const [row] = await db<FileRow[]>`
    select ${shown(db)}
      from statement_files
     where id = ${id}`
  return row ?? null
}

/** Locks a file until the transaction ends. */
export async function lockFile(tx: Tx, id: string): Promise<FileRow | null> {
  const [row] = await tx<FileRow[]>`
    select ${shown(tx)}
      from statement_files
     where id = ${id}
       for no key update`
  return row ?? null
}

/** Writes files after a transition. */
export function updateFiles(tx: Tx, files: readonly FileRow[]): void {
  tx.send(tx`
    update statement_files f
       set status = w.status, counts = w.counts, refusal = w.refusal, ended_at = w.ended_at, held_until = null
      from ${given(tx, 'statement_files w', files, ['id', 'status', 'counts', 'refusal', 'ended_at'])}
     where f.id = w.id`)
}

/** Lists the files of an account, or of all, newest first. @param day files that show this day. @param limit at most 500 */
export function listFiles(
  db: Db,
  {
    livemode,
    account,
    day,
    limit,
  }: {
    readonly livemode: boolean
    readonly account: string | null
    readonly day: string | null
    readonly limit: number
  },
): Promise<FileRow[]> {
  return db<FileRow[]>`
    select ${shown(db)}
      from statement_files
     where livemode = ${livemode} and (${account}::text is null or account = ${account})
       and (${day}::date is null
            or ${day}::date between coalesce(period_from, first_day) and coalesce(period_to, last_day))
     order by id desc
     limit ${limit}`
}

/** The file that is being read for an account, with whether its process still holds it. Null: none is. */
export async function readReading(
  db: Db,
  { livemode, account }: AccountKey,
): Promise<{ id: string; is_held: boolean; tries: number } | null> {
  const [row] = await db<{ id: string; is_held: boolean; tries: number }[]>`
    select id, held_until > clock_now() as is_held, tries
      from statement_files
     where livemode = ${livemode} and account = ${account} and status = 'reading'`
  return row ?? null
}

/** Takes a file that nobody holds any more, the one with the fewest tries first, for this process, and counts the try. @param id only this one */
export function takeAbandoned(db: Db, id: string | null): Promise<{ id: string; tries: number }[]> {
  return db<{ id: string; tries: number }[]>`
    update statement_files
       set held_until = clock_now() + make_interval(secs => ${HELD_SECONDS}), tries = tries + 1
     where id in (select id
                    from statement_files
                   where status = 'reading' and held_until < clock_now() and (${id}::text is null or id = ${id})
                   order by tries, id
                   limit 1
                     for no key update skip locked)
    returning id, tries`
}

/** The last days of a file, whose lines may have to be matched again. */
export type RecentFile = AccountKey & { readonly id: string; readonly first_day: string; readonly last_day: string }

/**
 * Takes a file of the last three days that was not matched for an hour, with its last five days: an operator tells its number of an order hours later, or the
 * order ends then.
 */
export function takeRecent(db: Db): Promise<RecentFile[]> {
  return db<RecentFile[]>`
    update statement_files
       set matched_at = clock_now()
     where id in (select id
                    from statement_files
                   where status = 'counted' and ended_at > clock_now() - interval '3 days'
                     and coalesce(matched_at, ended_at) < clock_now() - interval '1 hour' and first_day is not null
                   order by ended_at
                   limit 1
                     for no key update skip locked)
    returning id, livemode, account, greatest(first_day, last_day - 5)::text as first_day, last_day::text`
}

/** Says that this process still reads a file. */
export async function holdFile(db: Db, id: string): Promise<void> {
  await db`
    update statement_files
       set held_until = clock_now() + make_interval(secs => ${HELD_SECONDS})
     where id = ${id} and status = 'reading'`
}

/** Reads one sealed piece of a file. Null: there is none, or the bytes are past their retention. */
export async function readPiece(db: Db, file_id: string, piece: number): Promise<Buffer | null> {
  const [row] = await db<{ sealed: Buffer }[]>`
    select sealed
      from statement_bytes
     where file_id = ${file_id} and piece = ${piece}`
  return row?.sealed ?? null
}

/** The numbers of the chunks that are written. */
export async function readChunks(db: Db, file_id: string): Promise<ReadonlySet<number>> {
  const rows = await db<{ chunk: number }[]>`select chunk from statement_chunks where file_id = ${file_id}`
  return new Set(rows.map(({ chunk }) => chunk))
}

/** Claims a chunk for this transaction. False: it is written already, or its file was given up. */
export async function claimChunk(tx: Tx, file_id: string, chunk: number): Promise<boolean> {
  const rows = await tx`
    insert into statement_chunks (file_id, chunk, counts)
    select id, ${chunk}::int, '{}'::jsonb
      from statement_files
     where id = ${file_id} and status in ('reading', 'proposed')
       for key share
    on conflict do nothing
    returning chunk`
  return rows.length === 1
}

/** The rows of a chunk that are no new lines. The rest is counted from the lines, once all are written. */
export type ChunkCounts = { readonly known: number; readonly line_changed: number }

export function writeChunkCounts(tx: Tx, file_id: string, chunk: number, counts: ChunkCounts): void {
  tx.send(tx`
    update statement_chunks
       set counts = ${tx.json(counts)}
     where file_id = ${file_id} and chunk = ${chunk}`)
}

/** Sums the chunks of a file, and counts its new lines by what became of them. */
export async function countLines(
  tx: Tx,
  {
    id,
    livemode,
    account,
    first_day,
    last_day,
  }: Pick<FileRow, 'id' | 'livemode' | 'account' | 'first_day' | 'last_day'>,
): Promise<Omit<FileCounts, 'kinds' | 'opening_differs'> & { readonly kinds: Readonly<Record<string, number>> }> {
  const [chunks] = await tx<{ known: number; line_changed: number }[]>`
    select coalesce(sum((counts->>'known')::bigint), 0)::bigint as known,
           coalesce(sum((counts->>'line_changed')::bigint), 0)::bigint as line_changed
      from statement_chunks
     where file_id = ${id}`
  const groups = await tx<{ state: string; kind: string | null; count: number; corrected: number; amount: number }[]>`
    select state, kind, count(*) as count,
           count(*) filter (where charge is distinct from fee + tax and state = 'matched' and is_fee_known) as corrected,
           coalesce(sum(fee + tax - charge) filter (where state = 'matched' and is_fee_known), 0)::bigint as amount
      from statement_lines
     where livemode = ${livemode} and account = ${account} and file_id = ${id}
       and day between ${first_day}::date and ${last_day}::date
       and month between date_trunc('month', ${first_day}::date) and ${last_day}::date
     group by state, kind`
  const sum = (of: (group: (typeof groups)[number]) => number) => groups.reduce((total, group) => total + of(group), 0)
  const inState = (state: string) => sum((group) => (group.state === state ? group.count : 0))
  const kinds: Record<string, number> = {}
  for (const { kind, count } of groups) if (kind !== null) kinds[kind] = (kinds[kind] ?? 0) + count
  return {
    known: chunks!.known,
    ...{ matched: inState('matched'), explained: inState('explained'), waiting: inState('unmatched') },
    kinds: { ...kinds, line_changed: (kinds.line_changed ?? 0) + chunks!.line_changed },
    fee_corrections: { count: sum(({ corrected }) => corrected), amount: sum(({ amount }) => amount) },
  }
}

/** The closing balance of the last counted file before a day, and that day. Null: there is none with balances. */
export async function readClosingBefore(
  db: Db,
  { livemode, account }: AccountKey,
  day: string,
): Promise<{ closing: number; last_day: string } | null> {
  const [row] = await db<{ closing: number; last_day: string }[]>`
    select (found->'chain'->>'closing')::bigint as closing, last_day::text
      from statement_files
     where livemode = ${livemode} and account = ${account} and status = 'counted' and last_day < ${day}::date
       and found->'chain'->>'closing' is not null
     order by last_day desc, id desc
     limit 1`
  return row ?? null
}

/** Makes the partitions of the months of a file. */
export async function makeMonths(tx: Tx, first_day: string, last_day: string): Promise<void> {
  await tx`
    select make_months('statement_lines', ${first_day}::date, ${last_day}::date),
           make_months('statement_rows', ${first_day}::date, ${last_day}::date)`
}

/** Deletes the bytes of files that ended more than 400 days ago. Their hashes stay. */
export function dropOldBytes(sql: Sql, { stopping }: ScanOptions = {}): Promise<number> {
  const old = sql`
    exists (select
              from statement_files f
             where f.id = r.file_id and f.ended_at < clock_now() - make_interval(days => ${BYTES_DAYS}))`
  return deleteExpired(sql, 'statement_bytes', old, { stopping })
}

const BYTES_DAYS = 400
