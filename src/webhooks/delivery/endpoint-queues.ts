import type { Log } from '../../platform/log.ts'
import { type Moves, StateMachine } from '../../platform/state-machine.ts'
import type { EndpointKey } from '../endpoints/endpoint.ts'
import { atOnce } from './concurrency-limit.ts'
import { EndpointQueue, type Taken } from './endpoint-queue.ts'
import { Tasks } from './tasks.ts'

/** The most concurrent attempts of this process, and the number from which an endpoint has at most eight, to leave room for others. */
const UNDER_WAY_MAX = 1_000
const PLENTY = 500
/** The longest pause of an endpoint that failed several times in a row, in milliseconds. */
const PAUSE_MAX_MS = 3_200
/** The most endpoints remembered while nothing is due for them. */
const QUEUES_KEPT_MAX = 10_000

export type Attempted =
  /** The delivery waited too long for its turn. It is left in the database, to be taken again. */
  | { readonly outcome: 'untried' }
  | {
      readonly outcome: 'succeeded' | 'failed'
      readonly duration_ms: number
      /** Resolves when the result is in the database. The queue does not wait for it. */
      readonly written: Promise<void>
    }

export type EndpointQueuesOptions<Item> = {
  /** Claims up to so many due deliveries of the endpoint. Fewer means that no more are due. */
  take(queue: EndpointQueue<Item>, slots: number): Promise<Taken<Item>[]>
  giveBack(items: Item[]): Promise<void>
  /** Makes one attempt. An exception is an error of the service, never of the endpoint. */
  attempt(queue: EndpointQueue<Item>, item: Item, waited_ms: number): Promise<Attempted>
  log: Log
  /** The longest pause after a failure, in milliseconds. */
  pause_max_ms?: number
}

const moves: Moves<'delivering' | 'closing', 'close'> = {
  delivering: { close: 'closing' },
  closing: { close: 'closing' },
}

/**
 * Keeps a queue for each endpoint (endpoint-queue.ts) and limits their attempts (concurrency-limit.ts). An endpoint that answers in a
 * tenth of a second gets three hundred events a second. Its deliveries are claimed ahead, dozens with one query. An endpoint that hangs
 * holds two connections and nothing else. All queues share a thousand concurrent attempts and take turns, so that hundreds of hanging
 * endpoints leave room for the others. An endpoint has more than eight only while half of the thousand are free, so that a few
 * endpoints that stop answering together do not take them all.
 *
 * After a failure the queue pauses, twice as long after each pause without a success, and its events stay in the database. Otherwise an
 * endpoint that refuses connections would be called as fast as the database yields its deliveries.
 */
export class EndpointQueues<Item> {
  readonly #options: EndpointQueuesOptions<Item>
  readonly #state = new StateMachine(moves, 'delivering')
  readonly #queues = new Map<string, EndpointQueue<Item>>()
  /** Queues with work that found all attempts of the process taken, in order of arrival. */
  readonly #waitingForSlots = new Set<EndpointQueue<Item>>()
  readonly #tasks = new Tasks(() => this.#queues.values().some((queue) => queue.goesOnLater()))
  #underWay = 0

  constructor(options: EndpointQueuesOptions<Item>) {
    this.#options = options
  }

  /** Attempts in progress. */
  underWay(): number {
    return this.#underWay
  }

  /** Resolves when no attempt is in progress and no queue with work is paused. */
  idle(): Promise<void> {
    return this.#tasks.idle()
  }

  /**
   * Resolves when some due deliveries of the endpoint are claimed, or at once when its queue is full or paused. The queue then
   * continues by itself: no caller waits for attempts. @throws when nothing could be claimed, or the queues are closed
   */
  wake(endpoint: EndpointKey): Promise<void> {
    if (this.#state.is('closing')) return Promise.reject(new Error('This process stops delivering.'))
    return this.#pull(this.#queueOf(endpoint))
  }

  /** Releases the claimed deliveries that were not tried, and resolves when the attempts in progress have ended. */
  async close(): Promise<void> {
    this.#state.move('close')
    for (const queue of this.#queues.values()) {
      queue.close()
      this.#leave(queue, queue.waiting.splice(0))
    }
    await this.idle()
  }

  #queueOf(endpoint: EndpointKey): EndpointQueue<Item> {
    const known = this.#queues.get(endpoint.endpoint_id)
    if (known !== undefined) return known
    if (this.#queues.size >= QUEUES_KEPT_MAX) this.#forgetIdleQueue()
    const queue = new EndpointQueue<Item>(endpoint)
    this.#queues.set(endpoint.endpoint_id, queue)
    return queue
  }

  #forgetIdleQueue(): void {
    for (const [id, queue] of this.#queues) {
      if (!queue.isIdle()) continue
      this.#queues.delete(id)
      return
    }
  }

