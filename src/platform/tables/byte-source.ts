import { createGunzip, type Gunzip, type InflateRaw } from 'node:zlib'
import { TableRefused } from './table-refused.ts'

/** A file: its bytes, or the pieces of a stream. */
export type ByteSource = Uint8Array | AsyncIterable<Uint8Array>

/** The most bytes of a text or of an unpacked file, and of a form that must be in memory whole. */
export const BYTES_MAX = 1024 ** 3
export const WHOLE_MAX = 128 * 1024 * 1024
/** The most rows of a file, empty ones too. */
export const ROWS_MAX = 4_000_000
/** An unpacked file may have this many times the bytes of the packed one, once it is larger than `RATIO_FREE`. */
export const RATIO_MAX = 200
const RATIO_FREE = 1024 * 1024
/** The bytes of one step: small pieces are joined and large ones cut, so that any split of a file is read alike. */
const STEP = 65_536

/** Yields the bytes of a file in pieces of 64 KiB. @throws TableRefused `too_large` beyond `max` */
export async function* piecesOf(source: ByteSource, max = BYTES_MAX): AsyncGenerator<Buffer> {
  let total = 0
  let waiting: Buffer[] = []
  let size = 0
  for await (const given of source instanceof Uint8Array ? [source] : source) {
    total += given.length
    if (total > max) throw new TableRefused('too_large')
    waiting.push(Buffer.from(given.buffer, given.byteOffset, given.length))
    size += given.length
    if (size < STEP) continue
    const joined = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting)
    let at = 0
    for (; at + STEP <= joined.length; at += STEP) yield joined.subarray(at, at + STEP)
    waiting = at === joined.length ? [] : [Buffer.from(joined.subarray(at))]
    size = joined.length - at
  }
  if (size > 0) yield Buffer.concat(waiting)
}

/** Waits until an unpacker takes more bytes, or is closed. */
function drained(unpacker: Gunzip | InflateRaw): Promise<void> {
  return new Promise((done) => {
    function end() {
      unpacker.off('drain', end).off('close', end)
      done()
    }
    unpacker.on('drain', end).on('close', end)
  })
}

/** Unpacks a stream, and stops at `max` bytes or at the ratio. @throws TableRefused */
export async function* unpacked(
  pieces: AsyncIterable<Buffer>,
  unpacker: Gunzip | InflateRaw,
  max = BYTES_MAX,
): AsyncGenerator<Buffer> {
  let [packed, total] = [0, 0]
  const feed = async () => {
    for await (const piece of pieces) {
      packed += piece.length
      if (unpacker.destroyed) return
      if (!unpacker.write(piece)) await drained(unpacker)
    }
    unpacker.end()
  }
  let fault: Error | null = null
  const fed = feed().catch((error: Error) => {
    fault = error
    unpacker.destroy(error)
  })
  try {
    for await (const piece of unpacker as AsyncIterable<Buffer>) {
      total += piece.length
      if (total > max || total > RATIO_FREE + packed * RATIO_MAX) throw new TableRefused('too_large')
      yield piece
    }
    await fed
  } catch (error) {
    // A fault of the source, such as a disk that fails, is not the file's.
    throw fault ?? (error instanceof TableRefused ? error : new TableRefused('damaged'))
  } finally {
    unpacker.destroy()
  }
}

/** Unpacks a file of gzip. @throws TableRefused */
export const gunzipped = (pieces: AsyncIterable<Buffer>) => piecesOf(unpacked(pieces, createGunzip()))

/** Reads a file whole. @throws TableRefused `too_large` */
export async function wholeOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    if (size > WHOLE_MAX) throw new TableRefused('too_large')
    all.push(piece)
  }
  return Buffer.concat(all)
}
