/** Work that waits for a lock, and is woken when its turn comes. */
export type Asker = {
  /** Called when the lock of this owner is free for this asker, which must take or forgo it. Until then nobody else gets it. */
  wake(owner: string): void
}

/**
 * Locks of this process, one for each owner (a merchant in a mode), for work that locks the owner's rows in the database.
 * Waiting work waits here, without a connection. Each lock goes to the askers in the order of their requests.
 */
export type OwnerLocks = {
  /** Takes a free lock. False when it is held or another asker waits: then this asker waits too, once. */
  take(owner: string, asker: Asker): boolean
  /** Gives a lock back, and wakes the next asker. */
  release(owner: string): void
  /** Stops waiting for a lock. */
  forgo(owner: string, asker: Asker): void
}

export function createOwnerLocks(): OwnerLocks {
  type Lock = { held: boolean; readonly line: Asker[] }
  const locks = new Map<string, Lock>()

  function pass(owner: string, lock: Lock): void {
    if (lock.held) return
    const [next] = lock.line
    if (next === undefined) locks.delete(owner)
    else next.wake(owner)
  }

  return {
    take(owner, asker) {
      let lock = locks.get(owner)
      if (lock === undefined) {
        lock = { held: false, line: [] }
        locks.set(owner, lock)
      }
      const isNext = lock.line.length === 0 || lock.line[0] === asker
      if (!lock.held && isNext) {
        lock.line.shift()
        lock.held = true
        return true
      }
      if (!lock.line.includes(asker)) lock.line.push(asker)
      return false
    },
    release(owner) {
      const lock = locks.get(owner)!
      lock.held = false
      pass(owner, lock)
    },
    forgo(owner, asker) {
      const lock = locks.get(owner)
      const at = lock?.line.indexOf(asker) ?? -1
      if (lock === undefined || at === -1) return
      lock.line.splice(at, 1)
      if (at === 0) pass(owner, lock)
    },
  }
}
