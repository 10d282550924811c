/** Somebody who wants a lock and is told when it is their turn. */
export type Asker = {
  /** The lock of this owner is free, and yours to take or to forgo: nobody else gets it before. */
  wake(owner: string): void
}

/**
 * Locks of this process, one for each owner (a merchant in a mode), for work that would lock the owner's rows in the database:
 * whoever has to wait waits here, without a connection. They are had in the order in which they were asked for.
 */
export type OwnerLocks = {
  /** Takes a lock that is free. False: it is held, or somebody asked before; the asker now stands in its line, once. */
  take(owner: string, asker: Asker): boolean
  /** Gives a lock back, and wakes the next asker. */
  release(owner: string): void
  /** Leaves the line of a lock that is no longer wanted. */
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
