import { TableRefused } from './table-refused.ts'

/** The most bytes of the texts that cells share, and the most texts. */
const BYTES_MAX = 128 * 1024 * 1024
const TEXTS_MAX = 8_000_000
/** The most characters of one text that are kept. */
const TEXT_MAX = 800

/** Keeps the texts to which cells refer by index, in one buffer: a million strings would cost ten times their size. */
export class TextStore {
  #bytes = Buffer.alloc(65_536)
  #ends = new Uint32Array(4_096)
  #count = 0

  /** @throws TableRefused `too_large` */
  add(text: string): void {
    const kept = text.length > TEXT_MAX ? text.slice(0, TEXT_MAX) : text
    const from = this.#count === 0 ? 0 : this.#ends[this.#count - 1]!
    const end = from + Buffer.byteLength(kept)
    if (end > BYTES_MAX || this.#count >= TEXTS_MAX) throw new TableRefused('too_large')
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.min(BYTES_MAX, Math.max(end, this.#bytes.length * 2)))
      this.#bytes.copy(larger, 0, 0, from)
      this.#bytes = larger
    }
    if (this.#count === this.#ends.length) {
      const longer = new Uint32Array(this.#ends.length * 2)
      longer.set(this.#ends)
      this.#ends = longer
    }
    this.#bytes.write(kept, from)
    this.#ends[this.#count] = end
    this.#count += 1
  }

  /** Returns a text by its index. Undefined when there is none. */
  at(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) return undefined
    return this.#bytes.toString('utf8', index === 0 ? 0 : this.#ends[index - 1]!, this.#ends[index]!)
  }
}