  /** Claims once. Deliveries that are due after that are claimed later, without a caller that waits. */
  #pull(queue: EndpointQueue<Item>): Promise<void> {
    queue.due.move('called')
    if (queue.due.is('taking_and_more')) return queue.taken
    if (!queue.gate.is('open') || queue.room() <= 0) return Promise.resolve()
    queue.due.move('take')
    queue.taken = this.#tasks.run(() => this.#takeOnce(queue))
    return queue.taken
  }

  async #takeOnce(queue: EndpointQueue<Item>): Promise<void> {
    const room = queue.room()
    let taken: Taken<Item>[]
    try {
      taken = await this.#options.take(queue, room)
    } catch (error) {
      queue.due.move('taking_failed')
      throw error
    }
    queue.due.move(taken.length >= room ? 'took_as_many_as_fit' : 'took_the_rest')
    if (queue.gate.is('closed')) return this.#leave(queue, taken)
    queue.waiting.push(...taken)
    this.#proceed(queue)
  }

  /** Starts attempts: first of the queues that waited for room in the process. */
  #proceed(queue: EndpointQueue<Item>): void {
    for (const next of this.#waitingForSlots) {
      if (this.#underWay >= UNDER_WAY_MAX) break
      this.#waitingForSlots.delete(next)
      this.#start(next)
    }
    this.#start(queue)
    if (queue.due.is('some', 'taking_and_more')) {
      this.#pull(queue).catch((error) =>
        this.#options.log.warn({ error }, 'webhooks: due deliveries not claimed, the sweep tries again'),
      )
    }
  }

  /** A queue that others keep below its own limit has at least eight attempts in progress. It continues when one of them ends. */
  #start(queue: EndpointQueue<Item>): void {
    while (
      queue.gate.is('open') &&
      queue.waiting.length > 0 &&
      queue.underWay < atOnce(queue.limit, this.#underWay < PLENTY)
    ) {
      if (this.#underWay >= UNDER_WAY_MAX) {
        this.#waitingForSlots.add(queue)
        return
      }
      const next = queue.waiting.shift()!
      void this.#tasks.run(() => this.#run(queue, next))
    }
  }

  async #run(queue: EndpointQueue<Item>, { item, taken_at }: Taken<Item>): Promise<void> {
    const { attempt, log } = this.#options
    queue.underWay += 1
    this.#underWay += 1
    const attempted = await attempt(queue, item, performance.now() - taken_at).catch((error) => {
      // An error of the service would fail the next attempt too. The claimed deliveries are due again when their lease ends.
      log.error({ error, ...queue.endpoint }, 'webhooks: attempt failed by a fault of ours')
      queue.waiting = []
      queue.due.move('fault_of_ours')
      return { outcome: 'untried' as const }
    })
    queue.underWay -= 1
    this.#underWay -= 1
    if (attempted.outcome !== 'untried') {
      this.#ended(queue, attempted.outcome === 'succeeded', attempted.duration_ms)
      void this.#tasks
        .run(() => attempted.written)
        .catch((error) => log.warn({ error }, 'webhooks: result of an attempt not written'))
    }
    this.#proceed(queue)
  }

  /** Attempts in progress continue during a pause. When one succeeds, the pause ends. */
  #ended(queue: EndpointQueue<Item>, succeeded: boolean, duration_ms: number): void {
    this.#leave(queue, queue.learn(succeeded, duration_ms))
    if (succeeded) {
      queue.forgetPauses()
      this.#resume(queue)
    } else {
      queue.pause(this.#options.pause_max_ms ?? PAUSE_MAX_MS, () => this.#resume(queue))
    }
  }

  #resume(queue: EndpointQueue<Item>): void {
    if (!queue.resume()) return
    this.#proceed(queue)
    this.#tasks.look()
  }

  /** Releases claimed deliveries that were not tried: they are due again. */
  #leave(queue: EndpointQueue<Item>, taken: readonly Taken<Item>[]): void {
    if (taken.length === 0) return
    void this.#tasks
      .run(() => this.#options.giveBack(taken.map(({ item }) => item)))
      .catch((error) =>
        this.#options.log.warn(
          { error },
          'webhooks: deliveries claimed ahead not given back, they wait for the end of their lease',
        ),
      )
      .then(() => {
        queue.due.move('called')
        this.#proceed(queue)
      })
  }
}
