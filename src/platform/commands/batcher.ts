import type { Asker, OwnerLocks } from '../owner-locks.ts'
import { isConnectionLost, isLockTimeout } from '../postgres/failures.ts'
import { CrossShardError } from '../postgres/rows.ts'
import { takeInTurns } from './take-in-turns.ts'

/** The queue is full. The request is answered as a fault and may be repeated. */
export class Overloaded extends Error {
  override name = 'Overloaded'
}

/** An item was not begun because its caller had been answered already. Nobody waits for this error. */
export class NotWanted extends Error {
  override name = 'NotWanted'
}

export type BatcherOptions<Item, Result> = {
  /**
   * Does the work of all items in one go and answers in their order. A refusal is a result, not an exception. An exception
   * concerns the work as a whole, and then each item is run alone, so that one never fails its neighbours.
   */
  run(items: Item[]): Promise<Result[]>
  /**
   * The owner of an item: a merchant in a mode. Owners take turns: when more items wait than one batch carries, each owner has one in
   * it before any has a second, so a thousand items of one owner hold up nobody else's. And when a lock is not had in time,
   * owners are tried once more, apart and all at once: only the one whose lock is held waits for it again, and fails. One
   * by one its items would wait in a row, and everybody behind them.
   */
  owner?: ((item: Item) => string) | undefined
  /**
   * Locks of owners, which a batch holds while it is under way. The items of an owner whose lock somebody else holds wait, and keep no
   * others from travelling.
   */
  locks?: OwnerLocks
  /** The party that takes turns, where that is another than the owner of locks; absent: owners do. */
  turnOf?: ((item: Item) => string) | undefined
  /** Whether somebody still waits for an item. Asked when its turn comes: one whose caller was answered is not begun. */
  isWanted?: (item: Item) => boolean
  /**
   * The key that all items of a batch share, such as the merchant when each has its rows on one of several machines. Those
   * of one key are never in two batches at once; keys take turns, so that a busy one holds up no other. Absent: whatever
   * waits travels together.
   */
  key?: (item: Item) => string | number
  /** Items handed over together at most. */
  size?: number | undefined
  /** Calls of `run` under way at once. */
  concurrency?: number | undefined
  /** Items waiting at most; beyond it `Overloaded` is thrown at once. Infinite for work that is bounded where it comes from. */
  waiting?: number
  /** Absent: a batch never waits for items that have not come yet. */
  batching?: Batching | undefined
}

/**
 * How a batch waits to fill when there is much to do: one that would begin less than `ms` milliseconds after the last waits
 * until then, or until `enough` items are there. A statement for one costs nearly as much as one for ten. The first call after a
 * pause still starts at once.
 */
export type Batching = {
  readonly ms: number
  readonly enough: number
  /**
   * When batches take long, because the machine is busy, the wait grows with them (`intervalAfter`), up to this many milliseconds. It does
   * not behind a batch of fewer than four: whoever calls alone is not to be kept waiting because the database is far away. Nor
   * where there are keys, which take turns. Absent: it never does.
   */
  readonly most?: number
}

/** Items in a batch from which on the next one waits to fill when batches take long. */
const MIN_BATCH = 4

/**
 * Milliseconds between the beginnings of two turns of the same work: `ms`, or five times what the last turn took when that is more,
 * but at most `most`. A busy machine so does more in each turn, which costs it less, where short turns would keep it busy.
 */
export function intervalAfter(took_ms: number, { ms, most = ms }: Pick<Batching, 'ms' | 'most'>): number {
  return Math.max(ms, Math.min(5 * took_ms, most))
}

/** For what a caller waits for. */
export const REQUEST_BATCHING: Batching = { ms: 5, enough: 16, most: 25 }
/** For notes that nothing waits for, of what is done already: a job has ended, an event was delivered. */
export const ACK_BATCHING: Batching = { ms: 100, enough: 256 }

