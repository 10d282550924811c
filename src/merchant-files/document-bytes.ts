import { derivedKey } from '../platform/config.ts'
import { sealBytes, unsealBytes } from '../platform/sealing.ts'
import type { Secret } from '../values/secret.ts'

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
 * Opens a file piece by piece.
 * @param read reads a sealed piece. Null: there is no further one
 * @throws if a piece was changed, moved or sealed with another key
 */
export async function* openFile(
  secretKey: Secret,
  document_id: string,
  read: (piece: number) => Promise<Buffer | null>,
): AsyncGenerator<Buffer> {
  for (let piece = 0; ; piece += 1) {
    const sealed = await read(piece)
    if (sealed === null) return
    yield unsealBytes(keyOf(secretKey), sealed, placeOf(document_id, piece))
  }
}
