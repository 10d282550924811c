import { type ContractDirectory, noContracts } from '../contracts/contract-directory.ts'
import type { Connector } from '../port.ts'
import type { Directory, Routed } from '../routing/registry.ts'
import { isEnding } from './scenarios.ts'

/**
 * The directory with the simulator as one more contract, of test mode and without settings. It takes the orders whose number chooses the
 * outcome by its ending ahead of all routes, and every other order of test mode for which no route is set up.
 */
export function withSimulator(simulator: Connector, contracts: ContractDirectory = noContracts): Directory {
  const contract = {
    ...{ connector: simulator, livemode: false, generation: null, removed: false, callback_token: '', terms: null },
    readCallback: async (...call: Parameters<Connector['readCallback']>) => simulator.readCallback(...call),
  }
  const routeOf = ({ direction }: Routed) => ({ livemode: false, direction, connectors: [simulator.name] })
  return {
    contractNamed: (name) => (name === simulator.name ? contract : contracts.contractNamed(name)),
    routeOf: contracts.routeOf,
    walletOf: (order) => contracts.walletOf(order.connector === simulator.name ? { ...order, connector: null } : order),
    ahead: (order) => (!order.livemode && isEnding(order.msisdn ?? null) ? routeOf(order) : null),
    behind: (order) => (order.livemode ? null : routeOf(order)),
  }
}
