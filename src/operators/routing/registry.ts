import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { AMOUNT_MAX } from '../../values/amount.ts'
import type { Terms } from '../contracts/connector-terms.ts'
import { type ContractDirectory, noContracts } from '../contracts/contract-directory.ts'
import { EVERYBODY, type RouteRow } from '../contracts/route-store.ts'
import type { Bounds, CallbackReading, Capabilities, Connector, Order } from '../port.ts'
import type { Answer } from '../sending/decide.ts'
import { isEnding } from '../simulator/scenarios.ts'
import type { Circuits } from './circuit.ts'

/** The things of an order that decide who carries it out. */
export type Routed = Pick<Order, 'merchant_id' | 'livemode' | 'operator' | 'direction'> & {
  /** Absent: not about one number. */
  msisdn?: string | null
  /** Absent: not about one operation. */
  subject_id?: string
  /** A connector that is taken only when no other is open. */
  past?: string | null
}

/** A callback as it came. */
export type CallbackCall = {
  /** The name in its address. */
  connector: string
  /** The token in its address, perhaps with a dot and a word behind it; null: there was none. */
  token: string | null
  raw: Buffer
  headers: IncomingHttpHeaders
}

export type Registry = {
  /**
   * The connector that carries out an order: the first one of the merchant's own route, or of everybody's, that offers it and whose circuit
   * admits it; when no circuit does, the first that offers it. In test mode without a route it is the simulator, and always for numbers
   * whose end chooses what happens. Null: nobody can carry it out.
   */
  connectorFor(order: Routed): Connector | null
  /** Whether the connector's circuit lets an operation that was not sent yet through now. The simulator has none. */
  admits(connector: Connector, subject_id: string): boolean
  /** Whether a connector's operator did not answer the last send of this process. The simulator always answers. */
  isSilent(connector: string): boolean
  /** Tells the circuit that the sending of an operation begins. */
  sendBegan(connector: string, subject_id: string): void
  /** Tells the circuits that the sending of an operation was not begun after all: its transaction failed. */
  sendUndone(subject_id: string): void
  /** Tells the circuit what came of a send. */
  sendEnded(connector: string, subject_id: string, answer: Answer): void
  /** By its name, removed ones included; null when there is none. */
  connectorNamed(name: string): Connector | null
  /** Whether a connector carries live orders; false for the simulator, and for a name that is not set up. */
  isLive(name: string): boolean
  /**
   * Counts the settings that a connector has had, those in force included: other ones may be of another account, which knows nothing of
   * the orders of this one. Null: it has none, as the simulator, or none of that name is set up.
   */
  generationOf(name: string): number | null
  /** The tariff of a contract and the bounds of its float. Null: the simulator, or none of that name is set up. */
  termsOf(name: string): Terms | null
  /**
   * The bounds of one operation: the operator's, narrowed by the route. Null: not known.
   * @param connector as `connectorFor` has answered; absent: it is asked
   */
  boundsFor(order: Routed, connector?: Connector | null): Bounds | null
  /**
   * Reads a callback. `unknown`: nobody is called at this address, which a wrong token is as well. `forged`: the operator signs, and
   * this is not its signature. `ignored`: it signs nothing, and this cannot be read as its callback.
   */
  readCallback(call: CallbackCall): Promise<CallbackReading | { kind: 'unknown' | 'ignored' }>
}

/** The connector that carries an instruction, as recorded when its sending began; null when it has none, or none of that name is set up. */
export function connectorOf(
  registry: Pick<Registry, 'connectorNamed'>,
  { connector }: { readonly connector: string | null },
): Connector | null {
  return connector === null ? null : registry.connectorNamed(connector)
}

