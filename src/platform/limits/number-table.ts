import { randomInt } from 'node:crypto'

/** Slots of a new table: a power of two, like every later size. */
const SLOTS = 1_024
/** The key of a free slot. */
const FREE = 0

/**
 * A map from a number, never 0, to a number, without removal. A `Map` stores a number above 2^31 as an object on the heap: 80 bytes for each
 * entry, through which the collector goes again and again. Here an entry is 16 bytes in arrays of numbers, into which it never looks, in a
 * table with open addressing that is at most half full.
 */
export class NumberTable {
  /** The number of entries. */
  size = 0
  // Callers choose their keys. Without the seed they could choose keys that meet in one slot.
  readonly #seed: number
  #keys = new Float64Array(SLOTS)
  #values = new Float64Array(SLOTS)

  /** @param seed below 2^32 */
  constructor(seed = randomInt(2 ** 32)) {
    this.#seed = seed
  }

  get(key: number): number | undefined {
    const slot = this.#slotOf(key)
    return this.#keys[slot] === FREE ? undefined : this.#values[slot]
  }

  set(key: number, value: number): void {
    let slot = this.#slotOf(key)
    if (this.#keys[slot] === FREE) {
      if (2 * this.size >= this.#keys.length) {
        this.#grow()
        slot = this.#slotOf(key)
      }
      this.#keys[slot] = key
      this.size += 1
    }
    this.#values[slot] = value
  }

  /**
   * The slot of a key, or the free one where it belongs. The search begins at a slot computed by the last steps of MurmurHash3 from the lower
   * 32 bits of the key.
   */
  #slotOf(key: number): number {
    const keys = this.#keys
    const last = keys.length - 1
    let mixed = (key ^ this.#seed) >>> 0
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    let slot = (mixed ^ (mixed >>> 16)) & last
    while (keys[slot] !== FREE && keys[slot] !== key) slot = (slot + 1) & last
    return slot
  }

  #grow(): void {
    const keys = this.#keys
    const values = this.#values
    this.#keys = new Float64Array(2 * keys.length)
    this.#values = new Float64Array(2 * keys.length)
    keys.forEach((key, at) => {
      if (key === FREE) return
      const slot = this.#slotOf(key)
      this.#keys[slot] = key
      this.#values[slot] = values[at]!
    })
  }
}
