import { type Moves, StateMachine } from '../../platform/state-machine.ts'
import type { EndpointKey } from '../endpoints/endpoint.ts'
import { type ConcurrencyLimit, firstLimit, inHand, limitAfter } from './concurrency-limit.ts'

/** Milliseconds that an endpoint is left alone after a failure, at first. */
const PAUSE_MS = 100

/** A delivery that was taken and not tried yet. */
export type Taken<Item> = { readonly item: Item; readonly taken_at: number }

/** This process's knowledge of the endpoint's due deliveries in the database. */
type Due =
  /** None, as far as we know. */
  | 'none'
  /** There may be some. */
  | 'some'
  /** We take some now. */
  | 'taking'
  /** We take some now, and what came meanwhile may be too late for the answer. */
  | 'taking_and_more'

const dueMoves: Moves<
  Due,
  'called' | 'take' | 'took_the_rest' | 'took_as_many_as_fit' | 'taking_failed' | 'fault_of_ours'
> = {
  none: { called: 'some', fault_of_ours: 'none' },
  some: { called: 'some', take: 'taking', fault_of_ours: 'none' },
  taking: {
    called: 'taking_and_more',
    took_the_rest: 'none',
    took_as_many_as_fit: 'some',
    taking_failed: 'none',
    fault_of_ours: 'taking',
  },
  taking_and_more: {
    called: 'taking_and_more',
    took_the_rest: 'some',
    took_as_many_as_fit: 'some',
    taking_failed: 'some',
    fault_of_ours: 'taking',
  },
}

/** Whether attempts begin. `paused`: the endpoint failed and is left alone for a moment. `closed`: this process stops. */
const gateMoves: Moves<'open' | 'paused' | 'closed', 'failed' | 'resumed' | 'closed'> = {
  open: { failed: 'paused', closed: 'closed' },
  paused: { resumed: 'open', closed: 'closed' },
  closed: { closed: 'closed' },
}

/** The queue in front of one endpoint, in this process. */
export class EndpointQueue<Item> {
  readonly endpoint: EndpointKey
  readonly due = new StateMachine(dueMoves, 'none')
  readonly gate = new StateMachine(gateMoves, 'open')
  limit: ConcurrencyLimit = firstLimit
  underWay = 0
  /** Taken and not yet tried. */
  waiting: Taken<Item>[] = []
  /** Ends with the take under way, or the last one. */
  taken: Promise<void> = Promise.resolve()
  /** Since the last success. */
  #pauses = 0
  #pause: NodeJS.Timeout | undefined

  constructor(endpoint: EndpointKey) {
    this.endpoint = endpoint
  }

  /** The number of deliveries to take now. Zero while taken ones still wait, so that many are taken at once and not one by one. */
  room(): number {
    if (this.waiting.length >= this.limit.at_once) return 0
    return inHand(this.limit) - this.underWay - this.waiting.length
  }

  /** Nothing is in hand and nothing is under way: it can be forgotten. */
  isIdle(): boolean {
    const taking = this.due.is('taking', 'taking_and_more')
    return this.underWay === 0 && this.waiting.length === 0 && !taking && this.gate.is('open')
  }

  /** It waits for the end of its pause with something to do. */
  goesOnLater(): boolean {
    return this.gate.is('paused') && (this.waiting.length > 0 || this.due.is('some', 'taking_and_more'))
  }

  /** Learns from an attempt, and returns what was taken ahead and would now wait for too long here, because the endpoint became slow. */
  learn(succeeded: boolean, duration_ms: number): Taken<Item>[] {
    this.limit = limitAfter(this.limit, succeeded, duration_ms)
    const { fast, at_once } = this.limit
    return !fast && this.waiting.length > at_once ? this.waiting.splice(at_once) : []
  }

  /** Begins a pause, unless it makes one: attempts that fail together are one pause. Each without a success between is twice as long. */
  pause(most_ms: number, over: () => void): void {
    if (!this.gate.is('open')) return
    this.gate.move('failed')
    this.#pause = setTimeout(over, Math.min(PAUSE_MS * 2 ** this.#pauses, most_ms))
    this.#pauses += 1
  }

  /** Ends the pause. False: it made none. */
  resume(): boolean {
    if (!this.gate.is('paused')) return false
    clearTimeout(this.#pause)
    this.gate.move('resumed')
    return true
  }

  /** The next pause is a short one again. */
  forgetPauses(): void {
    this.#pauses = 0
  }

  close(): void {
    clearTimeout(this.#pause)
    this.gate.move('closed')
  }
}
