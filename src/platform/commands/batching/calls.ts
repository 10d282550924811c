import { isConnectionLost, isLockTimeout } from '../../postgres/failures.ts'
import { CrossShardError } from '../../postgres/rows.ts'

/** An item that waits or travels, and its caller. */
export type Call<Item, Result> = {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

type Work<Item, Result> = {
  readonly run: (items: Item[]) => Promise<Result[]>
  readonly owner?: ((item: Item) => string) | undefined
}

/**
 * Does the work of these calls together. When that fails they are tried one by one, so that one fails no other; when a lock was not had,
 * owner by owner and all at once.
 * @returns what answers the calls; those of which it is known earlier are answered by then. Never throws
 */
export async function runCalls<Item, Result>(
  work: Work<Item, Result>,
  calls: readonly Call<Item, Result>[],
  apart = false,
): Promise<() => void> {
  const { run, owner } = work
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
    const runAndAnswer = async (some: Call<Item, Result>[]) => (await runCalls(work, some, locked))()
    if (locked) {
      const groups = Map.groupBy(calls, ({ item }) => owner(item)).values()
      await Promise.all(Array.from(groups, runAndAnswer))
    } else {
      for (const call of calls) await runAndAnswer([call])
    }
    return () => {}
  }
}
