import { constants, crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib'

/** One file of an archive. Its content comes in short texts. */
export type ZipEntry = {
  /** In ASCII. */
  readonly name: string
  readonly parts: Iterable<readonly string[]> | AsyncIterable<readonly string[]>
}

/** The most bytes of an archive and of a file in it. Beyond this the format needs fields that we do not write. */
const SIZE_MAX = 0xffff_ffff

/** Sizes come after the content (bit 3), names are UTF-8 (bit 11). */
const FLAGS = 0x0808
const DEFLATED = 8
const VERSION = 20
/** The first of January 1980 for every file, so that the same rows give the same bytes. */
const DOS_DATE = 0x21

/**
 * Writes an archive (APPNOTE 6.3.3) as a stream, with only the current part in memory. It reads an entry to its end before the next one.
 * @throws RangeError when a file or the archive grows beyond four gigabytes
 */
export async function* zip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = []
  let offset = 0
  for await (const { name, parts } of entries) {
    const began = offset
    const head = localHeader(name)
    yield head
    offset += head.length
    const content = { crc: 0, size: 0, packed: 0 }
    for await (const bytes of deflated(parts, content)) {
      content.packed += bytes.length
      yield bytes
    }
    offset += content.packed
    if (Math.max(content.size, offset) > SIZE_MAX) throw new RangeError(`${name} makes the archive too large.`)
    const sizes = sizesOf(content)
    const descriptor = Buffer.concat([signature(0x08074b50), sizes])
    yield descriptor
    offset += descriptor.length
    directory.push(directoryEntry(name, sizes, began))
  }
  const central = Buffer.concat(directory)
  yield central
  yield endOf(directory.length, central.length, offset)
}

type Content = { crc: number; size: number; packed: number }

/** The most bytes that are deflated together. */
const ROOM = 262_144
/** The most bytes of UTF-8 for one code unit of a string. */
const BYTES_MAX = 3

/**
 * Deflates texts as one file. They gather in a buffer. All output of a full buffer is read before the next text, so that memory holds no
 * more. One engine and one buffer serve all texts: with new ones for each short text, some fifty megabytes would wait for the garbage
 * collector.
 */
async function* deflated(parts: ZipEntry['parts'], content: Content): AsyncGenerator<Buffer> {
  // The engine never waits for its reader, because `flushed` takes all output of a buffer at once.
  const options = { level: constants.Z_BEST_SPEED, readableHighWaterMark: SIZE_MAX }
  const engine = createDeflateRaw(options)
  let room = Buffer.allocUnsafeSlow(ROOM)
  let used = 0
  const deflate = (kind: number) => {
    const bytes = room.subarray(0, used)
    content.crc = crc32(bytes, content.crc)
    content.size += used
    used = 0
    engine.write(bytes)
    return flushed(engine, kind)
  }
  try {
    for await (const texts of parts) {
      for (const text of texts) {
        const most = text.length * BYTES_MAX
        if (used + most > room.length) yield* await deflate(constants.Z_SYNC_FLUSH)
        if (most > room.length) room = Buffer.allocUnsafeSlow(most)
        used += room.write(text, used)
      }
    }
    yield* await deflate(constants.Z_FINISH)
  } finally {
    engine.close()
  }
}

/** Returns all output of an engine so far, in pieces: each `read` returns one. */
function flushed(engine: DeflateRaw, kind: number): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    engine.once('error', reject)
    engine.flush(kind, () => {
      engine.off('error', reject)
      const pieces: Buffer[] = []
      for (let piece = engine.read(); piece !== null; piece = engine.read()) pieces.push(piece)
      resolve(pieces)
    })
  })
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function localHeader(name: string): Buffer {
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(VERSION, 4)
  head.writeUInt16LE(FLAGS, 6)
  head.writeUInt16LE(DEFLATED, 8)
  head.writeUInt16LE(DOS_DATE, 12)
  head.writeUInt16LE(Buffer.byteLength(name), 26)
  return Buffer.concat([head, Buffer.from(name)])
}

function sizesOf({ crc, packed, size }: Content): Buffer {
  const sizes = Buffer.alloc(12)
  sizes.writeUInt32LE(crc, 0)
  sizes.writeUInt32LE(packed, 4)
  sizes.writeUInt32LE(size, 8)
  return sizes
}

function directoryEntry(name: string, sizes: Buffer, began: number): Buffer {
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(VERSION, 4)
  entry.writeUInt16LE(VERSION, 6)
  entry.writeUInt16LE(FLAGS, 8)
  entry.writeUInt16LE(DEFLATED, 10)
  entry.writeUInt16LE(DOS_DATE, 14)
  entry.set(sizes, 16)
  entry.writeUInt16LE(Buffer.byteLength(name), 28)
  entry.writeUInt32LE(began, 42)
  return Buffer.concat([entry, Buffer.from(name)])
}

function endOf(entries: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries, 8)
  end.writeUInt16LE(entries, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return end
}
