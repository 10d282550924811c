import { ArchiveDamaged } from './archive-damaged.ts'

/** Reads exact numbers of bytes from a stream. It keeps at most what was asked for and one piece. */
export type ByteReader = {
  /** @throws ArchiveDamaged when the stream ends before */
  take(bytes: number): Promise<Buffer>
  /** Whether no byte follows. */
  isAtEnd(): Promise<boolean>
}

export function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const pieces = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  /** Reads on until there are so many bytes, or the stream ends. */
  async function fill(bytes: number): Promise<void> {
    if (rest.length >= bytes) return
    const has = [rest]
    let size = rest.length
    while (size < bytes) {
      const { done, value } = await pieces.next()
      if (done === true) break
      has.push(value)
      size += value.length
    }
    rest = Buffer.concat(has)
  }
  return {
    async take(bytes) {
      await fill(bytes)
      if (rest.length < bytes) throw new ArchiveDamaged()
      const taken = rest.subarray(0, bytes)
      rest = rest.subarray(bytes)
      return taken
    },
    async isAtEnd() {
      await fill(1)
      return rest.length === 0
    },
  }
}
