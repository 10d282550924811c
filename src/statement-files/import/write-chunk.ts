import { crashPoint } from '../../platform/crash-point.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { isBusy, violatedConstraint } from '../../platform/postgres/failures.ts'
import { findMatches } from '../matching/find-matches.ts'
import type { CarriedBy } from '../matching/match-lines.ts'
import { moves, type StatementRow } from '../statement-row.ts'
import { type ChunkCounts, claimChunk, writeChunkCounts } from './file-store.ts'
import type { LineName } from './line-names.ts'
import * as store from './line-store.ts'
import { firstSighting, isMerged, mergeSighting } from './merge-sighting.ts'
import type { FileRow } from './statement-file.ts'

/** The rows of one transaction. */
export const CHUNK_ROWS = 10_000

/** A row of a file, with the name of its line when it moved money. */
export type NamedRow = { readonly row: StatementRow; readonly name: LineName | null }

/** How often a chunk is written again after another one took an order first. */
const TRIES = 5

/** A chunk as it would be written. */
type Judged = {
  readonly fresh: readonly store.LineRow[]
  readonly changed: readonly store.LineRow[]
  /** Withdrawn lines that the chunk shows again. */
  readonly revived: readonly store.LineRow[]
  /** Lines that this chunk does not show, and that lose or gain an order by it. */
  readonly rivals: readonly store.LineRow[]
  readonly others: readonly store.OtherRow[]
  readonly counts: ChunkCounts
}

export type FileOfChunk = Pick<FileRow, 'id' | 'account' | 'livemode' | 'first_day' | 'imported_at'>

/**
 * Writes the lines and other rows of a chunk in one transaction, each once, whoever else reads the same file. A chunk that is written already stays as
 * it is.
 */
export async function writeChunk(
  sql: Sql,
  carried: CarriedBy,
  file: FileOfChunk,
  chunk: number,
  rows: readonly NamedRow[],
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await sql.begin(async (tx) => {
        await tx`set local statement_timeout = '30s'`
        await writeRows(tx, carried, file, chunk, rows)
      })
      crashPoint('after_statement_chunk')
      return
    } catch (error) {
      if (!isMet(error) || tries === TRIES) throw error
    }
  }
}

/** Writes a chunk in a transaction of its caller. */
export async function writeRows(
  tx: Tx,
  carried: CarriedBy,
  file: FileOfChunk,
  chunk: number,
  rows: readonly NamedRow[],
): Promise<void> {
  if (!(await claimChunk(tx, file.id, chunk))) return
  const judged = await judgeChunk(tx, carried, file, rows, store.lockLines)
  const { fresh, changed, revived, rivals, others, counts } = judged
  store.updateLines(tx, changed, rivals)
  store.deleteWithdrawn(tx, revived)
  store.insertLines(tx, fresh)
  store.insertOtherRows(tx, others)
  writeChunkCounts(tx, file.id, chunk, counts)
}

/** Whether two chunks in flight show the same order, or the same orders the other way round. The one that failed finds the lines of the other when it tries again. */
function isMet(error: unknown): boolean {
  return isBusy(error) || violatedConstraint(error)?.startsWith('statement_lines') === true
}

