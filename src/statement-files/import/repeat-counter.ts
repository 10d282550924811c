/** Words of a hash that a slot holds: 96 bits, so that two of a million keys are equal by chance once in 10^17 files. */
const WORDS = 3
const SLOTS_FIRST = 2 ** 14

/** Counts how often each key was met. A million different keys take 24 MB, where a map would take some 150. */
export class RepeatCounter {
  #slots = new Uint32Array(SLOTS_FIRST * WORDS)
  #mask = SLOTS_FIRST - 1
  #size = 0
  /** Of the keys that were met more than once. */
  readonly #repeated = new Map<string, number>()

  /** Returns how often this key was met, this time included. @param hash at least 12 bytes, of which the first word is not zero by chance alone */
  count(hash: Buffer): number {
    const words = [hash.readUInt32LE(0) || 1, hash.readUInt32LE(4), hash.readUInt32LE(8)] as const
    if (this.#add(words)) return 1
    const key = words.join(' ')
    const times = (this.#repeated.get(key) ?? 1) + 1
    this.#repeated.set(key, times)
    return times
  }

  /** False: the key was there. */
  #add(words: readonly [number, number, number]): boolean {
    if (this.#size * 2 > this.#mask) this.#grow()
    const at = this.#placeOf(words)
    if (this.#slots[at] !== 0) return false
    this.#slots.set(words, at)
    this.#size += 1
    return true
  }

  /** The place of a key, or the empty one where it belongs. A first word of zero means empty. */
  #placeOf([first, second, third]: readonly [number, number, number]): number {
    for (let slot = second & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * WORDS
      const held = this.#slots[at]
      if (held === 0 || (held === first && this.#slots[at + 1] === second && this.#slots[at + 2] === third)) return at
    }
  }

  #grow(): void {
    const before = this.#slots
    const slots = (this.#mask + 1) * 2
    this.#slots = new Uint32Array(slots * WORDS)
    this.#mask = slots - 1
    for (let at = 0; at < before.length; at += WORDS) {
      const words = [before[at]!, before[at + 1]!, before[at + 2]!] as const
      if (words[0] !== 0) this.#slots.set(words, this.#placeOf(words))
    }
  }
}
