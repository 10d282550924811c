import { TableRefused } from '../table-refused.ts'

/** Sectors from here on are marks: free, end of a chain, part of a table ([MS-CFB] 2.1). */
const MARKS = 0xfffffffa
const NAME = 64
/** Shorter streams stand in small sectors. The standard has this size alone. */
const CUTOFF = 4_096

/**
 * Returns one stream of Microsoft's compound file ([MS-CFB]). Each chain of sectors keeps a set of the sectors that it visited, so that a circle
 * ends it.
 * @throws TableRefused `damaged`
 */
export function streamNamed(bytes: Buffer, names: readonly string[]): Buffer {
  const file = new CompoundFile(bytes)
  for (const entry of file.entries()) if (names.includes(entry.name)) return file.read(entry)
  throw new TableRefused('damaged')
}

type Entry = { readonly name: string; readonly from: number; readonly size: number }

class CompoundFile {
  readonly #bytes: Buffer
  readonly #sector: number
  readonly #small: number
  readonly #fat: readonly number[]
  readonly #directory: Buffer

  constructor(bytes: Buffer) {
    if (bytes.length < 512) throw new TableRefused('damaged')
    const [shift, small] = [bytes.readUInt16LE(30), bytes.readUInt16LE(32)]
    if ((shift !== 9 && shift !== 12) || small !== 6) throw new TableRefused('damaged')
    this.#bytes = bytes
    this.#sector = 2 ** shift
    this.#small = 2 ** small
    if (bytes.readUInt32LE(56) !== CUTOFF) throw new TableRefused('damaged')
    this.#fat = this.#readFat()
    this.#directory = this.#chain(bytes.readUInt32LE(48), this.#fat, (nth) => this.#at(nth))
  }

  *entries(): Generator<Entry> {
    const all = this.#directory
    for (let at = 0; at + 128 <= all.length; at += 128) {
      const length = Math.min(all.readUInt16LE(at + NAME), NAME)
      const name = all.toString('utf16le', at, at + Math.max(0, length - 2))
      yield { name: name.toLowerCase(), from: all.readUInt32LE(at + 116), size: all.readUInt32LE(at + 120) }
    }
  }

  read({ from, size }: Entry): Buffer {
    if (size >= CUTOFF) return this.#chain(from, this.#fat, (nth) => this.#at(nth)).subarray(0, size)
    const [root] = this.entries()
    const store = this.#chain(root?.from ?? MARKS, this.#fat, (nth) => this.#at(nth))
    const table = numbersIn(this.#chain(this.#bytes.readUInt32LE(60), this.#fat, (nth) => this.#at(nth)))
    const part = (nth: number) => store.subarray(nth * this.#small, (nth + 1) * this.#small)
    return this.#chain(from, table, part).subarray(0, size)
  }

  #at(nth: number): Buffer {
    return this.#bytes.subarray((nth + 1) * this.#sector, (nth + 2) * this.#sector)
  }

  /** @throws TableRefused when the file names more sectors as its table than its sectors need: a forged one would name all of them */
  #readFat(): number[] {
    const bytes = this.#bytes
    const needed = Math.ceil(Math.ceil((bytes.length - 512) / this.#sector) / (this.#sector / 4))
    const listed = numbersIn(bytes.subarray(76, 512))
    const visited = new Set<number>()
    for (let next = bytes.readUInt32LE(68); next < MARKS; ) {
      const part = this.#at(next)
      if (visited.has(next) || visited.size >= needed || part.length < this.#sector) throw new TableRefused('damaged')
      visited.add(next)
      const numbers = numbersIn(part)
      next = numbers.pop()!
      for (const number of numbers) listed.push(number)
    }
    const sectors = new Set(listed.filter((nth) => nth < MARKS))
    if (sectors.size > needed) throw new TableRefused('damaged')
    const fat: number[] = []
    for (const nth of sectors) for (const number of numbersIn(this.#at(nth))) fat.push(number)
    return fat
  }

  /** @throws TableRefused for a circle, and for a sector outside the file */
  #chain(from: number, table: readonly number[], read: (nth: number) => Buffer): Buffer {
    const parts: Buffer[] = []
    const visited = new Set<number>()
    for (let nth = from; nth < MARKS; nth = table[nth] ?? MARKS) {
      const part = read(nth)
      if (visited.has(nth) || part.length === 0) throw new TableRefused('damaged')
      visited.add(nth)
      parts.push(part)
    }
    return Buffer.concat(parts)
  }
}

function numbersIn(bytes: Buffer): number[] {
  const numbers: number[] = []
  for (let at = 0; at + 4 <= bytes.length; at += 4) numbers.push(bytes.readUInt32LE(at))
  return numbers
}