/** Decides what a chunk would write. @param read reads the lines that are there, and locks them if they will be written */
export async function judgeChunk<Reads extends Db>(
  db: Reads,
  carried: CarriedBy,
  file: FileOfChunk,
  rows: readonly NamedRow[],
  read: (db: Reads, names: readonly LineName[]) => Promise<store.LineRow[]>,
): Promise<Judged> {
  const lines = rows.filter((one): one is { row: StatementRow; name: LineName } => one.name !== null)
  const written = await read(
    db,
    lines.map(({ name }) => name),
  )
  const { revived = [], standing = [] } = Object.groupBy(written, ({ state }) =>
    state === 'withdrawn' ? 'revived' : 'standing',
  )
  const before = new Map(standing.map((line) => [line.id, line]))
  const others: store.OtherRow[] = rows.filter(({ name }) => name === null).map(({ row }) => otherRow(file, row, null))
  const merged: store.LineRow[] = []
  let [known, line_changed] = [0, 0]
  for (const { row, name } of lines) {
    const line = before.get(name.id)
    if (line === undefined) continue
    const { kind, line: after } = mergeSighting(line, { ...row, ...lineOf(file, row, name) })
    if (kind === 'known') known += 1
    else line_changed += 1
    others.push(otherRow(file, row, name))
    if (!isMerged(line, after)) continue
    // Until another row changes a line, the line alone has the words of its first one.
    if (!line.is_merged && !line.is_changed) others.push(firstSighting(line))
    merged.push({ ...after, is_merged: true })
  }
  const fresh = lines.filter(({ name }) => !before.has(name.id)).map(({ row, name }) => lineOf(file, row, name))
  const again = merged.filter((line) => line.is_changed || isMatchedOtherwise(line, before.get(line.id)!))
  const { of, older } = await findMatches(db, carried, [...fresh, ...again])
  const matched = (line: store.LineRow) => ({ ...line, ...of.get(line.id) })
  const mergedIds = new Set(merged.map(({ id }) => id))
  const rivals = older
    .filter((line) => !mergedIds.has(line.id) && !store.isSameMatch(line, of.get(line.id)!))
    .map(matched)
  return {
    fresh: fresh.map(matched),
    changed: merged.map(matched),
    revived,
    rivals,
    others,
    counts: { known, line_changed },
  }
}

/** Whether a sighting taught something on which the match of a line depends. */
function isMatchedOtherwise(line: store.LineRow, before: store.LineRow): boolean {
  const facts = ({ our_reference, party, occurred_at }: store.LineRow) => [our_reference, party, occurred_at?.getTime()]
  return String(facts(line)) !== String(facts(before))
}

/** A row of a file as its line, before it is matched. */
export function lineOf(file: FileOfChunk, row: StatementRow, { id, month, day }: LineName): store.LineRow {
  const { class: its, gross, fee, tax, effect, is_fee_known, balance, currency, reference } = row
  return {
    ...{ id, month, day, account: file.account, livemode: file.livemode },
    ...{ ...toldBy(row), class: its, direction: directionOf(row) },
    ...{ gross, fee, tax, effect, is_fee_known, balance, currency, reference },
    ...{ file_id: file.id, row: row.row, is_changed: false, is_merged: false },
    ...{ state: 'unmatched', matched_by: null, subject_id: null, charge: null, kind: null },
  }
}

/** Some files sign a fee only by its effect. */
function directionOf({ direction, effect }: StatementRow): 'in' | 'out' {
  return direction ?? (effect < 0 ? 'out' : 'in')
}

function otherRow(
  { id, first_day, imported_at }: FileOfChunk,
  row: StatementRow,
  name: LineName | null,
): store.OtherRow {
  const { class: its, fault, gross, fee, tax, effect, is_fee_known, balance, row: number } = row
  const none = { occurred_at: null, our_reference: null, party: null, text: null }
  const day = name?.day ?? dayWithin(row, first_day)
  const start = first_day ?? imported_at.toISOString().slice(0, 10)
  const month = `${(day ?? start).slice(0, 8)}01`
  return {
    ...{
      file_id: id,
      month,
      row: number,
      class: its,
      fault,
      line_id: name?.id ?? null,
      line_month: name?.month ?? null,
    },
    ...{ day, gross, fee, tax, effect, is_fee_known, balance },
    ...(name === null ? none : toldBy(row)),
  }
}

function toldBy({ occurred_at, our_reference, party, text }: StatementRow) {
  return { occurred_at: new Date(occurred_at!), our_reference, party: party?.e164 ?? null, text }
}

/** The day of a row that is no line. Days outside the file, such as that of a report, have no partition. */
function dayWithin({ occurred_at, class: its }: StatementRow, first_day: string | null): string | null {
  return its === 'failed' && occurred_at !== null && first_day !== null ? occurred_at.slice(0, 10) : null
}

/** Whether a row of a file is a line of its account. */
export const isLine = (row: StatementRow): boolean => moves(row)
