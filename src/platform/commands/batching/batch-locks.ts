import type { Asker, OwnerLocks } from '../../owner-locks.ts'

type Owned<Item> = { readonly item: Item }

/** The locks of owners that the batches of one batcher hold while they are under way. */
export class BatchLocks<Item> {
  readonly #locks: OwnerLocks
  readonly #owner: (item: Item) => string
  readonly #asker: Asker
  /** Owners whose lock somebody else held when it was wanted. */
  readonly #asked = new Set<string>()

  /** @param wake called when a lock that was wanted is free */
  constructor(locks: OwnerLocks, owner: (item: Item) => string, wake: () => void) {
    this.#locks = locks
    this.#owner = owner
    this.#asker = { wake }
  }

  /** Takes the locks of the owners of these calls, and returns those whose owner's was had. */
  take<Call extends Owned<Item>>(calls: Call[]): Call[] {
    const had = new Map<string, boolean>()
    for (const { item } of calls) {
      const name = this.#owner(item)
      if (had.has(name)) continue
      const taken = this.#locks.take(name, this.#asker)
      had.set(name, taken)
      if (taken) this.#asked.delete(name)
      else this.#asked.add(name)
    }
    return calls.filter(({ item }) => had.get(this.#owner(item)))
  }

  release(calls: readonly Owned<Item>[]): void {
    for (const name of new Set(calls.map(({ item }) => this.#owner(item)))) this.#locks.release(name)
  }

  /** Asks no longer for the locks of owners that have no call left among those that wait. */
  forgoUnwanted(waiting: ReadonlyMap<unknown, readonly Owned<Item>[]>): void {
    if (this.#asked.size === 0) return
    const wanted = new Set([...waiting.values()].flat().map(({ item }) => this.#owner(item)))
    for (const name of this.#asked) {
      if (wanted.has(name)) continue
      this.#asked.delete(name)
      this.#locks.forgo(name, this.#asker)
    }
  }
}