/**
 * Gathers the calls that arrive while the previous statement runs and hands them over together. A call to an idle
 * batcher starts at once, so an idle service adds no delay, and a busy one pays each statement, each commit and each flush
 * to disk once for everybody who waited.
 *
 * With one batch under way at a time, a batching and no keys it works by halves, because callers call again once they are answered: the database works for
 * one half of them while we answer the other and read what they ask next. A batch takes no more than its half, so that neither
 * waits for the other. With less than twice `enough` callers there are no halves.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): (item: Item) => Promise<Result> {
  const {
    run,
    owner,
    locks,
    turnOf = owner,
    isWanted,
    key,
    size = 256,
    concurrency = 1,
    waiting: waitingMax = 10_000,
    batching,
  } = options
  const half_min =
    concurrency === 1 && key === undefined && batching !== undefined ? batching.enough : Number.POSITIVE_INFINITY
  type Call = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }
  /** The waiting calls, by key; the key whose turn is next comes first. */
  const waiting = new Map<string | number, Call[]>()
  /** Keys of which a batch is under way. */
  const busy = new Set<string | number>()
  let waitingCount = 0
  /** How many went with the last batch, and with the one before. */
  let lastCount = 0
  let beforeCount = 0
  let running = 0
  let startedAt = Number.NEGATIVE_INFINITY
  /** Milliseconds that the last batch to end took. */
  let took = 0
  let timer: NodeJS.Timeout | undefined
  /** Owners whose lock somebody else held when it was wanted. */
  const asked = new Set<string>()
  const asker: Asker = { wake: () => queueMicrotask(start) }

  /** Returns what answers the calls; those of which it is known earlier are answered by then. */
  async function runTogether(calls: Call[], apart = false): Promise<() => void> {
    try {
      const results = await run(calls.map((call) => call.item))
      if (results.length !== calls.length) throw new Error(`${results.length} results for ${calls.length} items.`)
      return () => {
        calls.forEach((call, at) => {
          call.resolve(results[at] as Result)
        })
      }
    } catch (error) {
      // A lost connection is everybody's, as is a fault of ours that one by one would hide, and a lock that is held its owner's;
      // anything else can be one item's fault.
      const locked = owner !== undefined && isLockTimeout(error)
      const ofAll = isConnectionLost(error) || error instanceof CrossShardError
      if (ofAll || calls.length === 1 || (locked && apart)) {
        return () => {
          for (const call of calls) call.reject(error)
        }
      }
      const runAndAnswer = async (some: Call[]) => (await runTogether(some, locked))()
      if (locked) {
        const groups = Map.groupBy(calls, ({ item }) => owner(item)).values()
        await Promise.all(Array.from(groups, runAndAnswer))
      } else {
        for (const call of calls) await runAndAnswer([call])
      }
      return () => {}
    }
  }

  function takeNext(): { of: string | number; calls: Call[] } | null {
    const blocked = new Map<string | number, Call[]>()
    let next: { of: string | number; calls: Call[] } | null = null
    // At most as many keys are passed over as batches are under way.
    for (const [of, calls] of waiting) {
      if (key !== undefined && busy.has(of)) continue
      waiting.delete(of)
      const wanted = dropUnwanted(calls)
      const [chosen, left] = takeInTurns(wanted, Math.min(size, share(wanted.length)), turnOf)
      const taken = lockOwners(chosen)
      if (taken.length < chosen.length) left.unshift(...chosen.filter((call) => !taken.includes(call)))
      // The items that this batch has no space for go behind everybody else's.
      if (left.length > 0) (taken.length > 0 ? waiting : blocked).set(of, left)
      if (taken.length === 0) continue
      waitingCount -= taken.length
      beforeCount = lastCount
      lastCount = taken.length
      next = { of, calls: taken }
      break
    }
    for (const [of, calls] of blocked) waiting.set(of, calls)
    if (asked.size > 0) forgoUnwantedLocks()
    return next
  }

  /** Takes the locks of the owners of these calls, and returns those whose owner's was had. */
  function lockOwners(calls: Call[]): Call[] {
    if (locks === undefined || owner === undefined) return calls
    const had = new Map<string, boolean>()
    for (const { item } of calls) {
      const name = owner(item)
      if (had.has(name)) continue
      const taken = locks.take(name, asker)
      had.set(name, taken)
      if (taken) asked.delete(name)
      else asked.add(name)
    }
    return calls.filter(({ item }) => had.get(owner(item)))
  }

  function releaseOwners(calls: Call[]): void {
    if (locks === undefined || owner === undefined) return
    for (const name of new Set(calls.map(({ item }) => owner(item)))) locks.release(name)
  }

  /** Leaves the line of locks whose owners have no call left here. */
  function forgoUnwantedLocks(): void {
    const wanted = new Set([...waiting.values()].flat().map(({ item }) => owner!(item)))
    for (const name of asked) {
      if (wanted.has(name)) continue
      asked.delete(name)
      locks!.forgo(name, asker)
    }
  }

  /** Leaves out, and refuses, the calls that nobody waits for any more. */
  function dropUnwanted(calls: Call[]): Call[] {
    if (isWanted === undefined || calls.every(({ item }) => isWanted(item))) return calls
    const { wanted = [], dropped = [] } = Object.groupBy(calls, ({ item }) => (isWanted(item) ? 'wanted' : 'dropped'))
    waitingCount -= dropped.length
    for (const { reject } of dropped) reject(new NotWanted('The caller was answered before the work began.'))
    return wanted
  }

  /** How many of those that wait may travel now: those of the last batch, answered meanwhile, come again while these are under way. */
  function share(count: number): number {
    const callers = count + lastCount
    return callers >= 2 * half_min ? Math.ceil(callers / 2) : size
  }

  /**
   * Whether half of the callers wait while nothing is under way, as many as went with the last two batches. The others are still to be
   * read, and the database would be idle meanwhile.
   */
  function halfIsThere(): boolean {
    const half = (lastCount + beforeCount) / 2
    return running === 0 && half >= half_min && waitingCount >= half
  }

  /** Items that wait, but for those whose key is busy. */
  function free(): number {
    if (key === undefined) return waitingCount
    let count = waitingCount
    for (const of of busy) count -= waiting.get(of)?.length ?? 0
    return count
  }

  /** Milliseconds that what waits still waits for the batch to fill. */
  function delay(): number {
    if (batching === undefined || free() >= batching.enough) return 0
    const rest = key === undefined && lastCount >= MIN_BATCH ? intervalAfter(took, batching) : batching.ms
    return Math.max(0, startedAt + rest - performance.now())
  }

  function start(): void {
    clearTimeout(timer)
    if (waitingCount === 0) {
      if (asked.size > 0) forgoUnwantedLocks()
      return
    }
    const wait = running < concurrency ? delay() : 0
    if (wait > 0) {
      timer = setTimeout(start, wait)
      return
    }
    while (running < concurrency) {
      const next = takeNext()
      if (next === null) return
      const began = performance.now()
      startedAt = began
      running += 1
      busy.add(next.of)
      void runTogether(next.calls).then((answer) => {
        took = performance.now() - began
        running -= 1
        busy.delete(next.of)
        releaseOwners(next.calls)
        // The next batch starts before the answers are written, so that the database works meanwhile.
        start()
        setImmediate(answer)
      })
    }
  }

  let scheduled = false
  return (item) =>
    new Promise<Result>((resolve, reject) => {
      if (waitingCount >= waitingMax) {
        reject(new Overloaded('Too many calls are waiting for the database.'))
        return
      }
      const of = key === undefined ? '' : key(item)
      const calls = waiting.get(of)
      if (calls === undefined) waiting.set(of, [{ item, resolve, reject }])
      else calls.push({ item, resolve, reject })
      waitingCount += 1
      // One turn of the event loop: requests that arrived in the same packet travel together, by halves the first half of them.
      if (halfIsThere()) start()
      else if (!scheduled && running < concurrency) {
        scheduled = true
        setImmediate(() => {
          scheduled = false
          start()
        })
      }
    })
}

/** Batches under way at once when each is one merchant's: fewer than a role has connections, so that reads find one too. */
const MERCHANTS_AT_ONCE = 6

/**
 * The options of a batcher whose batches must not hold rows of two merchants, where merchants' rows are spread over machines
 * (`SHARDED`): a transaction then touches one of them. Nothing otherwise. To be spread over the other options.
 */
export function ofOneMerchant<Item>(
  { sharded }: { readonly sharded: boolean },
  tenantOf: (item: Item) => { readonly merchant_id: number },
): Pick<BatcherOptions<Item, never>, 'key' | 'concurrency'> {
  return sharded ? { key: (item) => tenantOf(item).merchant_id, concurrency: MERCHANTS_AT_ONCE } : {}
}
