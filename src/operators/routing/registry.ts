import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { OrderOfWallet } from '../../external-accounts/wallet-of.ts'
import { AMOUNT_MAX } from '../../values/amount.ts'
import type { Terms } from '../contracts/connector-terms.ts'
import type { Contract, ContractDirectory } from '../contracts/contract-directory.ts'
import { EVERYBODY, type RouteRow } from '../contracts/route-store.ts'
import type { Bounds, CallbackReading, Capabilities, Connector, Order } from '../port.ts'
import type { Answer } from '../sending/answer.ts'
import type { Circuits } from './circuit.ts'

/** The fields of an order that decide its connector. */
export type Routed = Pick<Order, 'merchant_id' | 'livemode' | 'operator' | 'direction'> & {
  /** Absent when the question is about no particular number. */
  msisdn?: string | null
  /** Absent when the question is about no particular operation. */
  subject_id?: string
  /** A connector to use only when no other one is open. */
  past?: string | null
}

/** A callback as it arrived. */
export type CallbackCall = {
  /** The connector's name in its URL. */
  connector: string
  /** The token in its URL, perhaps followed by a dot and a word; null when there is none. */
  token: string | null
  raw: Buffer
  headers: IncomingHttpHeaders
}

export type Registry = {
  /**
   * Chooses the connector of an order: the first one of the merchant's own route, or else of the route for all
   * merchants, that offers the operation and whose circuit admits it. When no circuit does, the first one that offers
   * the operation. Null when no connector can carry the order.
   */
  connectorFor(order: Routed): Connector | null
  /** Whether the connector's circuit admits an unsent operation now. Always true of one without a circuit. */
  admits(connector: Connector, subject_id: string): boolean
  /** Whether the connector's operator did not answer the last send of this process. Always false of one without a circuit. */
  isSilent(connector: string): boolean
  /** Whether the connector's operator answered the last send of this process, of any order. False before the first. Always true of one without a circuit. */
  hasAnswered(connector: string): boolean
  /** Tells the circuit that the sending of an operation begins. */
  sendBegan(connector: string, subject_id: string): void
  /** Tells the circuits that an operation was not begun after all, because its transaction failed. */
  sendUndone(subject_id: string): void
  /** Tells the circuit the outcome of a send. */
  sendEnded(connector: string, subject_id: string, answer: Answer): void
  /** The connector of a name, also when it was removed. Null when there is none. */
  connectorNamed(name: string): Connector | null
  /** Whether a connector carries live orders. False for unknown names. */
  isLive(name: string): boolean
  /**
   * The number of settings that a connector has had, the current ones included. Other settings may belong to another
   * account, which does not know the orders of this one. Null for one without settings, and for unknown names.
   */
  generationOf(name: string): number | null
  /** The tariff of a contract and the bounds of its float. Null for one without settings, and for unknown names. */
  termsOf(name: string): Terms | null
  /** The external account in which an order's money is. @throws for a connector without one, which is a defect */
  walletOf(order: OrderOfWallet): string
  /**
   * The bounds of one operation: the operator's, narrowed by the route. Null when they are unknown.
   * @param connector the answer of `connectorFor`, which is called when it is absent
   */
  boundsFor(order: Routed, connector?: Connector | null): Bounds | null
  /**
   * Verifies and reads a callback.
   * - `unknown`: no operator calls this URL. A wrong token is one such case.
   * - `forged`: the operator signs its callbacks, and this signature is wrong.
   * - `ignored`: the operator does not sign, and this is not readable as its callback.
   */
  readCallback(call: CallbackCall): Promise<CallbackReading | { kind: 'unknown' | 'ignored' }>
}

/** The connector recorded when the instruction's sending began. Null when none is recorded, or when its name is unknown. */
export function connectorOf(
  registry: Pick<Registry, 'connectorNamed'>,
  { connector }: { readonly connector: string | null },
): Connector | null {
  return connector === null ? null : registry.connectorNamed(connector)
}

type StandingRoute = Pick<RouteRow, 'livemode' | 'direction' | 'connectors'>

/** A connector with what the registry knows of it. No generation and no terms: it has no settings. */
type RoutedContract = Omit<Contract, 'generation' | 'terms'> & {
  readonly generation: number | null
  readonly terms: Terms | null
}

/** The contracts and routes of this process, with those that stand without being set up: ahead of the routes, or behind them. */
export type Directory = Pick<ContractDirectory, 'routeOf' | 'walletOf'> & {
  contractNamed(name: string): RoutedContract | null
  ahead?(order: Routed): StandingRoute | null
  behind?(order: Routed): StandingRoute | null
}

