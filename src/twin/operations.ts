import type { Phones } from './phones.ts'
import { type Fault, type Outcome, placeOf, takeRule } from './rules.ts'
import { type Execution, keyOf, nextId, type Operation, type TwinState } from './state.ts'
import type { Time } from './time.ts'
import { FaultInstead, type TwinRequest } from './wire.ts'

/** An order that an API passes to the core. */
export type Order = Pick<
  Operation,
  'api' | 'kind' | 'reference' | 'direction' | 'operator' | 'amount' | 'msisdn' | 'payee' | 'wallet' | 'detail'
> & {
  /** The outcome for the number in the operator's table of test numbers. A script has priority. */
  by_number?: Outcome | null
  /** The operator's fee, in francs. Absent: none. */
  fee?: number
  /** Whether the operation waits for `release`. */
  queued?: boolean
  /** Whether the payer first goes to a page. The API then calls `ask` itself. */
  asks_later?: boolean
  /** Whether an order that the wallet cannot cover is accepted and fails later. Otherwise it is refused at once. */
  fails_short?: boolean
}

/**
 * - `accepted`: the operation has begun;
 * - `duplicate`: the reference is in use, and nothing new happens;
 * - `refused`: nothing is stored. `reason` is a `failure_code` or the operator's own word.
 */
export type Submitted =
  | { kind: 'accepted'; operation: Operation }
  | { kind: 'duplicate'; operation: Operation }
  | { kind: 'refused'; reason: string }

export type Approval = 'done' | 'wrong_code' | 'nothing_asked'

export type Operations = {
  /**
   * Accepts an order, once for each reference, with the script and the fault that match it.
   * @throws FaultInstead if a fault replaces the order by its own answer
   */
  submit(request: TwinRequest, order: Order): Promise<Submitted>
  /**
   * Finds the operation for a call that reads it, with the fault that matches the call.
   * @throws FaultInstead
   */
  read(request: TwinRequest, about: { api: string; kind: string; reference: string }): Operation | null
  find(about: { api: string; kind: string; reference: string }): Operation | null
  byKey(key: string): Operation | null
  all(): Operation[]
  /** All operations that have not ended. */
  open(): Operation[]
  /** The requests that wait for the holder of this number, oldest first. */
  asking(msisdn: string): Operation[]
  /** Continues a queued operation. */
  release(operation: Operation): void
  /** Shows a request on a phone, for an API that learns its payer later. */
  ask(operation: Operation, msisdn: string, lapse_seconds: number): void
  /** The payer approves. A third wrong code ends the operation. `pin` null: the contract asks for none. */
  approve(operation: Operation, pin: string | null): Approval
  decline(operation: Operation): Approval
  lapse(operation: Operation): Approval
  /** Moves the money, once, and ends the operation. Has no effect on an ended one. */
  succeed(operation: Operation): void
  /** Ends the operation without moving money. Has no effect on an ended one. */
  fail(operation: Operation, reason: string): void
  /** Lets the payer of a failed collection try again, for an API where a failed try does not end the collection. */
  reopen(operation: Operation): void
  /** The balance of a contract's wallet in francs, less the open payouts and refunds. */
  available(wallet: string): number
  /** The balance of a contract's wallet, in francs. */
  held(wallet: string): number
  /** The movements of money of an API, oldest first. */
  movements(api: string): Execution[]
  /** Forgets all operations. */
  forget(): void
}

/** Seconds for which a phone shows a request. */
export const LAPSE_SECONDS = 120

/** The outcome of an accepted order that the wallet cannot cover. */
const failsShort: Outcome = { outcome: 'fail', reason: 'operator_float_insufficient' }

/** The first balance of a wallet, in francs. */
const FIRST_WALLET = 10_000_000

/** Called with an operation that has a new state, or with a copy in which a fault claims one. */
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
      // Its callback is due at the same time.
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
    // The phone may have shown the request again since.
    const over = operation?.state === 'asking' && (operation.asked_until ?? 0) <= time.now()
    if (over) fail(operation, 'payer_timeout')
  })

  return {
    submit,
    read(request, about) {
      const operation = state.operations[keyOf(about)] ?? null
      const fault = takeFault(state.faults, request, 'read', operation ?? about)
      if (operation === null || fault?.fault === 'read_not_found') return null
      const isOpposite = fault?.fault === 'read_opposite' && hasEnded(operation)
      return isOpposite ? withOppositeEnd(operation, fault.reason) : operation
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

/** A copy of the operation with the opposite end: failed if it succeeded, otherwise succeeded. */
export function withOppositeEnd(operation: Operation, reason = 'operator_refused'): Operation {
  return operation.state === 'succeeded'
    ? { ...operation, state: 'failed', reason }
    : { ...operation, state: 'succeeded', reason: null }
}

/** Finds the fault that matches a call, and stores it in the request for the answer. */
export function takeFault(
  faults: Fault[],
  request: TwinRequest,
  place: 'send' | 'read' | 'other',
  subject: Parameters<typeof takeRule>[1],
): Fault | null {
  request.matched = true
  request.fault = takeRule(faults, subject, ({ on, fault }) => {
    // Faults of callbacks apply to the callback, not to this call.
    return on === place || (on === 'any' && placeOf(fault) !== 'callback')
  })
  return request.fault
}

/** The outcome of an order: from a script, else from the operator's table of test numbers, else `ask` for a payer and success for the rest. */
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
