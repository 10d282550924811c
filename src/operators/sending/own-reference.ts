import { machineMilliseconds } from '../../platform/clock.ts'
import { newReference } from '../reference.ts'
import type { Prepared } from './sending-store.ts'

// A key may be used again after its retention. The order of the new request then gets a reference of its own.

/**
 * The reference, or a new one when another order has it already or there is none. Adds it to `used`.
 * @param used the references of other orders
 */
export function firstUseOf(reference: string | null, used: Set<string>): string {
  if (reference === null || used.has(reference)) return newReference(machineMilliseconds())
  used.add(reference)
  return reference
}

/** The prepared instructions, each that was never sent under a reference that no other order has. */
export function withOwnReferences(prepared: readonly Prepared[]): Prepared[] {
  const unsent = prepared.filter(({ attempts }) => attempts === 0)
  const used = new Set(unsent.flatMap(({ reference, reference_used }) => (reference_used ? [reference] : [])))
  return prepared.map((one) => (one.attempts > 0 ? one : { ...one, reference: firstUseOf(one.reference, used) }))
}
