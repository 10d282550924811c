import { setTimeout as sleep } from 'node:timers/promises'

/** Between two looks: a tenth of what has been waited, within these. Many wait at once for long, and looking costs those they wait for. */
const POLL_MS = { least: 10, most: 50 }

/**
 * Waits until `condition` gives something other than false, null or undefined, and returns that. A condition is asked
 * every 10 ms, after half a second every 50; nobody sleeps for a time that is "surely enough".
 * @throws when the deadline passes, with `what` was waited for; what the condition throws passes through
 */
export async function waitFor<Result>(
  condition: () => Result | Promise<Result>,
  { deadline_ms, what = 'the condition' }: { deadline_ms: number; what?: string },
): Promise<Exclude<Result, false | null | undefined>> {
  const began = performance.now()
  const end = began + deadline_ms
  for (;;) {
    // The last look begins after the deadline, so that one look that took long is never the last.
    const last = performance.now() > end
    const result = await condition()
    if (result !== false && result !== null && result !== undefined) {
      return result as Exclude<Result, false | null | undefined>
    }
    if (last) throw new Error(`Waited ${deadline_ms} ms for ${what}.`)
    await sleep(Math.min(POLL_MS.most, Math.max(POLL_MS.least, (performance.now() - began) / 10)))
  }
}
