import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'

/** Choices that can be made again: all of a test's come from the one seed it prints. */
export type Seed = {
  /** From 0 up to 1. */
  fraction(): number
  /** A whole number, both ends included. */
  between(from: number, to: number): number
  /** True this often, of one. */
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

/**
 * The test's seed, printed with its name. FAULTS_SEED makes the same choices again; when things happen still depends on
 * the machine, so that a failure comes back often rather than always.
 */
export function openSeed(test: TestContext): Seed {
  const number = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 32))
  test.diagnostic(`seed=${number} (FAULTS_SEED=${number} repeats the choices of "${test.name}")`)
  return seeded(number)
}

/** The choices of one seed. Mulberry32: small, fast, and even enough for choosing moments. */
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
