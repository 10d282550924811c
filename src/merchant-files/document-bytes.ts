import { derivedKey } from '../platform/config.ts'
import { sealBytes, unsealBytes } from '../platform/sealing.ts'
import type { Secret } from '../values/secret.ts'
import type { MerchantDocument } from './document.ts'

const PIECE = 1024 * 1024

const keyOf = (secretKey: Secret) => derivedKey(secretKey, 'merchant documents')
const placeOf = (document_id: string, piece: number) => `merchant document ${document_id}/${piece}`

/** Seals a file in pieces of a megabyte, for this document alone. */
export function sealFile(secretKey: Secret, document_id: string, bytes: Buffer): Buffer[] {
  const pieces = Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_, piece) => piece)
  return pieces.map((piece) =>
    sealBytes(keyOf(secretKey), bytes.subarray(piece * PIECE, (piece + 1) * PIECE), placeOf(document_id, piece)),
  )
}

/**
 * Opens the first piece of a file, and each further one as it is read.
 * @param read reads a sealed piece. Null: there is no further one
 * @throws if a piece was changed, moved or sealed with another key; the stream too, and if pieces are missing
 */
export async function openFile(
  secretKey: Secret,
  { id, bytes }: Pick<MerchantDocument, 'id' | 'bytes'>,
  read: (piece: number) => Promise<Buffer | null>,
): Promise<AsyncGenerator<Buffer>> {
  const open = async (piece: number) => {
    const sealed = await read(piece)
    return sealed && unsealBytes(keyOf(secretKey), sealed, placeOf(id, piece))
  }
  const first = await open(0)
  if (first === null) throw new Error(`The document ${id} has lost its pieces.`)
  async function* all() {
    let sent = 0
    for (let [piece, part] = [0, first]; part !== null; piece += 1, part = await open(piece)) {
      sent += part.length
      yield part
    }
    if (sent !== bytes) throw new Error(`The document ${id} has lost pieces: ${sent} bytes of ${bytes}.`)
  }
  return all()
}
