import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'

/** Reproducible random choices. All choices of a test come from the one seed that it prints. */
export type Seed = {
  /** Returns a number from 0 to below 1. */
  fraction(): number
  /** Returns a whole number, both ends included. */
  between(from: number, to: number): number
  /** Returns true with this probability. */
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

/** The seed in SEED, which repeats the choices of an earlier run. Otherwise null. */
export const given: number | null = process.env.SEED === undefined ? null : Number(process.env.SEED)

/**
 * Returns the test's seed, printed with its name. SEED repeats the same choices. The timing still depends on the machine, so a failure
 * recurs often, but not always.
 */
export function openSeed(test: TestContext): Seed {
  const number = given ?? randomInt(2 ** 32)
  test.diagnostic(`seed=${number} (SEED=${number} repeats the choices of "${test.name}")`)
  return seeded(number)
}

/** Returns the one seed of a file, for fast-check, and prints it. */
export function seedOfFile(): number {
  const number = given ?? randomInt(2 ** 31)
  process.stdout.write(`seed=${number} (SEED=${number} repeats the choices of this file)\n`)
  return number
}

/** Returns the choices of one seed (Mulberry32: small, fast, and even enough for choosing moments). */
export function seeded(number: number): Seed {
  let state = number >>> 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    fraction,
    between: (from, to) => from + Math.floor(fraction() * (to - from + 1)),
    chance: (probability) => fraction() < probability,
    pick: (items) => items[Math.floor(fraction() * items.length)]!,
  }
}
