import type { Asker, OwnerLocks } from '../../owner-locks.ts'

type Owned<Item> = { readonly item: Item }

/** The owner locks that the running batches of one batcher hold. */
export class BatchLocks<Item> {
  readonly #locks: OwnerLocks
  readonly #owner: (item: Item) => string
  readonly #asker: Asker
  /** Owners whose lock was held by somebody else when a batch wanted it. */
  readonly #asked = new Set<string>()

  /** @param wake called when a wanted lock becomes free */
  constructor(locks: OwnerLocks, owner: (item: Item) => string, wake: () => void) {
    this.#locks = locks
    this.#owner = owner
    this.#asker = { wake }
  }

  /** Tries to lock the owners of these calls, and returns the calls whose owner is locked now. */
  take<Call extends Owned<Item>>(calls: Call[]): Call[] {
    const isLocked = new Map<string, boolean>()
    for (const { item } of calls) {
      const name = this.#owner(item)
      if (isLocked.has(name)) continue
      const taken = this.#locks.take(name, this.#asker)
      isLocked.set(name, taken)
      if (taken) this.#asked.delete(name)
      else this.#asked.add(name)
    }
    return calls.filter(({ item }) => isLocked.get(this.#owner(item)))
  }

  release(calls: readonly Owned<Item>[]): void {
    for (const name of new Set(calls.map(({ item }) => this.#owner(item)))) this.#locks.release(name)
  }

  /** Stops asking for the locks of owners without waiting calls. */
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
