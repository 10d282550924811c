import type { Log } from '../../platform/log.ts'
import { type Moves, StateMachine } from '../../platform/state-machine.ts'
import type { EndpointKey } from '../endpoints/endpoint.ts'
import { atOnce } from './bound.ts'
import { Line, type Taken } from './line.ts'
import { Tasks } from './tasks.ts'

/** Attempts of this process at once, and from how many on no endpoint has more than eight: what is left is for the others. */
const UNDER_WAY_MAX = 1_000
const PLENTY = 500
/** Milliseconds that an endpoint is left alone at most once it has failed several times in a row. */
const PAUSE_MAX_MS = 3_200
/** Endpoints remembered while nothing is due for them. */
const LINES_KEPT_MAX = 10_000

export type Attempted =
  /** It waited too long for its turn and is left to be taken again. */
  | { readonly outcome: 'untried' }
  | {
      readonly outcome: 'succeeded' | 'failed'
      readonly duration_ms: number
      /** Ends when the result is in the database; the line does not wait for it. */
      readonly written: Promise<void>
    }

export type LinesOptions<Item> = {
  /** Claims up to so many due deliveries of the endpoint; fewer means that there are no more. */
  take(line: Line<Item>, slots: number): Promise<Taken<Item>[]>
  giveBack(items: Item[]): Promise<void>
  /** One attempt. An exception is a fault of ours, never the endpoint's. */
  attempt(line: Line<Item>, item: Item, waited_ms: number): Promise<Attempted>
  log: Log
  /** The longest pause after a failure, in milliseconds. */
  pause_max_ms?: number
}

const moves: Moves<'delivering' | 'closing', 'close'> = {
  delivering: { close: 'closing' },
  closing: { close: 'closing' },
}

/**
 * A queue for each endpoint (line.ts), and the limits on their attempts (bound.ts). One that answers in a tenth of a second is sent
 * three hundred events a second, and has deliveries taken ahead, so that the database is asked once for dozens of them. One that goes
 * on hanging holds two connections and nothing else. All lines together have a thousand attempts, handed out in turn, so that hundreds
 * of hanging endpoints leave room for the good ones; and only while half of them are free has one more than eight, so that a few that
 * stop answering together do not take them all.
 *
 * An endpoint that fails is left alone for a moment, twice as long after each pause without a success, and its events stay in the
 * database meanwhile. One that refuses connections would otherwise be asked as fast as the database gives what is due for it.
 */
export class Lines<Item> {
  readonly #options: LinesOptions<Item>
  readonly #state = new StateMachine(moves, 'delivering')
  readonly #lines = new Map<string, Line<Item>>()
  /** Lines with something to try that found the whole process busy, in the order they came. */
  readonly #parked = new Set<Line<Item>>()
  readonly #tasks = new Tasks(() => this.#lines.values().some((line) => line.goesOnLater()))
  #underWay = 0

  constructor(options: LinesOptions<Item>) {
    this.#options = options
  }

  /** Attempts under way. */
  underWay(): number {
    return this.#underWay
  }

  /** Resolves when nothing is under way and no line waits for the end of a pause with something to do. */
  idle(): Promise<void> {
    return this.#tasks.idle()
  }

  /**
   * Resolves when some of what is due for the endpoint is taken, or at once when its line is full or makes a pause; it goes on by
   * itself, and no caller waits for attempts. @throws when nothing could be taken, or the lines are closed
   */
  wake(endpoint: EndpointKey): Promise<void> {
    if (this.#state.is('closing')) return Promise.reject(new Error('This process stops delivering.'))
    return this.#pull(this.#lineOf(endpoint))
  }

  /** Gives back what was not tried, and resolves when the attempts under way have ended. */
  async close(): Promise<void> {
    this.#state.move('close')
    for (const line of this.#lines.values()) {
      line.close()
      this.#leave(line, line.waiting.splice(0))
    }
    await this.idle()
  }

  #lineOf(endpoint: EndpointKey): Line<Item> {
    const known = this.#lines.get(endpoint.endpoint_id)
    if (known !== undefined) return known
    if (this.#lines.size >= LINES_KEPT_MAX) this.#forgetIdleLine()
    const line = new Line<Item>(endpoint)
    this.#lines.set(endpoint.endpoint_id, line)
    return line
  }

  #forgetIdleLine(): void {
    for (const [id, line] of this.#lines) {
      if (!line.isIdle()) continue
      this.#lines.delete(id)
      return
    }
  }

