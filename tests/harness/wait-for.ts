import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** The limits of the pause between two checks, which is a tenth of the time so far: checks of many waiting tests cost the tested service time. */
const POLL_MS = { least: 10, most: 50 }

/**
 * Longer than any condition takes on a machine whose every step is five times slower, and shorter than a test may take. Only a test that
 * fails waits so long.
 */
const DEADLINE_MS = 40_000

/**
 * Waits until `condition` returns something other than false, null or undefined, and returns that. It calls the condition every 10 ms, after
 * half a second every 50, so that no test sleeps for a fixed time.
 * @throws when the deadline passes, with the text `what`; errors of the condition pass through
 */
export async function waitFor<Result>(
  condition: () => Result | Promise<Result>,
  { deadline_ms = DEADLINE_MS, what = 'the condition' }: { deadline_ms?: number | undefined; what?: string } = {},
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

/**
 * Waits until a change that was just made is seen. Every question that is asked a second after the change or later must see it. The time
 * until an answer does not count, because on a busy machine it can be long.
 * @throws when such a question still has the old answer
 */
export async function untilSeenWithinASecond(isSeen: () => boolean | Promise<boolean>): Promise<void> {
  const changed_at = performance.now()
  await waitFor(async () => {
    const asked_at = performance.now()
    if (await isSeen()) return true
    assert.ok(asked_at - changed_at < 1_000, 'a question of a second after the change has the old answer')
    return false
  })
}
