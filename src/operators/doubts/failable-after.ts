import { type Connector, type Order, promisesNothing, usualSilence } from '../port.ts'

/**
 * Milliseconds after the last send during which people may not fail an order that its operator does not hold, because
 * the order may still be executed: until the operator's "not found" counts, and at least 15 minutes. The order may be
 * sent again sooner, because the operator executes a reference once. Failing it gives the money back.
 * @param connector null when it is not set up here
 */
export function failableAfter(connector: Pick<Connector, 'promises'> | null, direction: Order['direction']): number {
  const { not_found } = connector?.promises[direction] ?? promisesNothing
  return Math.max(usualSilence(), not_found.after_seconds * 1_000)
}
