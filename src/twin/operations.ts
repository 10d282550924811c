import type { Phones } from './phones.ts'
import { type Fault, type Outcome, placeOf, takeRule } from './rules.ts'
import { type Execution, keyOf, nextId, type Operation, type TwinState } from './state.ts'
import type { Time } from './time.ts'
import { FaultInstead, type TwinRequest } from './wire.ts'

/** An order of an API to the core. */
export type Order = Pick<
  Operation,
  'api' | 'kind' | 'reference' | 'direction' | 'operator' | 'amount' | 'msisdn' | 'payee' | 'wallet' | 'detail'
> & {
  /** The outcome that the operator's table of test numbers gives its number. A script goes before it. */
  by_number?: Outcome | null
  /** Francs that the operator keeps; none without it. */
  fee?: number
  /** Held back until `release`. */
  queued?: boolean
  /** Its payer is sent to a page first: the API calls `ask` itself. */
  asks_later?: boolean
  /** When the wallet does not hold enough: it is taken, and fails. Otherwise it is refused. */
  fails_short?: boolean
}

/**
 * - `accepted`: the operation goes its way;
 * - `duplicate`: this reference was used; nothing new happens;
 * - `refused`: nothing is kept. `reason` is a `failure_code` or the operator's own word.
 */
export type Submitted =
  | { kind: 'accepted'; operation: Operation }
  | { kind: 'duplicate'; operation: Operation }
  | { kind: 'refused'; reason: string }

export type Approval = 'done' | 'wrong_code' | 'nothing_asked'

export type Operations = {
  /**
   * Takes an order, once for each reference, with the script and the fault that are about it.
   * @throws FaultInstead when a fault leaves nothing but its own answer
   */
  submit(request: TwinRequest, order: Order): Promise<Submitted>
  /**
   * Looks an operation up for a call that reads it.
   * @throws FaultInstead
   */
  read(request: TwinRequest, about: { api: string; kind: string; reference: string }): Operation | null
  find(about: { api: string; kind: string; reference: string }): Operation | null
  byKey(key: string): Operation | null
  all(): Operation[]
  /** All that have not ended. */
  open(): Operation[]
  /** The requests that wait for the holder of this number, oldest first. */
  asking(msisdn: string): Operation[]
  /** Lets what was queued go on. */
  release(operation: Operation): void
  /** Shows a request on a telephone, for an API that learns its payer later. */
  ask(operation: Operation, msisdn: string, lapse_seconds: number): void
  /** The payer agrees. A third wrong code ends it. `pin` null: the contract asks for none. */
  approve(operation: Operation, pin: string | null): Approval
  decline(operation: Operation): Approval
  lapse(operation: Operation): Approval
  /** Moves the money, once, and ends it. Without effect on what has ended. */
  succeed(operation: Operation): void
  /** Ends it without money. Without effect on what has ended. */
  fail(operation: Operation, reason: string): void
  /** Lets the payer of a collection that failed try once more, for an API where one failed try ends nothing. */
  reopen(operation: Operation): void
  /** Francs that a wallet of a contract holds, less what is promised to payouts and refunds under way. */
  available(wallet: string): number
  /** Francs that it holds. */
  held(wallet: string): number
  /** The movements of money of an API, oldest first. */
  movements(api: string): Execution[]
  /** Knows of nothing any more. */
  forget(): void
}

/** Seconds for which a telephone shows a request. */
export const LAPSE_SECONDS = 120

/** The outcome of an order that the wallet cannot cover and that is taken all the same. */
const failsShort: Outcome = { outcome: 'fail', reason: 'operator_float_insufficient' }

/** Francs in a wallet when it is first needed. */
const FIRST_WALLET = 10_000_000

/** Called when an operation has a new state, or with a copy that claims one. */
export type Told = (operation: Operation) => void

