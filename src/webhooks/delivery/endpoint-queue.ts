import { type Moves, StateMachine } from '../../platform/state-machine.ts'
import type { EndpointKey } from '../endpoints/endpoint.ts'
import { type ConcurrencyLimit, firstLimit, inHand, limitAfter } from './concurrency-limit.ts'

/** The first pause after a failure, in milliseconds. */
const PAUSE_MS = 100

/** A delivery that is claimed and not tried yet. */
export type Taken<Item> = { readonly item: Item; readonly taken_at: number }

/** This process's knowledge of the endpoint's due deliveries in the database. */
type Due =
  /** None that we know of. */
  | 'none'
  /** Possibly some. */
  | 'some'
  /** A claim is in progress. */
  | 'taking'
  /** A claim is in progress, and deliveries that came since may not be in its answer. */
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

/** Whether attempts start. `paused`: the endpoint failed a moment ago. `closed`: this process stops. */
const gateMoves: Moves<'open' | 'paused' | 'closed', 'failed' | 'resumed' | 'closed'> = {
  open: { failed: 'paused', closed: 'closed' },
  paused: { resumed: 'open', closed: 'closed' },
  closed: { closed: 'closed' },
}

/** The queue of one endpoint in this process. */
export class EndpointQueue<Item> {
  readonly endpoint: EndpointKey
  readonly due = new StateMachine(dueMoves, 'none')
  readonly gate = new StateMachine(gateMoves, 'open')
  limit: ConcurrencyLimit = firstLimit
  underWay = 0
  /** Claimed and not tried yet. */
  waiting: Taken<Item>[] = []
  /** Resolves with the claim in progress, or the last one. */
  taken: Promise<void> = Promise.resolve()
  /** The pauses since the last success. */
  #pauses = 0
  #pause: NodeJS.Timeout | undefined

  constructor(endpoint: EndpointKey) {
    this.endpoint = endpoint
  }

  /** The number of deliveries to claim now. Zero while claimed ones still wait, so that claims take many at once. */
  room(): number {
    if (this.waiting.length >= this.limit.at_once) return 0
    return inHand(this.limit) - this.underWay - this.waiting.length
  }

  /** Whether the queue is empty and idle, so that it can be forgotten. */
  isIdle(): boolean {
    const taking = this.due.is('taking', 'taking_and_more')
    return this.underWay === 0 && this.waiting.length === 0 && !taking && this.gate.is('open')
  }

  /** Whether a paused queue has work. */
  goesOnLater(): boolean {
    return this.gate.is('paused') && (this.waiting.length > 0 || this.due.is('some', 'taking_and_more'))
  }

  /** Updates the limit after an attempt. Returns the deliveries claimed ahead that would wait too long, because the endpoint became slow. */
  learn(succeeded: boolean, duration_ms: number): Taken<Item>[] {
    this.limit = limitAfter(this.limit, succeeded, duration_ms)
    const { fast, at_once } = this.limit
    return !fast && this.waiting.length > at_once ? this.waiting.splice(at_once) : []
  }

  /**
   * Starts a pause, unless one is running: attempts that fail together make one pause. Each pause is twice as long as the one before,
   * until a success.
   */
  pause(most_ms: number, over: () => void): void {
    if (!this.gate.is('open')) return
    this.gate.move('failed')
    this.#pause = setTimeout(over, Math.min(PAUSE_MS * 2 ** this.#pauses, most_ms))
    this.#pauses += 1
  }

  /** Ends the pause. False when there was none. */
  resume(): boolean {
    if (!this.gate.is('paused')) return false
    clearTimeout(this.#pause)
    this.gate.move('resumed')
    return true
  }

  /** Makes the next pause a short one again. */
  forgetPauses(): void {
    this.#pauses = 0
  }

  close(): void {
    clearTimeout(this.#pause)
    this.gate.move('closed')
  }
}
