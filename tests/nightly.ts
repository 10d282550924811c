import { matchesGlob } from 'node:path'

/**
 * The files that a landing leaves to `npm run nightly`, because they take long and what they hold changes rarely: several machines, random
 * kills, short runs of the benches.
 */
const OF_THE_NIGHT = ['tests/cluster/**', 'tests/benches/**', 'tests/faults/*kills*.test.ts']

/** Returns whether a test file runs only at night. */
export function isOfTheNight(file: string): boolean {
  return OF_THE_NIGHT.some((pattern) => matchesGlob(file, pattern))
}