/**
 * Creates the registry of connectors and routes.
 * @param circuits when absent, every connector is admitted
 */
export function createRegistry(directory: Directory, circuits: Circuits = noCircuits): Registry {
  const connectorNamed = (name: string) => directory.contractNamed(name)?.connector ?? null
  const hasCircuit = (name: string) => connectorNamed(name)?.withoutCircuit !== true
  const admits = ({ name }: Connector, subject_id: string) => !hasCircuit(name) || circuits.admits(name, subject_id)

  function routeFor({ merchant_id, livemode, operator, direction }: Routed): RouteRow | null {
    if (operator === null) return null
    const found = (merchant: number, towards: Order['direction']) =>
      directory.routeOf({ merchant_id: merchant, livemode, operator, direction: towards })
    const own = found(merchant_id, direction) ?? found(EVERYBODY, direction)
    // A refund without a route of its own takes the route of collections.
    if (own !== null || direction !== 'refund') return own
    return found(merchant_id, 'collect') ?? found(EVERYBODY, 'collect')
  }

  function connectorIn(route: StandingRoute, { operator, subject_id = '', past = null }: Routed): Connector | null {
    const able = connectorsIn(route, operator)
    const open = able.filter((connector) => admits(connector, subject_id))
    return open.find(({ name }) => name !== past) ?? open[0] ?? able[0] ?? null
  }

  function connectorsIn(route: StandingRoute, operator: string | null): Connector[] {
    return route.connectors.flatMap((name) => {
      const contract = directory.contractNamed(name)
      if (contract === null || contract.removed || contract.livemode !== route.livemode) return []
      const capabilities = contract.connector.capabilitiesOf(operator)
      return capabilities !== null && offers(capabilities, route.direction) ? [contract.connector] : []
    })
  }

  function connectorFor(order: Routed): Connector | null {
    const route = directory.ahead?.(order) ?? routeFor(order) ?? directory.behind?.(order) ?? null
    return route === null ? null : connectorIn(route, order)
  }

  return {
    connectorFor,
    admits,
    isSilent: (connector) => hasCircuit(connector) && circuits.isSilent(connector),
    hasAnswered: (connector) => !hasCircuit(connector) || circuits.hasAnswered(connector),
    sendBegan(connector, subject_id) {
      if (hasCircuit(connector)) circuits.began(connector, subject_id)
    },
    sendUndone: circuits.undone,
    sendEnded(connector, subject_id, answer) {
      if (hasCircuit(connector)) circuits.ended(connector, subject_id, answer)
    },
    connectorNamed,
    isLive: (name) => directory.contractNamed(name)?.livemode ?? false,
    generationOf: (name) => directory.contractNamed(name)?.generation ?? null,
    termsOf: (name) => directory.contractNamed(name)?.terms ?? null,
    walletOf: directory.walletOf,
    boundsFor(order, connector = connectorFor(order)) {
      const bounds = connector?.boundsOf?.(order.operator, order.direction) ?? null
      const route = routeFor(order)
      return route === null ? bounds : narrowed(bounds, route)
    },
    async readCallback({ connector: name, token: ending, raw, headers }) {
      const { token, about } = partsOf(ending)
      const contract = directory.contractNamed(name)
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
  hasAnswered: () => true,
  began: () => undefined,
  undone: () => undefined,
  ended: () => undefined,
}

/** Whether the capabilities include operations of this direction. */
export function offers(capabilities: Capabilities, direction: Order['direction']): boolean {
  return direction === 'refund' ? capabilities.refund !== 'none' : capabilities[direction]
}

function narrowed(bounds: Bounds | null, { amount_min, amount_max }: RouteRow): Bounds | null {
  if (bounds === null && amount_min === null && amount_max === null) return null
  const { min, max, step } = bounds ?? { min: 1, max: AMOUNT_MAX, step: 1 }
  return { min: Math.max(min, amount_min ?? min), max: Math.min(max, amount_max ?? max), step }
}

/** Splits the end of a callback's URL into the token and the word that the connector appended. */
function partsOf(ending: string | null): { token: string | null; about: string | null } {
  const dot = ending?.indexOf('.') ?? -1
  return dot < 0 ? { token: ending, about: null } : { token: ending!.slice(0, dot), about: ending!.slice(dot + 1) }
}

function isSame(given: string | null, token: string): boolean {
  if (given === null) return false
  const [one, other] = [Buffer.from(given), Buffer.from(token)]
  return one.length === other.length && timingSafeEqual(one, other)
}
