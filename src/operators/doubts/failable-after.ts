import { type Connector, type Order, promisesNothing, usualSilence } from '../port.ts'

/**
 * Milliseconds after its last send in which an order that its operator does not hold may still be carried out, so that people do not fail it
 * either: as long as the operator's "not found" is no word that counts, and 15 minutes at least. Sending it again sooner may be allowed, because
 * that moves money once whatever arrives; failing it gives the money back. @param connector null: it is not set up here
 */
export function failableAfter(connector: Pick<Connector, 'promises'> | null, direction: Order['direction']): number {
  const { not_found } = connector?.promises[direction] ?? promisesNothing
  return Math.max(usualSilence(), not_found.after_seconds * 1_000)
}