  /** Takes once. Deliveries due after that are taken later, and no caller waits for them. */
  #pull(line: Line<Item>): Promise<void> {
    line.due.move('called')
    if (line.due.is('taking_and_more')) return line.taken
    if (!line.gate.is('open') || line.room() <= 0) return Promise.resolve()
    line.due.move('take')
    line.taken = this.#tasks.run(() => this.#takeOnce(line))
    return line.taken
  }

  async #takeOnce(line: Line<Item>): Promise<void> {
    const room = line.room()
    let taken: Taken<Item>[]
    try {
      taken = await this.#options.take(line, room)
    } catch (error) {
      line.due.move('taking_failed')
      throw error
    }
    line.due.move(taken.length >= room ? 'took_as_many_as_fit' : 'took_the_rest')
    if (line.gate.is('closed')) return this.#leave(line, taken)
    line.waiting.push(...taken)
    this.#proceed(line)
  }

  /** Goes on with whatever there is to do: those that waited for room in the process first. */
  #proceed(line: Line<Item>): void {
    for (const next of this.#parked) {
      if (this.#underWay >= UNDER_WAY_MAX) break
      this.#parked.delete(next)
      this.#start(next)
    }
    this.#start(line)
    if (line.due.is('some', 'taking_and_more')) {
      this.#pull(line).catch((error) =>
        this.#options.log.warn({ error }, 'webhooks: due deliveries not claimed, the sweep tries again'),
      )
    }
  }

  /** A line that has less than its own bound because of the others goes on with the end of its own attempts: it has eight. */
  #start(line: Line<Item>): void {
    while (
      line.gate.is('open') &&
      line.waiting.length > 0 &&
      line.underWay < atOnce(line.bound, this.#underWay < PLENTY)
    ) {
      if (this.#underWay >= UNDER_WAY_MAX) {
        this.#parked.add(line)
        return
      }
      const next = line.waiting.shift()!
      void this.#tasks.run(() => this.#run(line, next))
    }
  }

  async #run(line: Line<Item>, { item, taken_at }: Taken<Item>): Promise<void> {
    const { attempt, log } = this.#options
    line.underWay += 1
    this.#underWay += 1
    const attempted = await attempt(line, item, performance.now() - taken_at).catch((error) => {
      // A fault of ours would fail the next attempt too. The claimed deliveries come back when their lease ends.
      log.error({ error, ...line.endpoint }, 'webhooks: attempt failed by a fault of ours')
      line.waiting = []
      line.due.move('fault_of_ours')
      return { outcome: 'untried' as const }
    })
    line.underWay -= 1
    this.#underWay -= 1
    if (attempted.outcome !== 'untried') {
      this.#ended(line, attempted.outcome === 'succeeded', attempted.duration_ms)
      void this.#tasks
        .run(() => attempted.written)
        .catch((error) => log.warn({ error }, 'webhooks: result of an attempt not written'))
    }
    this.#proceed(line)
  }

  /** Attempts under way go on during a pause; when one succeeds, so does the line. */
  #ended(line: Line<Item>, succeeded: boolean, duration_ms: number): void {
    this.#leave(line, line.learn(succeeded, duration_ms))
    if (succeeded) {
      line.forgetPauses()
      this.#resume(line)
    } else {
      line.pause(this.#options.pause_max_ms ?? PAUSE_MAX_MS, () => this.#resume(line))
    }
  }

  #resume(line: Line<Item>): void {
    if (!line.resume()) return
    this.#proceed(line)
    this.#tasks.look()
  }

  /** Gives back what was taken and not tried: it is due again. */
  #leave(line: Line<Item>, taken: readonly Taken<Item>[]): void {
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
        line.due.move('called')
        this.#proceed(line)
      })
  }
}
