import type { Phones } from './phones.ts'
import { type Outcome, takeRule } from './rules.ts'
import { type Execution, hasEnded, keyOf, nextId, type Operation, type TwinState, withOppositeEnd } from './state.ts'
import type { Time } from './time.ts'
import { FaultInstead, type TwinRequest, takeFault } from './wire.ts'

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

/** The parts that all functions of operations share. */
type Core = {
  readonly state: TwinState
  readonly time: Time
  readonly phones: Phones
  readonly told: Told
  /** The operations that have not ended, by key. */
  readonly open: Map<string, Operation>
}

export function createOperations(state: TwinState, time: Time, phones: Phones, told: Told): Operations {
  const open = new Map<string, Operation>()
  for (const [key, operation] of Object.entries(state.operations)) if (!hasEnded(operation)) open.set(key, operation)
  const core: Core = { state, time, phones, told, open }
  scheduleEnds(core)
  return {
    submit: (request, order) => submit(core, request, order),
    read: (request, about) => read(core, request, about),
    find: (about) => state.operations[keyOf(about)] ?? null,
    byKey: (key) => state.operations[key] ?? null,
    all: () => Object.values(state.operations),
    open: () => [...open.values()],
    asking: (msisdn) => [...open.values()].filter((one) => one.state === 'asking' && one.msisdn === msisdn),
    release: (operation) => release(core, operation),
    ask: (operation, msisdn, lapse_seconds) => ask(core, operation, msisdn, lapse_seconds),
    approve: (operation, pin) => approve(core, operation, pin),
    decline: (operation) => endAsked(core, operation, 'payer_declined'),
    lapse: (operation) => endAsked(core, operation, 'payer_timeout'),
    succeed: (operation) => succeed(core, operation),
    fail: (operation, reason) => fail(core, operation, reason),
    reopen: (operation) => reopen(core, operation),
    available: (wallet) => available(core, wallet),
    held: (wallet) => held(state, wallet),
    movements: (api) => state.journal.filter((one) => one.api === api),
    forget: () => open.clear(),
  }
}

/** The tasks that end operations by themselves. */
function scheduleEnds(core: Core): void {
  const { state, time } = core
  time.handle('operation.end', ({ key, outcome, reason }) => {
    const operation = state.operations[String(key)]
    if (operation === undefined) return
    if (outcome === 'succeed') succeed(core, operation)
    else fail(core, operation, String(reason))
  })
  time.handle('operation.lapse', ({ key }) => {
    const operation = state.operations[String(key)]
    // The phone may have shown the request again since.
    const over = operation?.state === 'asking' && (operation.asked_until ?? 0) <= time.now()
    if (over) fail(core, operation, 'payer_timeout')
  })
}

function move(core: Core, operation: Operation, to: Operation['state'], reason: string | null = null): void {
  operation.state = to
  operation.reason = reason
  operation.changed_at = core.time.now()
  if (hasEnded(operation)) core.open.delete(keyOf(operation))
  core.told(operation)
}

/** Moves the money of an operation, once. */
function execute({ state, time, phones }: Core, operation: Operation): void {
  if (operation.executed_at !== null) return
  const incoming = operation.direction === 'collection'
  const { amount, fee } = operation
  operation.executed_at = time.now()
  state.wallets[operation.wallet] = held(state, operation.wallet) + (incoming ? amount : -amount) - fee
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
    wallet_after: held(state, operation.wallet),
  })
}

const held = (state: TwinState, wallet: string): number => state.wallets[wallet] ?? FIRST_WALLET

function available({ state, open }: Core, wallet: string): number {
  let promised = 0
  for (const one of open.values()) {
    const promises = one.direction !== 'collection' && one.outcome.reason !== failsShort.reason
    if (one.wallet === wallet && promises) promised += one.amount + one.fee
  }
  return held(state, wallet) - promised
}

function succeed(core: Core, operation: Operation): void {
  const { phones } = core
  if (hasEnded(operation)) return
  const { msisdn, operator, amount, direction } = operation
  if (direction === 'collection' && msisdn !== null && phones.balance(msisdn, operator) < amount) {
    fail(core, operation, 'payer_insufficient_funds')
    return
  }
  execute(core, operation)
  phones.tell(operation, direction === 'collection' ? 'paid' : direction === 'payout' ? 'received' : 'refunded')
  move(core, operation, 'succeeded')
}

function fail(core: Core, operation: Operation, reason: string): void {
  if (hasEnded(operation)) return
  const about = ({ payer_declined: 'declined', payer_timeout: 'lapsed' } as const)[reason]
  if (operation.direction === 'collection') core.phones.tell(operation, about ?? 'refused')
  move(core, operation, 'failed', reason)
}

