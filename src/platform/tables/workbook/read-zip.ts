import { promisify } from 'node:util'
import { createInflateRaw, inflateRaw } from 'node:zlib'
import { piecesOf, unpacked } from '../byte-source.ts'
import { TableRefused } from '../table-refused.ts'

const inflate = promisify(inflateRaw)

/** The most files in an archive. A workbook has some twenty. */
const ENTRIES_MAX = 2_000
/** The most bytes of one unpacked file. A sheet of 500 lines has a hundred thousand. */
const UNPACKED_MAX = 8 * 1024 * 1024

const STORED = 0
const DEFLATED = 8

type Entry = { readonly at: number; readonly packed: number; readonly method: number; readonly encrypted: boolean }

export type ZipRead =
  | { kind: 'text'; text: string }
  | { kind: 'absent' }
  /** `too_large`: the file would unpack to more bytes than were asked for. */
  | { kind: 'refused'; code: 'unreadable' | 'too_large' }

/**
 * Reads single files of an archive (APPNOTE 6.3.3) in memory, each only on request. It does not trust the sizes that the archive states: the
 * inflater itself stops at the limit.
 */
export class ZipReader {
  readonly #bytes: Buffer
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(bytes: Buffer, entries: ReadonlyMap<string, Entry>) {
    this.#bytes = bytes
    this.#entries = entries
  }

  /** Opens an archive. Null when the bytes are no archive or a damaged one. */
  static open(bytes: Buffer): ZipReader | null {
    try {
      return new ZipReader(bytes, directoryOf(bytes))
    } catch (error) {
      // An offset outside the file.
      if (error instanceof RangeError) return null
      throw error
    }
  }

  has(name: string): boolean {
    return this.#entries.has(entryName(name))
  }

  /** Returns the paths of all files, in small letters and with slashes. */
  names(): string[] {
    return [...this.#entries.keys()]
  }

  /** Returns the bytes of one file as they are packed. Null when it is absent or damaged. */
  packed(name: string): { bytes: Buffer; is_stored: boolean } | null {
    const entry = this.#entries.get(entryName(name))
    const bytes = entry === undefined ? null : contentOf(this.#bytes, entry)
    return bytes === null ? null : { bytes, is_stored: entry!.method === STORED }
  }

  /** Reads one file as text in UTF-8. Case and the direction of slashes do not count, as in the programs that open workbooks. @param max the most bytes that it may unpack to */
  async read(name: string, max = UNPACKED_MAX): Promise<ZipRead> {
    const entry = this.#entries.get(entryName(name))
    if (entry === undefined) return { kind: 'absent' }
    const content = contentOf(this.#bytes, entry)
    if (content === null) return { kind: 'refused', code: 'unreadable' }
    if (entry.method === STORED) {
      return content.length > max
        ? { kind: 'refused', code: 'too_large' }
        : { kind: 'text', text: content.toString('utf8') }
    }
    try {
      const unpacked = await inflate(content, { maxOutputLength: max })
      return { kind: 'text', text: unpacked.toString('utf8') }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      return { kind: 'refused', code: code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'unreadable' }
    }
  }
}

/** Yields the bytes of one file piece by piece. @throws TableRefused `damaged` when it is absent, or `too_large` at the limits of `unpacked` */
export function streamEntry(archive: ZipReader, name: string): AsyncGenerator<Buffer> {
  const content = archive.packed(name)
  if (content === null) throw new TableRefused('damaged')
  const pieces = piecesOf(content.bytes)
  return content.is_stored ? pieces : unpacked(pieces, createInflateRaw())
}

function entryName(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()
}

/**
 * Reads the directory of an archive.
 * @throws RangeError for an offset outside the file, too many entries, or two files of one name: no reader could tell which one a person saw
 */
function directoryOf(bytes: Buffer): Map<string, Entry> {
  const { count, from } = startOf(bytes)
  if (count > ENTRIES_MAX) throw new RangeError('The archive has too many files.')
  const entries = new Map<string, Entry>()
  let at = from
  for (let nth = 0; nth < count; nth += 1) {
    if (bytes.readUInt32LE(at) !== 0x02014b50) throw new RangeError('The directory of the archive is damaged.')
    const [name, extra, comment] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ]
    const called = entryName(bytes.toString('utf8', at + 46, at + 46 + name))
    if (entries.has(called)) throw new RangeError('The archive has two files of one name.')
    const large = wideFields(bytes.subarray(at + 46 + name, at + 46 + name + extra))
    const wide = (place: number) => {
      const value = bytes.readUInt32LE(at + place)
      return value === 0xffffffff ? large() : value
    }
    // In the order of the wide fields: the unpacked size comes first, and is not trusted.
    wide(24)
    const packed = wide(20)
    entries.set(called, {
      packed,
      at: wide(42),
      method: bytes.readUInt16LE(at + 10),
      encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
    })
    at += 46 + name + extra + comment
  }
  return entries
}

/** Returns the number of files and where the directory begins. An archive of the 64-bit form says so in a record before the end. */
function startOf(bytes: Buffer): { count: number; from: number } {
  const end = endOf(bytes)
  const [count, from] = [bytes.readUInt16LE(end + 10), bytes.readUInt32LE(end + 16)]
  if (count !== 0xffff && from !== 0xffffffff) return { count, from }
  if (bytes.readUInt32LE(end - 20) !== 0x07064b50) throw new RangeError('The archive lacks its 64-bit end.')
  const wide = Number(bytes.readBigUInt64LE(end - 12))
  if (bytes.readUInt32LE(wide) !== 0x06064b50) throw new RangeError('The 64-bit end of the archive is damaged.')
  return { count: Number(bytes.readBigUInt64LE(wide + 32)), from: Number(bytes.readBigUInt64LE(wide + 48)) }
}

/** Returns the 64-bit fields of an entry one after the other. @throws RangeError when there is none left */
function wideFields(extra: Buffer): () => number {
  let at = 0
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== 1) at += 4 + extra.readUInt16LE(at + 2)
  at += 4
  return () => {
    at += 8
    return Number(extra.readBigUInt64LE(at - 8))
  }
}

/** Finds the end of the directory: the last 22 bytes, before a comment of at most 64 KiB. */
function endOf(bytes: Buffer): number {
  const from = Math.max(0, bytes.length - 22 - 0xffff)
  for (let at = bytes.length - 22; at >= from; at -= 1) if (bytes.readUInt32LE(at) === 0x06054b50) return at
  throw new RangeError('The archive has no directory.')
}

/** Returns the packed bytes of a file. Null when they are damaged or have a password. */
function contentOf(bytes: Buffer, { at, packed, method, encrypted }: Entry): Buffer | null {
  if (encrypted || (method !== STORED && method !== DEFLATED)) return null
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== 0x04034b50) return null
  const from = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
  return from + packed > bytes.length ? null : bytes.subarray(from, from + packed)
}