export function createOperations(state: TwinState, time: Time, phones: Phones, told: Told): Operations {
  const open = new Map<string, Operation>()
  for (const [key, operation] of Object.entries(state.operations)) if (!hasEnded(operation)) open.set(key, operation)

  function move(operation: Operation, to: Operation['state'], reason: string | null = null): void {
    operation.state = to
    operation.reason = reason
    operation.changed_at = time.now()
    if (hasEnded(operation)) open.delete(keyOf(operation))
    told(operation)
  }

  function execute(operation: Operation): void {
    if (operation.executed_at !== null) return
    const incoming = operation.direction === 'collection'
    const { amount, fee } = operation
    operation.executed_at = time.now()
    state.wallets[operation.wallet] = held(operation.wallet) + (incoming ? amount : -amount) - fee
    if (operation.msisdn !== null) phones.add(operation.msisdn, operation.operator, incoming ? -amount : amount)
    const { api, kind, reference, direction, operator, msisdn } = operation
    state.journal.push({
      at: operation.executed_at,
      api,
      kind,
      reference,
      direction,
      operator,
      amount,
      fee,
      msisdn,
      wallet_after: held(operation.wallet),
    })
  }

  const held = (wallet: string): number => state.wallets[wallet] ?? FIRST_WALLET

  function available(wallet: string): number {
    let promised = 0
    for (const one of open.values()) {
      const promises = one.direction !== 'collection' && one.outcome.reason !== failsShort.reason
      if (one.wallet === wallet && promises) promised += one.amount + one.fee
    }
    return held(wallet) - promised
  }

  function succeed(operation: Operation): void {
    if (hasEnded(operation)) return
    const { msisdn, operator, amount, direction } = operation
    if (direction === 'collection' && msisdn !== null && phones.balance(msisdn, operator) < amount) {
      fail(operation, 'payer_insufficient_funds')
      return
    }
    execute(operation)
    phones.tell(operation, direction === 'collection' ? 'paid' : direction === 'payout' ? 'received' : 'refunded')
    move(operation, 'succeeded')
  }

  function fail(operation: Operation, reason: string): void {
    if (hasEnded(operation)) return
    const about = ({ payer_declined: 'declined', payer_timeout: 'lapsed' } as const)[reason]
    if (operation.direction === 'collection') phones.tell(operation, about ?? 'refused')
    move(operation, 'failed', reason)
  }

  function ask(operation: Operation, msisdn: string, lapse_seconds: number): void {
    operation.msisdn = msisdn
    operation.asked_until = time.now() + lapse_seconds * 1000
    phones.of(msisdn)
    time.after(lapse_seconds, 'operation.lapse', { key: keyOf(operation) })
    move(operation, 'asking')
  }

  function begin(operation: Operation, asks_later = false): void {
    const { outcome, after_seconds = 1, reason = 'operator_refused', then = 'succeed' } = operation.outcome
    const key = keyOf(operation)
    if (outcome === 'ask' && operation.msisdn !== null && !asks_later) ask(operation, operation.msisdn, LAPSE_SECONDS)
    if (outcome === 'succeed' || outcome === 'fail')
      time.after(after_seconds, 'operation.end', { key, outcome, reason })
    if (outcome === 'doubt') {
      move(operation, 'in_doubt')
      time.after(after_seconds, 'operation.end', { key, outcome: then, reason })
    }
  }

  function take(order: Order, outcome: Outcome): Operation {
    const { by_number: _, asks_later: __, fails_short: ___, queued, ...fields } = order
    const operation: Operation = {
      fee: 0,
      ...fields,
      state: queued === true ? 'queued' : 'received',
      reason: null,
      created_at: time.now(),
      changed_at: time.now(),
      executed_at: null,
      transaction: `TW${time.text().slice(2, 10).replaceAll('-', '')}.${String(nextId(state)).padStart(6, '0')}`,
      outcome,
      asked_until: null,
      wrong_codes: 0,
    }
    return operation
  }

  function keep(operation: Operation): void {
    const key = keyOf(operation)
    state.operations[key] = operation
    open.set(key, operation)
    if (operation.msisdn !== null) phones.of(operation.msisdn)
  }

  async function submit(request: TwinRequest, order: Order): Promise<Submitted> {
    const fault = takeFault(state.faults, request, 'send', order)
    const pretends = fault?.fault === 'refuse_and_accept' || fault?.fault === 'forget'
    if (fault !== null && !fault.effect && !pretends) throw new FaultInstead()
    const known = state.operations[keyOf(order)]
    if (known !== undefined) return { kind: 'duplicate', operation: known }
    const short = order.direction !== 'collection' && available(order.wallet) < order.amount + (order.fee ?? 0)
    const outcome = short && order.fails_short === true ? failsShort : outcomeOf(state, order)
    const refused = refusalOf(order, outcome, short)
    if (refused !== null) return { kind: 'refused', reason: refused }
    const operation = take(order, outcome)
    if (fault?.fault === 'forget') return { kind: 'accepted', operation }
    keep(operation)
    if (fault?.fault === 'refuse_and_accept') fail(operation, 'operator_refused')
    else if (operation.state !== 'queued') begin(operation, order.asks_later)
    if (fault?.fault === 'callback_claims_success') told({ ...operation, state: 'succeeded' })
    if (fault?.fault === 'callback_early') {
      if (outcome.outcome === 'fail') fail(operation, outcome.reason ?? 'operator_refused')
      else succeed(operation)
      // Its callback is a task of this very moment.
      await time.advance(0)
    }
    return { kind: 'accepted', operation }
  }

  function refusalOf({ fails_short }: Order, outcome: Outcome, short: boolean): string | null {
    if (outcome.outcome === 'refuse') return outcome.reason ?? 'operator_refused'
    return short && fails_short !== true ? 'operator_float_insufficient' : null
  }

  time.handle('operation.end', ({ key, outcome, reason }) => {
    const operation = state.operations[String(key)]
    if (operation === undefined) return
    if (outcome === 'succeed') succeed(operation)
    else fail(operation, String(reason))
  })
  time.handle('operation.lapse', ({ key }) => {
    const operation = state.operations[String(key)]
    // It may have been asked once more since.
    const over = operation?.state === 'asking' && (operation.asked_until ?? 0) <= time.now()
    if (over) fail(operation, 'payer_timeout')
  })

  return {
    submit,
    read(request, about) {
      const operation = state.operations[keyOf(about)] ?? null
      const fault = takeFault(state.faults, request, 'read', operation ?? about)
      if (operation === null || fault?.fault === 'read_not_found') return null
      return fault?.fault === 'read_opposite' && hasEnded(operation) ? withOppositeEnd(operation) : operation
    },
    find: (about) => state.operations[keyOf(about)] ?? null,
    byKey: (key) => state.operations[key] ?? null,
    all: () => Object.values(state.operations),
    open: () => [...open.values()],
    asking: (msisdn) => [...open.values()].filter((one) => one.state === 'asking' && one.msisdn === msisdn),
    release(operation) {
      if (operation.state !== 'queued') return
      move(operation, 'received')
      begin(operation)
    },
    ask,
    approve(operation, pin) {
      if (operation.state !== 'asking' || operation.msisdn === null) return 'nothing_asked'
      if (pin !== null && pin !== phones.of(operation.msisdn).pin) {
        operation.wrong_codes += 1
        if (operation.wrong_codes >= 3) fail(operation, 'payer_wrong_code')
        return 'wrong_code'
      }
      succeed(operation)
      return 'done'
    },
    decline: (operation) => endAsked(operation, 'payer_declined'),
    lapse: (operation) => endAsked(operation, 'payer_timeout'),
    succeed,
    fail,
    reopen(operation) {
      if (operation.state !== 'failed' || operation.direction !== 'collection') return
      Object.assign(operation, { asked_until: null, wrong_codes: 0 })
      open.set(keyOf(operation), operation)
      move(operation, 'received')
    },
    available,
    held,
    movements: (api) => state.journal.filter((one) => one.api === api),
    forget: () => open.clear(),
  }

  function endAsked(operation: Operation, reason: string): Approval {
    if (operation.state !== 'asking') return 'nothing_asked'
    fail(operation, reason)
    return 'done'
  }
}

