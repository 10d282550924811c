import type { Instruction } from '../instruction.ts'
import type { Bounds, Connector } from '../port.ts'
import { offers, type Registry, type Routed } from './registry.ts'

/** The name of the connector that carries an order; null: it is simulated, and given to nobody. */
export type Route = { kind: 'routed'; connector: string | null }
/**
 * An order that can be given to nobody now. It fails without having been sent, except that a payout or a refund waits while its operator is
 * unavailable. `reason` is for the team.
 */
export type NotRoutable = {
  kind: 'not_routable'
  failure_code: 'operator_configuration' | 'amount_out_of_bounds' | 'operator_unavailable'
  reason: string
}

/** `attempts` counts the send that begins. */
type ToRoute = Pick<
  Instruction,
  | 'merchant_id'
  | 'livemode'
  | 'subject_id'
  | 'direction'
  | 'operator'
  | 'amount'
  | 'msisdn'
  | 'simulate'
  | 'connector'
  | 'attempts'
> &
  Pick<Routed, 'past'>

/**
 * Chooses the connector of an order whose sending begins: the one that is recorded already, as in a refund, which goes back the way that
 * its collection came, and otherwise the route's, past those whose circuit is open. Test mode refuses a payer whom nobody can reach as live
 * mode does, although the simulator stands for every operator.
 *
 * Not for an order that may have left: that one keeps its connector. One of which every send is proven not to have left keeps it too, as long
 * as its operator answers. Otherwise it moves to the next of its route that is open; where none is, it is tried again as the circuit admits.
 * After two such sends it moves whatever this process knows: several processes, each of which tries it once, would use up its sends on an
 * operator that answers none of them.
 */
export function routeOrder(registry: Registry, order: ToRoute): Route | NotRoutable {
  if (order.simulate !== null) return { kind: 'routed', connector: order.connector }
  return order.attempts > 1 ? routeUnsent(registry, order) : routeFirst(registry, order)
}

/** Sends of an order, none of which left, up to which the connector is kept when this process has not seen that its operator is silent. */
const KEPT_SENDS = 2

function routeUnsent(registry: Registry, order: ToRoute): Route | NotRoutable {
  const { connector, direction, subject_id } = order
  const kept = connector === null ? null : registry.connectorNamed(connector)
  const is_silent = kept !== null && (order.attempts > KEPT_SENDS || registry.isSilent(kept.name))
  if (!is_silent) return { kind: 'routed', connector }
  const next = direction === 'refund' ? null : routeFirst(registry, { ...order, connector: null, past: kept.name })
  if (next?.kind === 'routed') return next
  return registry.admits(kept, subject_id) ? { kind: 'routed', connector } : notOpen
}

function routeFirst(registry: Registry, order: ToRoute): Route | NotRoutable {
  const connector = order.connector === null ? registry.connectorFor(order) : registry.connectorNamed(order.connector)
  const reason = connector === null ? 'no connector is set up' : whyNotOffered(connector, order)
  if (connector === null || reason !== null) {
    return { kind: 'not_routable', failure_code: 'operator_configuration', reason: reason! }
  }
  const bounds =
    order.connector === null
      ? registry.boundsFor(order, connector)
      : (connector.boundsOf?.(order.operator, order.direction) ?? null)
  if (bounds !== null && !isWithin(bounds, order.amount)) {
    return { kind: 'not_routable', failure_code: 'amount_out_of_bounds', reason: 'the operator takes other amounts' }
  }
  if (!registry.admits(connector, order.subject_id)) {
    return notOpen
  }
  return { kind: 'routed', connector: connector.name }
}

const notOpen: NotRoutable = {
  kind: 'not_routable',
  failure_code: 'operator_unavailable',
  reason: 'no connector of its route is open',
}

function whyNotOffered(connector: Connector, { direction, operator, msisdn }: ToRoute): string | null {
  const offered = connector.capabilitiesOf(operator)
  if (offered === null || !offers(offered, direction)) return 'its connector does not offer this'
  if (direction !== 'collect' || msisdn !== null) return null
  if (operator === null) return 'neither a payer nor an operator was named'
  return offered.collect_without_number ? null : 'the operator asks payers by their number, and none was given'
}

/** Whether an operator takes an amount, in francs, in one operation. Pure. */
export function isWithin({ min, max, step }: Bounds, amount: number): boolean {
  return amount >= min && amount <= max && amount % step === 0
}
