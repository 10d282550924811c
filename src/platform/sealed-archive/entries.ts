import { ArchiveDamaged } from './archive-damaged.ts'
import { createByteReader } from './byte-reader.ts'

/** A file or folder in an archive. A file's length need not be known before: it may change while it is read. */
export type Entry = { path: string; kind: 'folder' } | { path: string; kind: 'file'; content: AsyncIterable<Buffer> }

/** Most bytes of an entry's name, and of one piece of a file. */
const NAME_MAX = 4_096
const PIECE_MAX = 1_048_576

/** The files and folders that went through, and the bytes of the files. */
export type Counted = { entries: number; bytes: number }

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Writes entries one after another: the length of a name, the name, then a file's pieces, each with its length, and a zero. Counts them. */
export async function* writeEntries(entries: AsyncIterable<Entry>, counted: Counted): AsyncGenerator<Buffer> {
  for await (const entry of entries) {
    const name = Buffer.from(`${entry.kind === 'file' ? 'f' : 'd'}${entry.path}`)
    if (name.length > NAME_MAX) throw new Error(`A path has over ${NAME_MAX} bytes.`)
    yield word(name.length)
    yield name
    counted.entries += 1
    if (entry.kind === 'folder') continue
    for await (const piece of entry.content) {
      if (piece.length === 0) continue
      yield word(piece.length)
      yield piece
      counted.bytes += piece.length
    }
    yield word(0)
  }
}

/**
 * Reads what `writeEntries` wrote. The content of a file has to be read before the next entry.
 * @throws ArchiveDamaged when it is something else
 */
export async function* readEntries(source: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const reader = createByteReader(source)
  const length = async (max: number) => {
    const bytes = (await reader.take(4)).readUInt32BE()
    if (bytes > max) throw new ArchiveDamaged()
    return bytes
  }
  async function* content(): AsyncGenerator<Buffer> {
    for (let bytes = await length(PIECE_MAX); bytes > 0; bytes = await length(PIECE_MAX)) yield await reader.take(bytes)
  }
  while (!(await reader.isAtEnd())) {
    const name = (await reader.take(await length(NAME_MAX))).toString()
    const path = name.slice(1)
    // No entry may land outside of the folder that it is unpacked into.
    if (path.startsWith('/') || path.split('/').includes('..')) throw new ArchiveDamaged()
    yield name.startsWith('f') ? { path, kind: 'file', content: content() } : { path, kind: 'folder' }
  }
}
