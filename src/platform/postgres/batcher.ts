import { isConnectionLost, isLockTimeout } from './database.ts'

/** What a caller gets who comes when the queue is full. The request is answered as a fault and may be repeated. */
export class Overloaded extends Error {
  override name = 'Overloaded'
}

export type BatcherOptions<Item, Result> = {
  /**
   * Does the work of all items in one go and answers in their order. A refusal is a result, not an exception. What
   * it throws concerns the work as a whole, and then each item is run alone, so that one never fails its neighbours.
   */
  run(items: Item[]): Promise<Result[]>
  /**
   * Whose an item is (a merchant, say), for work that locks what belongs to somebody. When a lock is not had in time,
   * owners are tried once more, apart and all at once: only the one whose lock is held waits for it again, and fails. One
   * by one its items would wait in a row, and everybody behind them.
   */
  owner?: (item: Item) => string
  /** Items handed over together at most. */
  size?: number
  /** Calls of `run` under way at once. */
  lanes?: number
  /** Items waiting at most; beyond it `Overloaded` is thrown at once. */
  waiting?: number
}

/**
 * Gathers the calls that arrive while the previous statement runs and hands them over together. There is no timer: a
 * call to an idle batcher starts at once, so an idle service adds no delay, and a busy one pays each statement, each
 * commit and each flush to disk once for everybody who waited.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { run, owner, size = 256, lanes = 1, waiting: waitingMax = 10_000 } = options
  type Call = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }
  const waiting: Call[] = []
  let running = 0

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
      // A lost connection is everybody's, and a lock that is held its owner's; anything else can be one item's fault.
      const locked = owner !== undefined && isLockTimeout(error)
      if (isConnectionLost(error) || calls.length === 1 || (locked && apart)) {
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

  function start(): void {
    while (running < lanes && waiting.length > 0) {
      running += 1
      const calls = waiting.splice(0, size)
      void runTogether(calls).then((answer) => {
        running -= 1
        // What waits is on its way before the answers are written, so that the database works meanwhile.
        start()
        setImmediate(answer)
      })
    }
  }

  let scheduled = false
  return (item) =>
    new Promise<Result>((resolve, reject) => {
      if (waiting.length >= waitingMax) {
        reject(new Overloaded('Too many calls are waiting for the database.'))
        return
      }
      waiting.push({ item, resolve, reject })
      // One turn of the event loop: requests that arrived in the same packet travel together.
      if (!scheduled && running < lanes) {
        scheduled = true
        setImmediate(() => {
          scheduled = false
          start()
        })
      }
    })
}
