import type { Instruction } from '../instruction.ts'
import type { Bounds, Connector } from '../port.ts'
import { offers, type Registry } from './registry.ts'

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
>

/**
 * Chooses the connector of an order whose sending begins: the one that is recorded already, as in a refund, which goes back the way that
 * its collection came, and otherwise the route's, past those whose circuit is open. It is chosen once: whatever was begun before keeps its
 * connector. Test mode refuses a payer whom nobody can reach as live mode does, although the simulator stands for every operator.
 */
export function routeOrder(registry: Registry, order: ToRoute): Route | NotRoutable {
  if (order.simulate !== null || order.attempts > 1) return { kind: 'routed', connector: order.connector }
  const connector = order.connector === null ? registry.connectorFor(order) : registry.connectorNamed(order.connector)
  const reason = connector === null ? 'no connector is set up' : whyNotOffered(connector, order)
  if (connector === null || reason !== null) {
    return { kind: 'not_routable', failure_code: 'operator_configuration', reason: reason! }
  }
  const bounds =
    order.connector === null
      ? registry.boundsFor(order)
      : (connector.boundsOf?.(order.operator, order.direction) ?? null)
  if (bounds !== null && !isWithin(bounds, order.amount)) {
    return { kind: 'not_routable', failure_code: 'amount_out_of_bounds', reason: 'the operator takes other amounts' }
  }
  if (!registry.admits(connector, order.subject_id)) {
    return { kind: 'not_routable', failure_code: 'operator_unavailable', reason: 'no connector of its route is open' }
  }
  return { kind: 'routed', connector: connector.name }
}

function whyNotOffered(connector: Connector, { direction, operator, msisdn }: ToRoute): string | null {
  const offered = connector.capabilitiesOf(operator)
  if (offered === null || !offers(offered, direction)) return 'its connector does not offer this'
  if (direction !== 'collect' || msisdn !== null) return null
  if (operator === null) return 'neither a payer nor an operator was named'
  return offered.collect_without_number ? null : 'the operator asks payers by their number, and none was given'
}

function isWithin({ min, max, step }: Bounds, amount: number): boolean {
  return amount >= min && amount <= max && amount % step === 0
}
