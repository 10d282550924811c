import type { Instruction } from '../instruction.ts'
import type { Bounds, Connector } from '../port.ts'
import { offers, type Registry, type Routed } from './registry.ts'

/** The connector chosen for an order; null for a simulated order, which needs none. */
export type Route = { kind: 'routed'; connector: string | null }
/**
 * An order without a usable connector now. It fails unsent; only a payout or a refund waits while its operator is
 * unavailable. `reason` is for staff.
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
 * Chooses the connector of an order whose sending begins. A recorded connector is kept: a refund goes through the one
 * that collected. Otherwise the route decides, past connectors whose circuit is open. A collection that reaches no
 * payer is refused in test mode as in live mode, although the simulator stands for every operator.
 *
 * Never called for an order that may have left: it keeps its connector. An order whose sends are all proven not to have
 * left keeps its connector while the operator answers. Otherwise it moves to the next open connector of its route; when
 * there is none, it is tried again once the circuit admits it. A refund never moves. After two such sends an order
 * moves whatever this process knows: several processes that each try once would use up its sends on an operator that
 * answers none of them.
 */
export function routeOrder(registry: Registry, order: ToRoute): Route | NotRoutable {
  if (order.simulate !== null) return { kind: 'routed', connector: order.connector }
  return order.attempts > 1 ? routeUnsent(registry, order) : routeFirst(registry, order)
}

/**
 * The most sends, the one that begins included, for which an order keeps its connector while this process has not seen
 * its operator silent.
 */
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

/** Whether an amount, in francs, is within the bounds of one operation. Pure. */
export function isWithin({ min, max, step }: Bounds, amount: number): boolean {
  return amount >= min && amount <= max && amount % step === 0
}