/** @param circuits absent: every connector is always admitted */
export function createRegistry(
  simulator: Connector,
  contracts: ContractDirectory = noContracts,
  circuits: Circuits = noCircuits,
): Registry {
  function routeFor({ merchant_id, livemode, operator, direction }: Routed): RouteRow | null {
    if (operator === null) return null
    const found = (merchant: number, towards: Order['direction']) =>
      contracts.routeOf({ merchant_id: merchant, livemode, operator, direction: towards })
    const own = found(merchant_id, direction) ?? found(EVERYBODY, direction)
    // A connector gives back by itself the money that it collected, unless a route says otherwise.
    if (own !== null || direction !== 'refund') return own
    return found(merchant_id, 'collect') ?? found(EVERYBODY, 'collect')
  }

  function connectorIn(route: RouteRow, { subject_id = '', past = null }: Routed): Connector | null {
    const able = connectorsIn(route)
    const open = able.filter(({ name }) => circuits.admits(name, subject_id))
    return open.find(({ name }) => name !== past) ?? open[0] ?? able[0] ?? null
  }

  function connectorsIn(route: RouteRow): Connector[] {
    return route.connectors.flatMap((name) => {
      const contract = contracts.contractNamed(name)
      if (contract === null || contract.removed || contract.livemode !== route.livemode) return []
      const capabilities = contract.connector.capabilitiesOf(route.operator)
      return capabilities !== null && offers(capabilities, route.direction) ? [contract.connector] : []
    })
  }

  function connectorFor(order: Routed): Connector | null {
    if (!order.livemode && isEnding(order.msisdn ?? null)) return simulator
    const route = routeFor(order)
    if (route === null) return order.livemode ? null : simulator
    return connectorIn(route, order)
  }

  return {
    connectorFor,
    admits: ({ name }, subject_id) => name === simulator.name || circuits.admits(name, subject_id),
    isSilent: (connector) => connector !== simulator.name && circuits.isSilent(connector),
    sendBegan(connector, subject_id) {
      if (connector !== simulator.name) circuits.began(connector, subject_id)
    },
    sendUndone: circuits.undone,
    sendEnded(connector, subject_id, answer) {
      if (connector !== simulator.name) circuits.ended(connector, subject_id, answer)
    },
    connectorNamed: (name) =>
      name === simulator.name ? simulator : (contracts.contractNamed(name)?.connector ?? null),
    isLive: (name) => contracts.contractNamed(name)?.livemode ?? false,
    generationOf: (name) => contracts.contractNamed(name)?.generation ?? null,
    termsOf: (name) => contracts.contractNamed(name)?.terms ?? null,
    boundsFor(order, connector = connectorFor(order)) {
      const bounds = connector?.boundsOf?.(order.operator, order.direction) ?? null
      const route = routeFor(order)
      return route === null ? bounds : narrowed(bounds, route)
    },
    async readCallback({ connector: name, token: ending, raw, headers }) {
      const { token, about } = partsOf(ending)
      if (name === simulator.name && token === null) return simulator.readCallback(raw, headers, null)
      const contract = contracts.contractNamed(name)
      if (contract === null) return { kind: 'unknown' }
      const { callbacks } = contract.connector
      if (callbacks === 'none') return { kind: 'unknown' }
      const isAddress = callbacks === 'signed' ? token === null : isSame(token, contract.callback_token)
      if (!isAddress) return { kind: 'unknown' }
      const reading = await contract.readCallback(raw, headers, about)
      return reading.kind === 'forged' && callbacks === 'unsigned' ? { kind: 'ignored' } : reading
    },
  }
}

const noCircuits: Circuits = {
  admits: () => true,
  isSilent: () => false,
  began: () => undefined,
  undone: () => undefined,
  ended: () => undefined,
}

/** Whether these capabilities hold operations of a direction. */
export function offers(capabilities: Capabilities, direction: Order['direction']): boolean {
  return direction === 'refund' ? capabilities.refund !== 'none' : capabilities[direction]
}

function narrowed(bounds: Bounds | null, { amount_min, amount_max }: RouteRow): Bounds | null {
  if (bounds === null && amount_min === null && amount_max === null) return null
  const { min, max, step } = bounds ?? { min: 1, max: AMOUNT_MAX, step: 1 }
  return { min: Math.max(min, amount_min ?? min), max: Math.min(max, amount_max ?? max), step }
}

/** The end of a callback's address: the token, and the word that a connector put behind it. */
function partsOf(ending: string | null): { token: string | null; about: string | null } {
  const dot = ending?.indexOf('.') ?? -1
  return dot < 0 ? { token: ending, about: null } : { token: ending!.slice(0, dot), about: ending!.slice(dot + 1) }
}

function isSame(given: string | null, token: string): boolean {
  if (given === null) return false
  const [one, other] = [Buffer.from(given), Buffer.from(token)]
  return one.length === other.length && timingSafeEqual(one, other)
}
