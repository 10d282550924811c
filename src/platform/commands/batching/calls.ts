import { isConnectionLost, isLockTimeout } from '../../postgres/failures.ts'
import { CrossShardError } from '../../postgres/rows.ts'

/** An item that waits or is being processed, and its caller. */
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
 * Does the work of these calls together. When it fails, each call is tried alone, so that one does not fail the others.
 * When a lock timed out, the calls are tried again by owner, all owners at once.
 * @returns a function that answers the calls. Calls whose outcome is known earlier have been answered before. Never
 * throws
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
    // A lost connection concerns all calls. So does our own fault, which retrying one by one would hide. A lock timeout
    // concerns an owner. Any other error can be the fault of one item.
    const locked = owner !== undefined && isLockTimeout(error)
    const concernsAll = isConnectionLost(error) || error instanceof CrossShardError
    if (concernsAll || calls.length === 1 || (locked && apart)) {
      return () => {
        for (const call of calls) call.reject(error)
      }
    }
    const runAndAnswer = async (group: Call<Item, Result>[]) => (await runCalls(work, group, locked))()
    if (locked) {
      const groups = Map.groupBy(calls, ({ item }) => owner(item)).values()
      await Promise.all(Array.from(groups, runAndAnswer))
    } else {
      for (const call of calls) await runAndAnswer([call])
    }
    return () => {}
  }
}
