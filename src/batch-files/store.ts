import type { Db, Tx } from '../platform/postgres/database.ts'
import { findKeyById } from '../platform/postgres/rows.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import type { AssignedColumns, BatchDraft, Reading } from './batch-draft.ts'

export type DraftKey = Tenant & { draft_id: string }
/** A draft in the version that a person saw. */
export type SeenDraft = DraftKey & { version: number }

/** The columns of a draft, without the bytes of its file. */
const columns = [
  'merchant_id',
  'livemode',
  'id',
  'name',
  'file_name',
  'from_batch_id',
  'reading',
  'lines',
  'version',
  'made_by',
  'created_at',
  'expires_at',
]

export type NewDraft = Omit<BatchDraft, 'batch_id' | 'version' | 'file_sha256'> & {
  readonly file_sha256: Buffer | null
  readonly file_content: Buffer | null
}

/** Inserts a draft. */
export async function insertDraft(tx: Tx, draft: NewDraft): Promise<void> {
  const { merchant_id, livemode, id, name, file_name, file_sha256, file_content, from_batch_id } = draft
  await tx`
    insert into batch_drafts
      (merchant_id, livemode, id, name, file_name, file_sha256, file_content, from_batch_id, reading, lines, made_by,
       created_at, expires_at)
    values (${merchant_id}, ${livemode}, ${id}, ${name}, ${file_name}, ${file_sha256}, ${file_content}, ${from_batch_id},
            ${tx.json(draft.reading)}, ${tx.json(draft.lines)}, ${draft.made_by}, ${draft.created_at}, ${draft.expires_at})`
}

/** Reads a draft that has not lapsed or became a batch. Null when it is not this merchant's. */
export async function readDraft(db: Db, { merchant_id, livemode, draft_id }: DraftKey): Promise<BatchDraft | null> {
  const [row] = await db<BatchDraft[]>`
    select ${db(columns.map((column) => `d.${column}`))}, encode(d.file_sha256, 'hex') as file_sha256, b.batch_id
      from batch_drafts d
      left join drafted_batches b on b.merchant_id = d.merchant_id and b.livemode = d.livemode and b.draft_id = d.id
     where d.merchant_id = ${merchant_id} and d.livemode = ${livemode} and d.id = ${draft_id}
       and (d.expires_at > clock_now() or b.batch_id is not null)`
  return row ?? null
}

/** Locks an open draft until the transaction ends, so that it does not become a batch meanwhile. Null when there is none. */
export async function lockDraft(tx: Tx, key: DraftKey): Promise<BatchDraft | null> {
  const draft = await lockDraftOrBatch(tx, key)
  return draft === null || draft.batch_id !== null ? null : draft
}

/** Locks a draft until the transaction ends, also one that became a batch. Null when there is none. */
export async function lockDraftOrBatch(tx: Tx, key: DraftKey): Promise<BatchDraft | null> {
  const { merchant_id, livemode, draft_id } = key
  await tx`
    select id
      from batch_drafts
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${draft_id}
       for update`
  return readDraft(tx, key)
}

/** Writes the lines of a locked draft. @param reading present when the file was read again */
export async function updateLines(
  tx: Tx,
  { merchant_id, livemode, draft_id }: DraftKey,
  lines: BatchDraft['lines'],
  reading?: Reading,
): Promise<void> {
  await tx`
    update batch_drafts
       set lines = ${tx.json(lines)}, version = version + 1 ${reading === undefined ? tx`` : tx`, reading = ${tx.json(reading)}`}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${draft_id}`
}

/** Deletes an open draft in the version that the person saw. False when there is none, or it changed meanwhile. */
export async function deleteDraft(tx: Tx, seen: SeenDraft): Promise<boolean> {
  const draft = await lockDraft(tx, seen)
  if (draft === null || draft.version !== seen.version) return false
  const { merchant_id, livemode, draft_id } = seen
  await tx`
    delete from batch_drafts
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${draft_id}`
  return true
}

/** Records the batch of a draft, in the transaction that makes the batch. A second batch or another version fails the transaction. */
export function insertDraftedBatch(tx: Tx, made: SeenDraft & { batch_id: string }): void {
  tx.send(tx`
    insert into drafted_batches (merchant_id, livemode, draft_id, version, batch_id)
    values (${made.merchant_id}, ${made.livemode}, ${made.draft_id}, ${made.version}, ${made.batch_id})`)
}

/** A draft in a list. */
export type ListedDraft = Pick<BatchDraft, 'id' | 'name' | 'file_name' | 'made_by' | 'created_at' | 'expires_at'> & {
  readonly line_count: number
  /** Whether nobody has assigned the columns of its file yet. */
  readonly columns_unknown: boolean
}

/** Lists open drafts, newest first. */
export async function readOpenDrafts(db: Db, { merchant_id, livemode }: Tenant, limit: number): Promise<ListedDraft[]> {
  return db<ListedDraft[]>`
    select d.id, d.name, d.file_name, d.made_by, d.created_at, d.expires_at, jsonb_array_length(d.lines) as line_count,
           d.reading ->> 'columns' is not distinct from 'unknown' as columns_unknown
      from batch_drafts d
     where d.merchant_id = ${merchant_id} and d.livemode = ${livemode} and d.expires_at > clock_now()
       and not exists (
          select from drafted_batches b
           where b.merchant_id = d.merchant_id and b.livemode = d.livemode and b.draft_id = d.id)
     order by d.id desc
     limit ${limit}`
}

