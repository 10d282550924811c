import { createHash } from 'node:crypto'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { sealBytes, unsealBytes } from '../../platform/sealing.ts'
import { BYTES_MAX } from '../../platform/tables/byte-source.ts'
import { TableRefused } from '../../platform/tables/table-refused.ts'

/** The most bytes of a file, compressed. A million lines take some fifteen million. */
export const STORED_MAX = 128 * 1024 * 1024
const PIECE = 1024 * 1024

/** A file as it is stored. */
export type StoredBytes = { readonly pieces: readonly Buffer[]; readonly hash: Buffer; readonly bytes: number }

const placeOf = (file_id: string, piece: number) => `statement file ${file_id}/${piece}`

/**
 * Compresses a file and seals it in pieces of a megabyte, for this id alone. @throws TableRefused `too_large`
 */
export async function storeBytes(
  key: Buffer,
  file_id: string,
  source: AsyncIterable<Uint8Array>,
): Promise<StoredBytes> {
  const packer = createZstdCompress()
  const hash = createHash('sha256')
  let bytes = 0
  async function feed(): Promise<void> {
    for await (const part of source) {
      bytes += part.length
      if (bytes > BYTES_MAX) throw new TableRefused('too_large')
      hash.update(part)
      if (!packer.write(part)) await drained(packer)
    }
    packer.end()
  }
  const fed = feed().catch((error: Error) => packer.destroy(error))
  const pieces: Buffer[] = []
  let waiting: Buffer[] = []
  let [size, total] = [0, 0]
  const cut = () => {
    if (size === 0) return
    pieces.push(sealBytes(key, Buffer.concat(waiting), placeOf(file_id, pieces.length)))
    waiting = []
    size = 0
  }
  for await (const part of packer as AsyncIterable<Buffer>) {
    waiting.push(part)
    size += part.length
    total += part.length
    if (total > STORED_MAX) throw new TableRefused('too_large')
    if (size >= PIECE) cut()
  }
  await fed
  cut()
  return { pieces, hash: hash.digest(), bytes }
}

function drained(packer: NodeJS.EventEmitter): Promise<void> {
  return new Promise((done) => {
    function end() {
      packer.off('drain', end).off('close', end)
      done()
    }
    packer.on('drain', end).on('close', end)
  })
}

/**
 * Opens a stored file.
 * @param read reads a sealed piece. Null: there is no further one
 * @throws if a piece was changed, moved or sealed with another key
 */
export async function* openBytes(
  key: Buffer,
  file_id: string,
  read: (piece: number) => Promise<Buffer | null>,
): AsyncGenerator<Buffer> {
  async function* packed(): AsyncGenerator<Buffer> {
    for (let piece = 0; ; piece += 1) {
      const sealed = await read(piece)
      if (sealed === null) return
      yield unsealBytes(key, sealed, placeOf(file_id, piece))
    }
  }
  const unpacker = createZstdDecompress()
  const fed = (async () => {
    for await (const part of packed()) if (!unpacker.write(part)) await drained(unpacker)
    unpacker.end()
  })().catch((error: Error) => unpacker.destroy(error))
  try {
    yield* unpacker as AsyncIterable<Buffer>
    await fed
  } finally {
    unpacker.destroy()
  }
}
