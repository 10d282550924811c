import { setImmediate as turn } from 'node:timers/promises'

/** The steps after which a calculation pauses: some ten milliseconds. */
const STEPS = 10_000

/**
 * Creates the pauses of a long calculation, in which other requests have their turn, so that one person's file delays no payment:
 * `if (pauses.isDue()) await pauses.take()` at each step.
 */
export function createPauses() {
  let steps = 0
  return {
    isDue(): boolean {
      steps += 1
      return steps % STEPS === 0
    },
    take: () => turn(),
  }
}
