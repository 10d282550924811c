import { createHash } from 'node:crypto'
import { lockMerchant } from '../merchants/store.ts'
import { LINES_MAX } from '../payout-batches/batch.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { recallColumns } from './assign-columns.ts'
import { type BatchDraft, DRAFT_DAYS } from './batch-draft.ts'
import { type FileTable, widestTitles } from './file-table.ts'
import { type FileRead, type FileRefusal, linesByPerson, linesByTitles, readTable } from './read-file.ts'
import * as store from './store.ts'

/** The most open drafts of a merchant in one mode, because each may hold a whole file. */
export const DRAFTS_MAX = 50
/** The most characters of a batch's name, which becomes its reference (interface, payout batches). */
export const NAME_MAX = 255

/** A draft to be replaced, in the version that the person saw. */
export type Replaced = Pick<store.SeenDraft, 'draft_id' | 'version'>

export type KeepDraftResult =
  /** `beside`: the draft to be replaced had changed meanwhile, so it stays as well. */
  | { kind: 'kept'; draft_id: string; beside?: true }
  | { kind: 'refused'; refusal: FileRefusal | { code: 'too_many_drafts' } }

type Dependencies = { sql: Sql; clock: Clock }

/**
 * Reads a file and stores it with its lines as a draft. It sends nothing and judges no line. If neither the titles are known nor a person
 * of the merchant has assigned such columns before, the draft has no lines until a person assigns them (`assign-columns.ts`).
 * @param wanted `name`: empty for the name of the file. `replaces`: the draft of which this file is a corrected version, as the person saw
 * it. That draft is deleted, unless it has changed meanwhile
 */
export async function keepDraft(
  { sql, clock }: Dependencies,
  tenant: Tenant,
  wanted: { name: string; file: { name: string; bytes: Buffer }; replaces: Replaced | null },
  actor: Actor,
): Promise<KeepDraftResult> {
  const { file } = wanted
  const taken = await readTable(file.bytes)
  if (taken.kind === 'refused') return taken
  const read = await readLines(sql, tenant, taken.table)
  if (read.kind === 'refused') return read
  const file_name = nameOf(file.name)
  return insertOne({ sql, clock }, tenant, actor, {
    name: wanted.name === '' ? file_name.replace(/\.[^.]{1,5}$/, '') || file_name : wanted.name,
    file_name,
    file_sha256: createHash('sha256').update(file.bytes).digest(),
    file_content: file.bytes,
    from_batch_id: null,
    reading: read.reading,
    lines: read.lines,
    replaces: wanted.replaces,
  })
}

/** Reads the lines of a file by columns that a person assigned earlier, or by its titles. No lines when neither applies. */
async function readLines(sql: Sql, tenant: Tenant, table: FileTable): Promise<FileRead> {
  const known = await recallColumns(sql, tenant, table)
  if (known !== null) return linesByPerson(table, known)
  const read = linesByTitles(table)
  if (read.kind === 'read') return read
  const { code } = read.refusal
  if (code !== 'missing_columns' && code !== 'column_twice') return read
  // A batch needs at least two columns: the amount and the beneficiary.
  if (widestTitles(table).length < 2) return read
  if (table.count > LINES_MAX + 1) return { kind: 'refused', refusal: { code: 'too_many_lines', count: table.count } }
  return { kind: 'read', reading: { ...table.reading, ignored: [], columns: 'unknown' }, lines: [] }
}

/**
 * Inserts a draft of these lines. Refused when the merchant has too many. If a draft of the same batch's failed lines is open, it returns
 * that one. The merchant is locked, so that the second of two simultaneous calls sees the draft of the first.
 */
export async function insertOne(
  { sql, clock }: Dependencies,
  tenant: Tenant,
  actor: Actor,
  {
    replaces,
    ...draft
  }: Pick<BatchDraft, 'name' | 'file_name' | 'from_batch_id' | 'reading' | 'lines'> &
    Pick<store.NewDraft, 'file_sha256' | 'file_content'> & { replaces: Replaced | null },
): Promise<KeepDraftResult> {
  const now = clock.now()
  const id = newId('pbd', now.getTime())
  const expires_at = new Date(now.getTime() + DRAFT_DAYS * 86_400_000)
  return sql.begin(async (tx): Promise<KeepDraftResult> => {
    await lockMerchant(tx, tenant.merchant_id)
    const { from_batch_id } = draft
    const same = from_batch_id === null ? null : await store.findDraftFrom(tx, { ...tenant, batch_id: from_batch_id })
    if (same !== null) return { kind: 'kept', draft_id: same }
    const open = await store.readOpenDrafts(tx, tenant, DRAFTS_MAX + 1)
    // Checked before the deletion, so that a refused draft does not delete another.
    const staying = open.filter((one) => one.id !== replaces?.draft_id).length
    if (staying >= DRAFTS_MAX) return { kind: 'refused', refusal: { code: 'too_many_drafts' } }
    const left = replaces !== null && !(await store.deleteDraft(tx, { ...tenant, ...replaces }))
    await store.insertDraft(tx, { ...tenant, ...draft, id, made_by: actor.person, created_at: now, expires_at })
    return { kind: 'kept', draft_id: id, ...(left && { beside: true }) }
  })
}

/** Deletes an open draft in the version that the person saw. False when there is none, or it changed meanwhile. */
export function deleteOpenDraft(sql: Sql, seen: store.SeenDraft): Promise<boolean> {
  return sql.begin((tx) => store.deleteDraft(tx, seen))
}

/** Returns the file name from a path, which some browsers send, without control characters and at most `NAME_MAX` long. */
function nameOf(sent: string): string {
  const last = sent.split(/[\\/]/).at(-1) ?? ''
  const name = last
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, NAME_MAX)
  return name === '' ? 'fichier' : name.toWellFormed()
}
