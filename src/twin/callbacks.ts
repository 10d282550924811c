import { Agent, request } from 'undici'
import { type Fault, placeOf, takeRule } from './rules.ts'
import { type Callback, nextId, type Operation, type TwinState, withOppositeEnd } from './state.ts'
import { claimedBy, withMoney } from './stated-money.ts'
import type { Time } from './time.ts'

/** A callback of an API about an operation, before any fault. */
export type Message = { url: string; body: string; method?: Callback['method']; headers?: Record<string, string> }

export type Callbacks = {
  /**
   * Sends the message that `compose` makes of the operation, with the fault that matches it. `compose` may get a copy with false
   * values. A null message is not sent.
   */
  send(operation: Operation, compose: (view: Operation) => Message | null): void
}

/** The rules of an API for its callbacks. */
export type Sender = {
  /** Seconds between a failed attempt and the next, one number for each further attempt. */
  retry_seconds: readonly number[]
  /** Whether this status is a success, which ends the attempts. */
  accepts(status: number): boolean
  /** The headers made anew for each attempt, such as a signature. */
  sign(callback: Callback): Record<string, string>
  /** The faults of callbacks that `sign` understands. */
  faults: readonly string[]
}

/** The number of callbacks above which the oldest ended ones are forgotten. */
const KEPT_MAX = 5_000
/** The number of callbacks forgotten together, because one pass through all is too slow for a single one. */
const FORGOTTEN_TOGETHER = 500

/** The time-out of a connection, and then of an answer. */
const ATTEMPT_MS = 10_000

/** The client for callbacks. Its idle connections keep no process alive. */
const agent = new Agent({
  connections: 128,
  connect: { timeout: ATTEMPT_MS },
  headersTimeout: ATTEMPT_MS,
  bodyTimeout: ATTEMPT_MS,
})

export function createCallbacks(
  state: TwinState,
  time: Time,
  senderOf: (api: string) => Sender | undefined,
): Callbacks {
  /** Whether callbacks may be held back. True at first, because those of a state file may be. */
  let may_hold = true

  time.handle('callback', async ({ id }) => {
    const callback = state.callbacks.findLast((one) => one.id === id)
    const sender = callback === undefined ? undefined : senderOf(callback.api)
    if (callback === undefined || sender === undefined || callback.state !== 'waiting') return
    const attempt: Callback['attempts'][number] = { at: time.now(), status: null }
    callback.attempts.push(attempt)
    attempt.status = await post(callback, sender)
    const good = attempt.status !== null && sender.accepts(attempt.status)
    const wait = sender.retry_seconds[callback.attempts.length - 1]
    if (good) callback.state = 'delivered'
    else if (wait === undefined) callback.state = 'given_up'
    else time.after(wait, 'callback', { id })
    releaseHeld(callback)
  })

  /** Sends the callbacks that waited for this one. */
  function releaseHeld(after: Callback): void {
    if (!may_hold) return
    for (const held of state.callbacks) {
      if (held.state !== 'held' || held.api !== after.api || held.id === after.id) continue
      held.state = 'waiting'
      time.after(0, 'callback', { id: held.id })
    }
    may_hold = state.callbacks.some((one) => one.state === 'held')
  }

  return {
    send(operation, compose) {
      const sender = senderOf(operation.api)
      const fault = takeRule(
        state.faults,
        operation,
        ({ on, fault: name }) => on === 'callback' || (on === 'any' && placeOf(name) === 'callback'),
      )
      const message = compose(fault === null ? operation : twisted(operation, fault))
      if (message === null || sender === undefined || fault?.fault === 'callback_never') return
      const claimed = fault === null || message.body === '' ? null : claimedBy(fault)
      for (let copy = fault?.fault === 'callback_twice' ? 2 : 1; copy > 0; copy -= 1) {
        const callback: Callback = {
          id: nextId(state),
          api: operation.api,
          kind: operation.kind,
          reference: operation.reference,
          method: message.method ?? 'POST',
          url: message.url,
          body:
            claimed === null ? message.body : JSON.stringify(withMoney(JSON.parse(message.body) as object, claimed)),
          headers: message.headers ?? {},
          faults: fault !== null && sender.faults.includes(fault.fault) ? [fault.fault] : [],
          attempts: [],
          state: fault?.fault === 'callback_swapped' ? 'held' : 'waiting',
        }
        state.callbacks.push(callback)
        const wait = fault?.fault === 'callback_late' ? (fault.after_seconds ?? 60) : 0
        if (callback.state === 'waiting') time.after(wait, 'callback', { id: callback.id })
        else may_hold = true
      }
      if (state.callbacks.length >= KEPT_MAX + FORGOTTEN_TOGETHER) forgetOldest(state)
    },
  }
}

/** A copy of the operation with the false values of a fault. */
function twisted(operation: Operation, fault: Fault): Operation {
  switch (fault.fault) {
    case 'callback_amount':
      return { ...operation, amount: fault.claimed_amount ?? operation.amount + 1 }
    case 'callback_reference':
      return { ...operation, reference: crypto.randomUUID() }
    case 'callback_opposite':
      return withOppositeEnd(operation)
    default:
      return operation
  }
}

function forgetOldest(state: TwinState): void {
  const over = state.callbacks.length - KEPT_MAX
  let dropped = 0
  state.callbacks = state.callbacks.filter((one) => {
    const old = dropped < over && one.state !== 'waiting' && one.state !== 'held'
    if (old) dropped += 1
    return !old
  })
}

/** Posts a callback and returns the status. Null without an answer, or for an invalid address. Follows no redirect. */
async function post(callback: Callback, sender: Sender): Promise<number | null> {
  try {
    const { url, method, body } = callback
    const headers = { ...callback.headers, ...sender.sign(callback) }
    const answer = await request(url, {
      dispatcher: agent,
      method,
      ...(method === 'GET' ? {} : { body }),
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'Operator-Twin/1.0', ...headers },
    })
    await answer.body.dump()
    return answer.statusCode
  } catch {
    return null
  }
}