export function hasEnded({ state }: Operation): boolean {
  return state === 'succeeded' || state === 'failed'
}

/** A copy that claims the opposite: a success unless it succeeded. */
export function withOppositeEnd(operation: Operation): Operation {
  return operation.state === 'succeeded'
    ? { ...operation, state: 'failed', reason: 'operator_refused' }
    : { ...operation, state: 'succeeded', reason: null }
}

/** The fault that lies in a call, kept with the request for its answer. */
export function takeFault(
  faults: Fault[],
  request: TwinRequest,
  place: 'send' | 'read' | 'other',
  subject: Parameters<typeof takeRule>[1],
): Fault | null {
  request.matched = true
  request.fault = takeRule(faults, subject, ({ on, fault }) => {
    // Those of callbacks wait for a callback, wherever else their rule may lie.
    return on === place || (on === 'any' && placeOf(fault) !== 'callback')
  })
  return request.fault
}

/** A script first, then the operator's table of test numbers, then the usual: a payer is asked, and money given arrives. */
function outcomeOf(state: TwinState, order: Order): Outcome {
  const script = takeRule(state.scripts, order)
  if (script !== null) {
    const { outcome, after_seconds, reason, then } = script
    return {
      outcome,
      ...(after_seconds === undefined ? {} : { after_seconds }),
      ...(reason === undefined ? {} : { reason }),
      ...(then === undefined ? {} : { then }),
    }
  }
  return order.by_number ?? { outcome: order.direction === 'collection' ? 'ask' : 'succeed' }
}
