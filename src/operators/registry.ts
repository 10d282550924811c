import type { Connector, Order } from './port.ts'

export type Registry = {
  /**
   * The connector that carries out an order: in test mode always the simulator, so that a test key never reaches a real operator;
   * in live mode the operator's connector, or null when none is set up.
   */
  connectorFor(order: Pick<Order, 'livemode' | 'operator'>): Connector | null
  /** By the name in a callback's address; null when there is none. */
  connectorNamed(name: string): Connector | null
}

export function createRegistry(simulator: Connector, live: readonly Connector[]): Registry {
  const byName = new Map([simulator, ...live].map((connector) => [connector.name, connector]))
  return {
    connectorFor({ livemode, operator }) {
      if (!livemode) return simulator
      return live.find((connector) => connector.capabilitiesOf(operator) !== null) ?? null
    },
    connectorNamed: (name) => byName.get(name) ?? null,
  }
}
