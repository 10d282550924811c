import type { Terms } from '../contracts/connector-terms.ts'
import type { FloatFacts, FloatRow, FloatWarning } from './float-store.ts'

/** Hours for which a balance should last, unless the settings say otherwise. */
const FLOAT_HOURS = 6

type Compared = Pick<FloatRow, 'expected_from' | 'expected_to' | 'difference' | 'warnings'>

/**
 * Compares a balance with the expected one, in francs. The expected balance is a range, because an order in flight may
 * or may not have moved its money yet. `difference` is 0 within the range, and null without a base. Pure. Warnings:
 * - `below_floor`: less the payouts and refunds in flight or waiting, the balance is below the floor.
 * - `runs_out`: at the net outflow of the last 24 hours, it lasts for fewer hours than it should.
 * - `differs`: the balance is outside the range.
 */
export function compareBalance(
  amount: number,
  facts: FloatFacts,
  terms: Pick<Terms, 'float_floor' | 'float_hours'>,
): Compared {
  const range = expectedRange(facts)
  const difference = range && amount - Math.min(Math.max(amount, range.from), range.to)
  const left = amount - facts.open_out - facts.held
  const { float_floor = 0, float_hours = FLOAT_HOURS } = terms
  const warnings: FloatWarning[] = []
  if (left < float_floor) warnings.push('below_floor')
  if (facts.outflow_of_a_day > 0 && left * 24 < facts.outflow_of_a_day * float_hours) warnings.push('runs_out')
  if (difference !== null && difference !== 0) warnings.push('differs')
  return { expected_from: range?.from ?? null, expected_to: range?.to ?? null, difference, warnings }
}

function expectedRange({ base, certain, maybe_in, maybe_out, open_in, open_out }: FloatFacts) {
  if (base === null) return null
  const known = base + certain
  return { from: known - maybe_out - open_out, to: known + maybe_in + open_in }
}
