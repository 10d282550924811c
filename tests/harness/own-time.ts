import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Stops the time of timers and of `performance.now()` for a test, and returns a function that lets this many milliseconds pass. So a
 * test of pauses is exact on a machine of any speed. `waitFor` does not work meanwhile.
 */
export function ownTime(t: TestContext): (ms: number) => Promise<void> {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  return async (ms) => {
    for (let passed = 0; passed < ms; passed += 1) {
      now += 1
      t.mock.timers.tick(1)
    }
    await nextTurn()
  }
}
