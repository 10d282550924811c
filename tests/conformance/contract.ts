import type { ConnectorType } from '../../src/operators/contracts/connector-type.ts'
import { createOperatorHttp, type OperatorHttp } from '../../src/operators/operator-api/operator-http.ts'
import type { CallbackReading, Connector, Evidence, Order, ReadOutcome, SendOutcome } from '../../src/operators/port.ts'
import { newReference } from '../../src/operators/reference.ts'
import { machineMilliseconds } from '../../src/platform/clock.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import type { FailureCode } from '../../src/values/failure-codes.ts'
import { Msisdn } from '../../src/values/msisdn.ts'
import type { OperatorCode } from '../../src/values/operators.ts'
import { type ReceivedRequest, startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'

export type Direction = Order['direction']

/** The operator's own codes for a refusal, each with our failure code for it. */
export type Words = Readonly<Record<string, FailureCode>>

/** A type of connector for the suite. Each has a file in this folder; `contracts.ts` lists them. */
export type ContractUnderTest = {
  readonly type: ConnectorType
  /** The name of the API in the twin. */
  readonly api: string
  /** The connector's settings besides those that the twin gives. */
  readonly settings: Readonly<Record<string, unknown>>
  /** The settings of the twin's API for callbacks to an address. Null if this operator sends none. */
  readonly callingBackAt: ((url: string) => Record<string, unknown>) | null
  /** More settings of the twin's API. */
  readonly twin_settings?: Readonly<Record<string, unknown>>
  /** The operators that the contract reaches, for each direction. */
  readonly operators: Readonly<Record<Direction, readonly OperatorCode[]>>
  /** The codes of an immediate refusal. */
  readonly refusals: Readonly<Record<Direction, Words>>
  /** The codes of an accepted order that failed later. */
  readonly failures: Readonly<Record<Direction, Words>>
  /** The operator's known words for a failure without a reason, which counts when it is said twice. Its page in docs/operators lists them. */
  readonly vague: { readonly collect: readonly string[]; readonly out: readonly string[] }
  /** The operators whose payers pay on a page. */
  readonly redirects: readonly OperatorCode[]
  /** The twin's name for an order, if it is not our reference. */
  readonly nameOf?: (reference: string) => string
  /** The data from the answer to a send that an inquiry needs, for contracts that need such data. */
  readonly kept?: Evidence
  /** Pays as the payer, if the telephone alone does not suffice. @param url the page on which the payer pays */
  readonly pay?: (twin: RunningTwin, url: string) => Promise<void>
  /**
   * An order that is sent again is answered `told`, as a duplicate; `as_before`, like the first time; or `anew`, with another page that
   * moves nothing until its payer pays there. Absent: `told`.
   */
  readonly repeats?: Readonly<Record<Direction, 'told' | 'as_before' | 'anew'>>
  /** The directions with callbacks. Absent: all. */
  readonly calls_back?: readonly Direction[]
  /** The directions whose answers contain the number of the payer or the recipient. Absent: none. */
  readonly states_number?: readonly Direction[]
  /** Minutes after the last send during which people cannot fail an order that the operator does not hold. Absent: 15. */
  readonly failable_after_minutes?: number
  /** Whether the operator identifies a refund by its collection, without its own reference. */
  readonly refunds_unnamed?: boolean
  /** Settings of its API in the twin that another environment has: its keys and secrets, unless each twin makes its own. */
  readonly elsewhere?: Readonly<Record<string, unknown>>
  /** Settings of its API in the twin with which it is the operator's sandbox, where that is not another account alone. */
  readonly sandbox?: Readonly<Record<string, unknown>>
  /** The twin's faults that make a callback forged; empty where the operator signs nothing. */
  readonly forgeries: readonly string[]
  /**
   * It says whether a name is that of the holder of a number: whether of itself only that, as its operator compares, or also `close`. Absent: it
   * does not tell.
   */
  readonly recipients?: 'same_or_not' | 'nearness'
  /** A setting with which `check` must fail, and a word of its sentence. */
  readonly wrong_settings: readonly (readonly [settings: Record<string, unknown>, says: RegExp])[]
}

/** The number of payer and recipient. It is no test number of an operator, so a script or the holder decides. */
export const NUMBER = '0758412077'

/** The time-out of a call in the suite. Short, because the twin is on this machine and some faults last until the time-out. */
const DEADLINE_MS = 700

/** A contract on its own twin, with an address for callbacks. */
export type OpenContract = {
  twin: RunningTwin
  connector: Connector
  callback_url: string
  /** Waits until the given number of callbacks has come. Returns the reading of each at its arrival. */
  called(times: number): Promise<CallbackReading[]>
  /** Reads the same callbacks as if they came now. */
  replayed(): Promise<CallbackReading[]>
  order(direction: Direction, operator: OperatorCode, more?: Partial<Order>): Promise<Order>
  /** Opens a connector on the same twin with other settings. @param way to the twin, if it is not the straight one */
  withSettings(settings: Record<string, unknown>, way?: OperatorHttp): Connector
  /** The evidence of every outcome and reading so far, as text. */
  said(): string
  [Symbol.asyncDispose](): Promise<void>
}

export async function openContract(contract: ContractUnderTest): Promise<OpenContract> {
  const started = await startTwin()
  const twin = contract.nameOf === undefined ? started : speakingOfOurs(started, contract.nameOf)
  const readings: (CallbackReading | Promise<CallbackReading>)[] = []
  // Like the service, the suite reads a callback when it comes, because its signature is valid only for a while.
  const receiver = await startReceiver((request) => {
    readings.push(readRequest(request))
    return {}
  })
  const callback_url = `${receiver.url}/operators/main/callbacks`
  twin.change(contract.api, { ...contract.twin_settings, ...contract.callingBackAt?.(callback_url) })
  const proposed = twin.connectors()[contract.api]!.settings
  const http = createOperatorHttp({ base_url: proposed.base_url! })
  const kept: unknown[] = []
  const readRequest = ({ body, headers, path }: ReceivedRequest) =>
    connector.readCallback(body, headers, /\/[^/.]+\.([^/]+)$/.exec(path)?.[1] ?? null)

  function withSettings(settings: Record<string, unknown>, way = http): Connector {
    const connector = contract.type.create({ ...proposed, ...contract.settings, ...settings } as never, {
      name: 'main',
      livemode: true,
      http: { ...way, call: (request) => way.call({ ...request, deadline_ms: DEADLINE_MS }) },
      callback_url,
      return_url: 'https://pay.example.ci/return',
      now: () => new Date(twin.now()),
    })
    const remembered = async <Said>(said: Said | Promise<Said>) => {
      kept.push(await said)
      return said
    }
    return {
      ...connector,
      send: (order) => remembered<SendOutcome>(connector.send(order)),
      read: (order) => remembered<ReadOutcome>(connector.read(order)),
      readCallback: (...call) => remembered(connector.readCallback(...call)),
    }
  }

  const connector = withSettings({})
  const base: Omit<Order, 'direction' | 'operator' | 'reference'> = {
    merchant_id: 1,
    livemode: true,
    operator_reference: null,
    operator_state: null,
    amount: 2_500,
    currency: 'XOF',
    msisdn: Msisdn.parse(NUMBER),
    refund_of: null,
    sent_at: null,
    sent_ms_ago: null,
    sent_again: 0,
  }
  return {
    twin,
    connector,
    callback_url,
    withSettings,
    async called(times) {
      await waitFor(() => readings.length >= times, { what: `${times} callbacks` })
      return await Promise.all(readings)
    },
    replayed: () => Promise.all(receiver.requests.map(readRequest)),
    async order(direction, operator, more = {}) {
      const plain: Order = { ...base, direction, operator, reference: newReference(machineMilliseconds()), ...more }
      const order = { ...plain, operator_state: connector.stateBeforeSend?.(plain) ?? null }
      if (direction !== 'refund') return order
      const collection: Order = {
        ...base,
        direction: 'collect',
        operator,
        reference: newReference(machineMilliseconds()),
      }
      twin.script({ outcome: 'succeed', reference: collection.reference })
      const outcome = await connector.send(collection)
      await twin.advance(30)
      const { reference } = collection
      const operator_reference = 'operator_reference' in outcome ? (outcome.operator_reference ?? null) : null
      const operator_state = 'operator_state' in outcome ? (outcome.operator_state ?? null) : null
      readings.length = 0
      return { ...order, msisdn: null, refund_of: { reference, operator_reference, operator_state } }
    },
    said: () => JSON.stringify(kept),
    async [Symbol.asyncDispose]() {
      await http.close()
      await receiver[Symbol.asyncDispose]()
      await twin.close()
    },
  }
}

/** The twin with our references in scripts, faults and journal, in place of its own names. */
function speakingOfOurs(twin: RunningTwin, nameOf: (reference: string) => string): RunningTwin {
  const ours = new Map<string, string>()
  const named = <Rule extends { reference?: string }>(rule: Rule): Rule => {
    if (rule.reference === undefined) return rule
    ours.set(nameOf(rule.reference), rule.reference)
    return { ...rule, reference: nameOf(rule.reference) }
  }
  return {
    ...twin,
    script: (rule) => twin.script(named(rule)),
    fault: (rule) => twin.fault(named(rule)),
    journal: () => twin.journal().map((one) => ({ ...one, reference: ours.get(one.reference) ?? one.reference })),
  }
}

/** An order with the data that an answer gave us to keep. */
export function keeping(order: Order, outcome: SendOutcome | ReadOutcome): Order {
  const { operator_reference = order.operator_reference } = outcome as { operator_reference?: string }
  const { operator_state = order.operator_state } = outcome as { operator_state?: Order['operator_state'] }
  return { ...order, operator_reference, operator_state }
}

/** The reference under which the twin holds an order. */
export function heldAs({ refunds_unnamed }: ContractUnderTest, order: Order): string {
  return refunds_unnamed === true && order.refund_of !== null ? order.refund_of.reference : order.reference
}

/** The end of an order after inquiries, or `open`. Like the service, the suite sends it again only if the operator's promise allows it. */
export type Ended = { kind: 'settled' | 'refused' | 'open'; sends: number; saw: string[]; amount?: number }

/** Sends an order and inquires until its end, at most ten times, every two minutes of the twin's time. */
export async function carryThrough({ twin, connector }: OpenContract, order: Order): Promise<Ended> {
  const promise = connector.promises[order.direction]
  const saw: string[] = []
  let sends = 0
  let held = false
  let current = order
  const send = async () => {
    const outcome = await connector.send(current)
    saw.push(outcome.kind)
    sends += 1
    current = keeping(current, outcome)
    held ||= outcome.kind === 'accepted' || outcome.kind === 'duplicate'
    return outcome
  }
  const first = await send()
  if (first.kind === 'refused') return { kind: 'refused', sends, saw }
  if (first.kind === 'settled') return { kind: 'settled', sends, saw, amount: first.amount }
  for (let time = 0; time < 10; time += 1) {
    await twin.advance(Math.max(120, promise.not_found.after_seconds))
    const outcome = await connector.read(current)
    saw.push(outcome.kind)
    current = keeping(current, outcome)
    if (outcome.kind === 'settled') return { kind: 'settled', sends, saw, amount: outcome.amount }
    if (outcome.kind === 'refused') return { kind: 'refused', sends, saw }
    if (outcome.kind === 'not_found' && !held && promise.same_reference === 'never_twice') await send()
  }
  return { kind: 'open', sends, saw }
}
