import { createCipheriv, createDecipheriv } from 'node:crypto'
import { ArchiveDamaged } from './archive-damaged.ts'
import { createByteReader } from './byte-reader.ts'

/** Bytes of a frame before it is sealed. The memory of a reader and of a writer is a few frames. */
const FRAME_BYTES = 256 * 1024
const TAG_BYTES = 16
/** Bit of a frame's length that marks the last frame, so that a file cut after a whole frame is found out. */
const LAST = 0x8000_0000

/** The nonce of a frame: its number, and whether it is the last. A key seals one archive only, so no nonce occurs twice. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(number), 0)
  nonce.writeUInt32BE(Number(isLast), 8)
  return nonce
}

/**
 * Seals a stream in frames of AES-256-GCM. `about` is text beside the frames that is sealed with them, but stays readable.
 * @param key 32 bytes that seal nothing else
 */
export async function* seal(key: Buffer, about: Buffer, plain: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let number = 0
  const frame = (piece: Buffer, isLast: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number, isLast))
    number += 1
    cipher.setAAD(about)
    const sealed = Buffer.concat([cipher.update(piece), cipher.final()])
    const length = Buffer.alloc(4)
    length.writeUInt32BE((sealed.length | (isLast ? LAST : 0)) >>> 0)
    return Buffer.concat([length, sealed, cipher.getAuthTag()])
  }
  let waiting: Buffer[] = []
  let size = 0
  for await (const piece of plain) {
    waiting.push(piece)
    size += piece.length
    if (size < FRAME_BYTES) continue
    let all = Buffer.concat(waiting)
    for (; all.length >= FRAME_BYTES; all = all.subarray(FRAME_BYTES)) yield frame(all.subarray(0, FRAME_BYTES), false)
    waiting = [all]
    size = all.length
  }
  yield frame(Buffer.concat(waiting), true)
}

/**
 * Opens what `seal` sealed.
 * @throws ArchiveDamaged when a byte differs, a frame is absent, or bytes follow the last one
 */
export async function* unseal(key: Buffer, about: Buffer, sealed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const reader = createByteReader(sealed)
  for (let number = 0; ; number += 1) {
    const word = (await reader.take(4)).readUInt32BE()
    const isLast = (word & LAST) !== 0
    const length = word & ~LAST
    if (length > FRAME_BYTES) throw new ArchiveDamaged()
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, isLast))
    decipher.setAAD(about)
    const piece = decipher.update(await reader.take(length))
    decipher.setAuthTag(await reader.take(TAG_BYTES))
    try {
      decipher.final()
    } catch {
      throw new ArchiveDamaged()
    }
    yield piece
    if (!isLast) continue
    if (!(await reader.isAtEnd())) throw new ArchiveDamaged()
    return
  }
}
