import { once } from 'node:events'
import { Readable } from 'node:stream'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'

/** Collects the pages of a list as one JSON, `{"items":[…]}`, compressed as they come: a million rows are not held as objects. */
export class PackedRows {
  readonly #packer = createZstdCompress()
  readonly #parts: Buffer[] = []
  #count = 0

  constructor() {
    this.#packer.on('data', (part: Buffer) => this.#parts.push(part))
  }

  get count(): number {
    return this.#count
  }

  async add(rows: readonly object[]): Promise<void> {
    if (rows.length === 0) return
    const before = this.#count === 0 ? '{"items":[' : ','
    this.#count += rows.length
    await this.#write(`${before}${rows.map((row) => JSON.stringify(row)).join(',')}`)
  }

  /** Ends the list. Returns its bytes, which can be read once. The same rows are the same bytes, whatever their pages. */
  async end(): Promise<AsyncIterable<Uint8Array>> {
    await this.#write(this.#count === 0 ? '{"items":[]}' : ']}')
    const ended = once(this.#packer, 'end')
    this.#packer.end()
    await ended
    return Readable.from(this.#parts).pipe(createZstdDecompress())
  }

  async #write(text: string): Promise<void> {
    if (!this.#packer.write(text)) await once(this.#packer, 'drain')
  }
}
