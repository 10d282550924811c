import { randomInt } from 'node:crypto'

/** Where nothing stands. */
export const NOWHERE = -1

/** Windows there is room for at first: a power of two, and so is every size that follows. */
const PLACES = 1_024
/** No payer has this number. */
const NOBODY = 0

/** Windows of payers in the order in which they were opened, each found by its payer's number and named by its place. */
export type PayerWindows = {
  size(): number
  /** The place of a payer's window, or `NOWHERE`. */
  find(payer: number): number
  /** The place of the one that was opened first, or `NOWHERE`. */
  first(): number
  /** Opens a window behind all others, with one attempt; its payer has none, and is not zero. Places found before may be others now. */
  open(payer: number, ends_at: number): void
  close(place: number): void
  /** In milliseconds, as it was given. */
  endOf(place: number): number
  countOf(place: number): number
  setCount(place: number, count: number): void
}

/**
 * Hundreds of thousands of windows open and close within minutes. As objects in a map each is some hundred bytes on the heap,
 * which the collector follows, and keeps as garbage until it goes over the whole heap. Here a place for one is 28 bytes in
 * arrays of numbers, which it never looks into: a ring in the order of opening, and a table (open addressing, at most half
 * full) that says where in it a payer is. It grows with the most that were open at once, and does not shrink.
 * @param seed below 2^32, of where a payer is looked for: who asks chooses payers, and could else choose such as meet
 */
export function createPayerWindows(seed = randomInt(2 ** 32)): PayerWindows {
  let payers = new Float64Array(PLACES)
  let ends = new Float64Array(PLACES)
  let counts = new Uint32Array(PLACES)
  /** One more than the place of whoever has this slot; zero: it is free. */
  let slots = new Uint32Array(2 * PLACES)
  let head = 0
  /** From the head on; windows that were closed before those in front of them still have theirs. */
  let taken = 0
  let size = 0

  /**
   * The slot at which a payer is looked for first: the last steps of MurmurHash3, over the lower 32 bits of the number, in which
   * no two of Côte d'Ivoire in one mode are alike.
   */
  function homeOf(payer: number): number {
    let mixed = (payer ^ seed) >>> 0
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return (mixed ^ (mixed >>> 16)) & (slots.length - 1)
  }

  const after = (slot: number) => (slot + 1) & (slots.length - 1)

  /** The slot of a payer, or the free one that would be. */
  function slotOf(payer: number): number {
    let slot = homeOf(payer)
    while (slots[slot] !== 0 && payers[slots[slot]! - 1] !== payer) slot = after(slot)
    return slot
  }

  /** Frees a slot and fills it with one that found its own taken, so that whoever looks for that meets no gap on the way. */
  function free(slot: number): void {
    let gap = slot
    for (let next = after(gap); slots[next] !== 0; next = after(next)) {
      const home = homeOf(payers[slots[next]! - 1]!)
      const way = (next - home) & (slots.length - 1)
      if (way < ((next - gap) & (slots.length - 1))) continue
      slots[gap] = slots[next]!
      gap = next
    }
    slots[gap] = 0
  }

  /** Leaves out those that were closed; twice the room if that is less than half of all. */
  function makeRoom(): void {
    const before = { payers, ends, counts, head, taken }
    const places = size > payers.length / 2 ? payers.length * 2 : payers.length
    payers = new Float64Array(places)
    ends = new Float64Array(places)
    counts = new Uint32Array(places)
    slots = new Uint32Array(2 * places)
    head = 0
    taken = 0
    for (let nth = 0; nth < before.taken; nth += 1) {
      const place = (before.head + nth) & (before.payers.length - 1)
      const payer = before.payers[place]!
      if (payer !== NOBODY) put(payer, before.ends[place]!, before.counts[place]!)
    }
  }

  function put(payer: number, ends_at: number, count: number): void {
    const place = (head + taken) & (payers.length - 1)
    slots[slotOf(payer)] = place + 1
    payers[place] = payer
    ends[place] = ends_at
    counts[place] = count
    taken += 1
  }

  return {
    size: () => size,
    find: (payer) => slots[slotOf(payer)]! - 1,
    first: () => (size === 0 ? NOWHERE : head),
    open(payer, ends_at) {
      if (taken === payers.length) makeRoom()
      put(payer, ends_at, 1)
      size += 1
    },
    close(place) {
      free(slotOf(payers[place]!))
      payers[place] = NOBODY
      size -= 1
      while (taken > 0 && payers[head] === NOBODY) {
        head = (head + 1) & (payers.length - 1)
        taken -= 1
      }
    },
    endOf: (place) => ends[place]!,
    countOf: (place) => counts[place]!,
    setCount(place, count) {
      counts[place] = count
    },
  }
}
