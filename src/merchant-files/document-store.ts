import type { Db, Tx } from '../platform/postgres/database.ts'
import { insertRows } from '../platform/postgres/rows.ts'
import type { MerchantDocument } from './document.ts'

const columns = [
  ...['merchant_id', 'id', 'kind', 'about', 'status', 'asked_by', 'asked_at', 'received_by', 'received_at'],
  ...['file_type', 'bytes', 'hash', 'decided_by', 'decided_at', 'refusal'],
  ...['erased_by', 'erased_at', 'erasure_reason'],
]

const shown = (db: Db) => db`${db(columns)}, valid_until::text`

/** The most documents of a page. */
const SHOWN_MAX = 200

/** The documents of a merchant, newest first. */
export function readDocuments(db: Db, merchant_id: number): Promise<MerchantDocument[]> {
  return db<MerchantDocument[]>`
    select ${shown(db)}
      from merchant_documents
     where merchant_id = ${merchant_id}
     order by id desc
     limit ${SHOWN_MAX}`
}

/** Finds a document by its id, for the staff. Null: there is none. */
export async function findDocument(db: Db, id: string): Promise<MerchantDocument | null> {
  const [row] = await db<MerchantDocument[]>`
    select ${shown(db)}
      from merchant_documents
     where id = ${id}`
  return row ?? null
}

/** Counts the documents of a locked merchant on which nobody has decided. */
export async function countOpenDocuments(tx: Tx, merchant_id: number): Promise<number> {
  const [row] = await tx<{ open: number }[]>`
    select count(*)::integer as open
      from merchant_documents
     where merchant_id = ${merchant_id} and status in ('asked', 'received')`
  return row!.open
}

export function insertDocuments(tx: Tx, documents: readonly MerchantDocument[]): void {
  insertRows(tx, 'merchant_documents', documents)
}

/** Writes a document after a change of its state. Its merchant is locked. */
export async function updateDocument(tx: Tx, document: MerchantDocument): Promise<void> {
  const { merchant_id, id, status, received_by, received_at, file_type, bytes, hash } = document
  const { decided_by, decided_at, valid_until, refusal, erased_by, erased_at, erasure_reason } = document
  await tx`
    update merchant_documents
       set status = ${status}, received_by = ${received_by}, received_at = ${received_at}, file_type = ${file_type},
           bytes = ${bytes}, hash = ${hash}, decided_by = ${decided_by}, decided_at = ${decided_at},
           valid_until = ${valid_until}::date, refusal = ${refusal},
           erased_by = ${erased_by}, erased_at = ${erased_at}, erasure_reason = ${erasure_reason}
     where merchant_id = ${merchant_id} and id = ${id}`
}

/** Inserts the sealed pieces of a file, one statement each: a piece has a megabyte. */
export function insertPieces(
  tx: Tx,
  { merchant_id, id: document_id }: Pick<MerchantDocument, 'merchant_id' | 'id'>,
  pieces: readonly Buffer[],
): void {
  for (const [piece, sealed] of pieces.entries())
    insertRows(tx, 'merchant_document_bytes', [{ merchant_id, document_id, piece, sealed }])
}

/** Deletes the pieces of a document. The database refuses it until the row says `erased`. */
export async function deletePieces(
  tx: Tx,
  { merchant_id, id }: Pick<MerchantDocument, 'merchant_id' | 'id'>,
): Promise<void> {
  await tx`
    delete from merchant_document_bytes
     where merchant_id = ${merchant_id} and document_id = ${id}`
}

/** Reads a sealed piece. Null: there is no further one. */
export async function readPiece(
  db: Db,
  { merchant_id, id }: Pick<MerchantDocument, 'merchant_id' | 'id'>,
  piece: number,
): Promise<Buffer | null> {
  const [row] = await db<{ sealed: Buffer }[]>`
    select sealed
      from merchant_document_bytes
     where merchant_id = ${merchant_id} and document_id = ${id} and piece = ${piece}`
  return row?.sealed ?? null
}
