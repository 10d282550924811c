import { createBatcher } from '../commands/batching/batcher.ts'

/** A value is used for this long, counted from when it was asked for: a change takes effect within a second. */
const AGE_MAX_MS = 900

/** After this long it is read anew while still being used, so that a busy key never waits for the database. */
const RENEWAL_AGE_MS = 450

/** So long a renewal waits for others, which with a thousand keys in use is most of what there is to read. */
const RENEWAL_BATCHING = { ms: 150, enough: 256 }

export type ReadThroughCacheOptions<Key, Value> = {
  /** Reads all keys in one statement and answers in their order, null for what does not exist. */
  load(keys: Key[]): Promise<(Value | null)[]>
  /** Values kept at most; the one not read anew for longest makes room. */
  max_entries: number
  /** Keys known not to exist, kept at most. They have a place of their own: guessing pushes out nobody who exists. */
  max_missing_entries: number
}

/**
 * Reads what every request needs and what rarely changes. Answers at once, without a promise, what was read less than
 * 900 ms ago; otherwise reads it, together with everybody who waits, in one statement. Null: there is no such thing.
 * Not for money: what decides about money is read under its lock.
 */
export function createReadThroughCache<Key, Value>(
  options: ReadThroughCacheOptions<Key, Value>,
): (key: Key) => Value | null | Promise<Value | null> {
  type Read = { value: Value | null; asked_at: number }
  /** A renewal may still be waiting for others, for which nobody waits who has nothing to use meanwhile. */
  type Pending = { promise: Promise<Value | null>; asked_at: number; renewal: boolean }
  type Loaded = Read | { fault: unknown }
  const kept = new Map<Key, Read>()
  const absent = new Map<Key, Read>()
  const pending = new Map<Key, Pending>()
  const loadTogether = createBatcher<Key, Loaded>({ run, concurrency: 2 })
  const renewTogether = createBatcher<Key, Loaded>({ run, concurrency: 2, batching: RENEWAL_BATCHING })

  /** A read that fails has failed for all: trying each alone would make them wait in a row for a database that is away. */
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
    // Taken out first, so that the order of the map is the order of reading and its head is the oldest.
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
      // A renewal that fails leaves what we have; when that is too old, the reader of then meets the fault itself.
      if (underWay === undefined) load(key, now, true).catch(() => {})
      return read.value
    }
    // A read that has been under way for too long may answer what was true before it, so it is not joined.
    if (underWay !== undefined && !underWay.renewal && now - underWay.asked_at < AGE_MAX_MS) return underWay.promise
    return load(key, now)
  }
}
