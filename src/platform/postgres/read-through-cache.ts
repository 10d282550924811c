import { createBatcher } from '../commands/batching/batcher.ts'

/** The age up to which a value is used, counted from the start of its read, so that a change takes effect within a second. */
const AGE_MAX_MS = 900

/** The age at which a value is renewed while it is still used, so that callers of a busy key never wait for the database. */
const RENEWAL_AGE_MS = 450

/** The wait of a renewal for other renewals. With a thousand busy keys most reads are renewals. */
const RENEWAL_BATCHING = { ms: 150, enough: 256 }

export type ReadThroughCacheOptions<Key, Value> = {
  /** Reads all keys in one statement. Returns the values in their order, null for a key that does not exist. */
  load(keys: Key[]): Promise<(Value | null)[]>
  /** The most stored values. A new one replaces the one that was read longest ago. */
  max_entries: number
  /** The most stored keys that do not exist. They are separate, so that guessed keys never replace real ones. */
  max_missing_entries: number
}

/**
 * A cache for data that every request needs and that rarely changes. It returns a value that is less than 900 ms old at once, without a
 * promise. Otherwise it reads the values of all waiting callers in one statement. Null: the key does not exist.
 * Not for money: a decision about money reads its data under the lock.
 */
export function createReadThroughCache<Key, Value>(
  options: ReadThroughCacheOptions<Key, Value>,
): (key: Key) => Value | null | Promise<Value | null> {
  type Read = { value: Value | null; asked_at: number }
  /** A read that has not ended. `renewal`: it may still wait for other renewals, so a caller without a usable value does not join it. */
  type Pending = { promise: Promise<Value | null>; asked_at: number; renewal: boolean }
  type Loaded = Read | { fault: unknown }
  const kept = new Map<Key, Read>()
  const absent = new Map<Key, Read>()
  const pending = new Map<Key, Pending>()
  const loadTogether = createBatcher<Key, Loaded>({ run, concurrency: 2 })
  const renewTogether = createBatcher<Key, Loaded>({ run, concurrency: 2, batching: RENEWAL_BATCHING })

  /** A failed read fails for all its callers: separate tries would wait one after the other while the database is unavailable. */
  async function run(keys: Key[]): Promise<Loaded[]> {
    const asked_at = performance.now()
    try {
      return (await options.load(keys)).map((value) => ({ value, asked_at }))
    } catch (fault) {
      return keys.map(() => ({ fault }))
    }
  }

  function keep(key: Key, read: Read): void {
    const [into, other, max] =
      read.value === null ? [absent, kept, options.max_missing_entries] : [kept, absent, options.max_entries]
    other.delete(key)
    // Deleted first, so that the map is in the order of the reads and begins with the oldest.
    into.delete(key)
    into.set(key, read)
    if (into.size > max) into.delete(into.keys().next().value as Key)
  }

  function load(key: Key, now: number, renewal = false): Promise<Value | null> {
    const promise = (renewal ? renewTogether : loadTogether)(key)
      .then((loaded) => {
        if ('fault' in loaded) throw loaded.fault
        if (pending.get(key) === mine) keep(key, loaded)
        return loaded.value
      })
      .finally(() => {
        if (pending.get(key) === mine) pending.delete(key)
      })
    const mine: Pending = { promise, asked_at: now, renewal }
    pending.set(key, mine)
    return promise
  }

  return (key) => {
    const now = performance.now()
    const read = kept.get(key) ?? absent.get(key)
    const age = read === undefined ? Number.POSITIVE_INFINITY : now - read.asked_at
    if (read !== undefined && age < RENEWAL_AGE_MS) return read.value
    const underWay = pending.get(key)
    if (read !== undefined && age < AGE_MAX_MS) {
      // A failed renewal keeps the old value. Once that is too old, the next caller reads, and gets the failure itself.
      if (underWay === undefined) load(key, now, true).catch(() => {})
      return read.value
    }
    // A read that began too long ago may return old data, so callers do not join it.
    if (underWay !== undefined && !underWay.renewal && now - underWay.asked_at < AGE_MAX_MS) return underWay.promise
    return load(key, now)
  }
}
