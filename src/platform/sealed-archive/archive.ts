import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { Secret } from '../../values/secret.ts'
import { crashPoint } from '../crash-point.ts'
import { ArchiveDamaged } from './archive-damaged.ts'
import { type Counted, type Entry, readEntries, writeEntries } from './entries.ts'
import { seal, unseal } from './seal.ts'

/** The first line of an archive: what may be known without its key. */
export type Head = {
  /** The version of this format. */
  sealed_archive: number
  salt: string
  /** Tells a wrong key from a damaged file. */
  key_check: string
  /** The caller's words about the content. */
  about: Readonly<Record<string, string>>
}

/** The last line of an archive: written when the rest was read back, and sealed with a code that needs the key. */
export type Tail = Counted & { said: Readonly<Record<string, string>> }

/** The file is no archive, or not a whole one; its key is another; or a later version wrote it. */
export type Fault = 'incomplete' | 'damaged' | 'other_key' | 'newer'

const FORMAT = 1
/** Bytes of the first and of the last line, which are padded with blanks. */
const HEAD_BYTES = 1_024
const TAIL_BYTES = 512
const SUM = /^(.*),"sum":"([0-9a-f]{64})"\} *\n$/s

function derive(key: Secret, salt: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key.reveal(), Buffer.from(salt, 'hex'), `bandama archive ${purpose}`, bytes))
}

/** A line of fixed length, with a sum that covers it. */
function writeLine(value: object, bytes: number, sumOf: (text: string) => string): Buffer {
  const text = JSON.stringify(value).slice(0, -1)
  const line = `${text},"sum":"${sumOf(text)}"}`
  if (Buffer.byteLength(line) >= bytes) throw new Error(`A line of an archive has over ${bytes} bytes.`)
  const padded = Buffer.alloc(bytes, ' ')
  padded.write(line)
  padded.write('\n', bytes - 1)
  return padded
}

function readLine(line: Buffer, sumOf: (text: string) => string): Record<string, unknown> | null {
  const [, text = '', sum = ''] = SUM.exec(line.toString()) ?? []
  if (sum === '' || !timingSafeEqual(Buffer.from(sumOf(text)), Buffer.from(sum))) return null
  return JSON.parse(`${text}}`)
}

const plainSum = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The sum of the last line covers the first line and the length of the file, so that no line of another archive fits. */
function sealedSum(key: Secret, head: Buffer, salt: string, size: number) {
  const mac = derive(key, salt, 'end', 32)
  return (text: string): string => createHmac('sha256', mac).update(head).update(`${size} ${text}`).digest('hex')
}

/**
 * Writes an archive, reads it back from the disk, and ends it with the line that says so. The file is then synchronised; its name is the caller's
 * business.
 * @param about what may be read without the key
 * @param end returns what the last line says, once the content was read back
 * @throws ArchiveDamaged when it reads back otherwise; any error of the disk. The file is left as it is
 */
export async function writeArchive(
  path: string,
  {
    key,
    about,
    entries,
    end: say,
    signal,
  }: {
    key: Secret
    about: Readonly<Record<string, string>>
    entries: AsyncIterable<Entry>
    end(): Promise<Readonly<Record<string, string>>>
    signal?: AbortSignal
  },
): Promise<{ tail: Tail; size: number }> {
  const salt = randomBytes(32).toString('hex')
  const key_check = derive(key, salt, 'check', 8).toString('hex')
  const head = writeLine({ sealed_archive: FORMAT, salt, key_check, about } satisfies Head, HEAD_BYTES, plainSum)
  const counted: Counted = { entries: 0, bytes: 0 }
  await using file = await open(path, 'wx+', 0o600)
  await file.write(head)
  const content = derive(key, salt, 'content', 32)
  await pipeline(
    writeEntries(entries, counted),
    createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
    (plain: AsyncIterable<Buffer>) => seal(content, head, plain),
    (sealed: AsyncIterable<Buffer>) => writeAll(file, sealed),
    signal === undefined ? {} : { signal },
  )
  await file.sync()
  const { size: end } = await file.stat()
  const found: Counted = { entries: 0, bytes: 0 }
  for await (const entry of readContent(path, { content, head, end })) {
    signal?.throwIfAborted()
    found.entries += 1
    if (entry.kind === 'file') for await (const piece of entry.content) found.bytes += piece.length
  }
  if (found.entries !== counted.entries || found.bytes !== counted.bytes) throw new ArchiveDamaged()
  crashPoint('backup_without_end')
  const tail: Tail = { ...counted, said: await say() }
  const size = end + TAIL_BYTES
  await file.write(writeLine(tail, TAIL_BYTES, sealedSum(key, head, salt, size)), 0, TAIL_BYTES, end)
  await file.sync()
  return { tail, size }
}

async function writeAll(file: FileHandle, pieces: AsyncIterable<Buffer>): Promise<void> {
  for await (const piece of pieces) await file.writeFile(piece)
}

type Part = { content: Buffer; head: Buffer; end: number }

/** Reads the entries between the first line and `end`. @throws ArchiveDamaged */
async function* readContent(path: string, { content, head, end }: Part): AsyncGenerator<Entry> {
  if (end <= HEAD_BYTES) throw new ArchiveDamaged()
  const sealed = createReadStream(path, { start: HEAD_BYTES, end: end - 1, highWaterMark: 256 * 1024 })
  const plain = createZstdDecompress()
  const feeding = pipeline(Readable.from(unseal(content, head, sealed)), plain)
  // The reader of `plain` gets the error too.
  feeding.catch(() => {})
  try {
    yield* readEntries(plain)
    await feeding
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code?.startsWith('ZSTD_') ? new ArchiveDamaged() : error
  } finally {
    plain.destroy()
    sealed.destroy()
  }
}

/** A whole archive, by its lines. Its content is read with `readArchive`. */
export type Archive = { path: string; about: Head['about']; tail: Tail; size: number; part: Part }

/** A file that is no good archive, and what its first line says nevertheless. */
export type Unusable = { fault: Fault; about: Head['about'] | null; size: number }

/** Reads the first and the last line of an archive, and not its content. Returns what is wrong with it, or the archive. */
export async function openArchive(path: string, key: Secret): Promise<Archive | Unusable> {
  await using file = await open(path)
  const { size } = await file.stat()
  const read = async (bytes: number, at: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at)
    return buffer.subarray(0, bytesRead)
  }
  const head = await read(HEAD_BYTES, 0)
  const known = readLine(head, plainSum) as Head | null
  if (known === null) return { fault: size < HEAD_BYTES ? 'incomplete' : 'damaged', about: null, size }
  const { salt, key_check, about } = known
  if (known.sealed_archive > FORMAT) return { fault: 'newer', about, size }
  if (derive(key, salt, 'check', 8).toString('hex') !== key_check) return { fault: 'other_key', about, size }
  const line = await read(TAIL_BYTES, Math.max(HEAD_BYTES, size - TAIL_BYTES))
  const tail = readLine(line, sealedSum(key, head, salt, size)) as (Tail & { entries: number }) | null
  if (tail === null) return { fault: 'incomplete', about, size }
  return { path, about, tail, size, part: { content: derive(key, salt, 'content', 32), head, end: size - TAIL_BYTES } }
}

/** The content of an archive. The content of a file has to be read before the next entry. @throws ArchiveDamaged at the first changed byte */
export function readArchive({ path, part }: Archive): AsyncGenerator<Entry> {
  return readContent(path, part)
}
