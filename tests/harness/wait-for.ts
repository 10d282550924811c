import { setTimeout as sleep } from 'node:timers/promises'

/** The limits of the pause between two checks, which is a tenth of the time so far: checks of many waiting tests cost the tested service time. */
const POLL_MS = { least: 10, most: 50 }

/**
 * Waits until `condition` returns something other than false, null or undefined, and returns that. It calls the condition every 10 ms, after
 * half a second every 50, so that no test sleeps for a fixed time.
 * @throws when the deadline passes, with the text `what`; errors of the condition pass through
 */
export async function waitFor<Result>(
  condition: () => Result | Promise<Result>,
  { deadline_ms, what = 'the condition' }: { deadline_ms: number; what?: string },
): Promise<Exclude<Result, false | null | undefined>> {
  const began = performance.now()
  const end = began + deadline_ms
  for (;;) {
    // The last check begins after the deadline, so that one slow check is never the only one.
    const last = performance.now() > end
    const result = await condition()
    if (result !== false && result !== null && result !== undefined) {
      return result as Exclude<Result, false | null | undefined>
    }
    if (last) throw new Error(`Waited ${deadline_ms} ms for ${what}.`)
    await sleep(Math.min(POLL_MS.most, Math.max(POLL_MS.least, (performance.now() - began) / 10)))
  }
}