/** An earlier draft of the same file, and the batch that was made of it. */
export type FormerFile = { readonly draft_id: string; readonly created_at: Date; readonly batch_id: string | null }

/**
 * Reads another draft with the same file, or of the same batch's failed lines: the newest that became a batch, also a later draft, because
 * its money may be on its way; otherwise the newest earlier draft. Null when there is none.
 */
export async function readFormerFile(db: Db, draft: BatchDraft): Promise<FormerFile | null> {
  const { merchant_id, livemode } = tenantOf(draft)
  const same =
    draft.file_sha256 === null
      ? db`d.from_batch_id = ${draft.from_batch_id}`
      : db`d.file_sha256 = decode(${draft.file_sha256}, 'hex')`
  const [row] = await db<FormerFile[]>`
    select d.id as draft_id, d.created_at, b.batch_id
      from batch_drafts d
      left join drafted_batches b on b.merchant_id = d.merchant_id and b.livemode = d.livemode and b.draft_id = d.id
     where d.merchant_id = ${merchant_id} and d.livemode = ${livemode}
       and ${same} and d.id <> ${draft.id} and (d.id < ${draft.id} or b.batch_id is not null)
       and (d.expires_at > clock_now() or b.batch_id is not null)
     order by b.batch_id is null, d.id desc
     limit 1`
  return row ?? null
}

/** Finds the open draft of the failed lines of a batch. Null when there is none. */
export async function findDraftFrom(
  db: Db,
  { merchant_id, livemode, batch_id }: Tenant & { batch_id: string },
): Promise<string | null> {
  const [row] = await db<{ id: string }[]>`
    select d.id
      from batch_drafts d
     where d.merchant_id = ${merchant_id} and d.livemode = ${livemode} and d.from_batch_id = ${batch_id}
       and d.expires_at > clock_now()
       and not exists (
          select from drafted_batches b
           where b.merchant_id = d.merchant_id and b.livemode = d.livemode and b.draft_id = d.id)
     order by d.id desc
     limit 1`
  return row?.id ?? null
}

/** Reads the draft of a batch. Null when the API made the batch. */
export async function readDraftOfBatch(
  db: Db,
  { merchant_id, livemode, batch_id }: Tenant & { batch_id: string },
): Promise<BatchDraft | null> {
  const [row] = await db<{ draft_id: string }[]>`
    select draft_id
      from drafted_batches
     where merchant_id = ${merchant_id} and livemode = ${livemode} and batch_id = ${batch_id}`
  return row === undefined ? null : readDraft(db, { merchant_id, livemode, ...row })
}

/** Reads the bytes of a draft's file. Null when it has none, or is not this merchant's. */
export async function readFileContent(
  db: Db,
  { merchant_id, livemode, draft_id }: DraftKey,
): Promise<{ file_name: string; file_content: Buffer; rows: number } | null> {
  const [row] = await db<{ file_name: string; file_content: Buffer; rows: number }[]>`
    select file_name, file_content, jsonb_array_length(lines) as rows
      from batch_drafts
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${draft_id} and file_name is not null`
  return row ?? null
}

type Header = Tenant & { header_sha256: Buffer }

/**
 * Stores the columns of a header in place of earlier ones. Beyond the limit it deletes the headers assigned longest ago, so that the table
 * stays small.
 */
export async function rememberColumns(
  tx: Tx,
  {
    merchant_id,
    livemode,
    header_sha256,
    columns: at,
    assigned_by,
  }: Header & { columns: AssignedColumns['at']; assigned_by: string },
  headers_max: number,
): Promise<void> {
  await tx`
    insert into batch_file_columns as c (merchant_id, livemode, header_sha256, columns, assigned_by)
    values (${merchant_id}, ${livemode}, ${header_sha256}, ${tx.json(at)}, ${assigned_by})
    on conflict (merchant_id, livemode, header_sha256) do update
      set columns = excluded.columns, assigned_by = excluded.assigned_by, assigned_at = excluded.assigned_at`
  await tx`
    delete from batch_file_columns
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and header_sha256 in (
         select header_sha256
           from batch_file_columns
          where merchant_id = ${merchant_id} and livemode = ${livemode}
          order by assigned_at desc
         offset ${headers_max})`
}

/** Finds the columns that a person assigned for this header. Null when nobody has. */
export async function findColumns(
  db: Db,
  { merchant_id, livemode, header_sha256 }: Header,
): Promise<{ columns: AssignedColumns['at']; assigned_by: string } | null> {
  const [row] = await db<{ columns: AssignedColumns['at']; assigned_by: string }[]>`
    select columns, assigned_by
      from batch_file_columns
     where merchant_id = ${merchant_id} and livemode = ${livemode} and header_sha256 = ${header_sha256}`
  return row ?? null
}

/** Finds the merchant of a draft by its identifier, for the staff. */
export const findDraftAnywhere = (db: Db, id: string): Promise<Tenant | null> =>
  findKeyById(db, 'batch_drafts', 'id', id)