function ask(core: Core, operation: Operation, msisdn: string, lapse_seconds: number): void {
  const { time, phones } = core
  operation.msisdn = msisdn
  operation.asked_until = time.now() + lapse_seconds * 1000
  phones.of(msisdn)
  time.after(lapse_seconds, 'operation.lapse', { key: keyOf(operation) })
  move(core, operation, 'asking')
}

function begin(core: Core, operation: Operation, asks_later = false): void {
  const { time } = core
  const { outcome, after_seconds = 1, reason = 'operator_refused', then = 'succeed' } = operation.outcome
  const key = keyOf(operation)
  if (outcome === 'ask' && operation.msisdn !== null && !asks_later)
    ask(core, operation, operation.msisdn, LAPSE_SECONDS)
  if (outcome === 'succeed' || outcome === 'fail') time.after(after_seconds, 'operation.end', { key, outcome, reason })
  if (outcome === 'doubt') {
    move(core, operation, 'in_doubt')
    time.after(after_seconds, 'operation.end', { key, outcome: then, reason })
  }
}

function take({ state, time }: Core, order: Order, outcome: Outcome): Operation {
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

function keep({ state, phones, open }: Core, operation: Operation): void {
  const key = keyOf(operation)
  state.operations[key] = operation
  open.set(key, operation)
  if (operation.msisdn !== null) phones.of(operation.msisdn)
}

async function submit(core: Core, request: TwinRequest, order: Order): Promise<Submitted> {
  const { state, time, told } = core
  const fault = takeFault(state.faults, request, 'send', order)
  const pretends = fault?.fault === 'refuse_and_accept' || fault?.fault === 'forget'
  if (fault !== null && !fault.effect && !pretends) throw new FaultInstead()
  const known = state.operations[keyOf(order)]
  if (known !== undefined) return { kind: 'duplicate', operation: known }
  const short = order.direction !== 'collection' && available(core, order.wallet) < order.amount + (order.fee ?? 0)
  const outcome = short && order.fails_short === true ? failsShort : outcomeOf(state, order)
  const refused = refusalOf(order, outcome, short)
  if (refused !== null) return { kind: 'refused', reason: refused }
  const operation = take(core, order, outcome)
  if (fault?.fault === 'forget') return { kind: 'accepted', operation }
  keep(core, operation)
  if (fault?.fault === 'refuse_and_accept') fail(core, operation, 'operator_refused')
  else if (operation.state !== 'queued') begin(core, operation, order.asks_later)
  if (fault?.fault === 'callback_claims_success') told({ ...operation, state: 'succeeded' })
  if (fault?.fault === 'callback_early') {
    if (outcome.outcome === 'fail') fail(core, operation, outcome.reason ?? 'operator_refused')
    else succeed(core, operation)
    // Its callback is due at the same time.
    await time.advance(0)
  }
  return { kind: 'accepted', operation }
}

function refusalOf({ fails_short }: Order, outcome: Outcome, short: boolean): string | null {
  if (outcome.outcome === 'refuse') return outcome.reason ?? 'operator_refused'
  return short && fails_short !== true ? 'operator_float_insufficient' : null
}

function read(
  { state }: Core,
  request: TwinRequest,
  about: { api: string; kind: string; reference: string },
): Operation | null {
  const operation = state.operations[keyOf(about)] ?? null
  const fault = takeFault(state.faults, request, 'read', operation ?? about)
  if (operation === null || fault?.fault === 'read_not_found') return null
  const isOpposite = fault?.fault === 'read_opposite' && hasEnded(operation)
  return isOpposite ? withOppositeEnd(operation, fault.reason) : operation
}

/** Continues a queued operation. */
function release(core: Core, operation: Operation): void {
  if (operation.state !== 'queued') return
  move(core, operation, 'received')
  begin(core, operation)
}

function approve(core: Core, operation: Operation, pin: string | null): Approval {
  if (operation.state !== 'asking' || operation.msisdn === null) return 'nothing_asked'
  if (pin !== null && pin !== core.phones.of(operation.msisdn).pin) {
    operation.wrong_codes += 1
    if (operation.wrong_codes >= 3) fail(core, operation, 'payer_wrong_code')
    return 'wrong_code'
  }
  succeed(core, operation)
  return 'done'
}

function reopen(core: Core, operation: Operation): void {
  if (operation.state !== 'failed' || operation.direction !== 'collection') return
  Object.assign(operation, { asked_until: null, wrong_codes: 0 })
  core.open.set(keyOf(operation), operation)
  move(core, operation, 'received')
}

/** Ends a request that a phone shows. */
function endAsked(core: Core, operation: Operation, reason: string): Approval {
  if (operation.state !== 'asking') return 'nothing_asked'
  fail(core, operation, reason)
  return 'done'
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
