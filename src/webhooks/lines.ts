import type { Log } from '../platform/log.ts'
import type { EndpointKey } from './endpoint.ts'

/** Attempts to one endpoint at once: at least, as many as any may have that answers, and as many as one that answers fast. */
const BOUND_MIN = 2
const BOUND = 8
const BOUND_BRISK = 32
/** How many times its bound is taken ahead for an endpoint that answers fast, and how many at most. */
const AHEAD = 8
const AHEAD_MAX = 128
/** Answers that take longer than this in the mean are not fast. */
const BRISK_MS = 500
/** Attempts of this process at once, and from how many on no endpoint has more than eight: what is left is for the others. */
const UNDER_WAY_MAX = 1_000
const PLENTY = 500
/** Milliseconds that an endpoint is left alone after a failure: at first, and at most once it has failed several times in a row. */
const PAUSE_MS = 100
const PAUSE_MAX_MS = 3_200
/** Endpoints remembered while nothing is due for them. */
const LINES_KEPT_MAX = 10_000

type Taken<Item> = { readonly item: Item; readonly taken_at: number }

/** The line in front of one endpoint, in this process. */
export type Line<Item> = {
  readonly endpoint: EndpointKey
  /** Attempts it may have at once now. Not always whole: above eight it grows by one with as many successes as it is. */
  bound: number
  /** The mean duration of the last successes, in milliseconds; null: there was none. */
  mean_ms: number | null
  brisk: boolean
  underWay: number
  /** Taken and not yet tried. */
  waiting: Taken<Item>[]
  /** There may be more in the database than we took. */
  more: boolean
  /** The take under way. */
  pulling: Promise<void> | null
  /** Pauses since the last success. */
  pauses: number
  /** Ends the pause that the line makes after a failure; null: it makes none. */
  resume: (() => void) | null
}

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

/** The number of deliveries to claim now. Zero while claimed ones still wait, so that many are claimed at once and not one by one. */
function roomIn(line: Line<unknown>): number {
  if (line.waiting.length >= line.bound) return 0
  const bound = Math.floor(line.bound)
  return (line.brisk ? Math.min(bound * AHEAD, AHEAD_MAX) : bound) - line.underWay - line.waiting.length
}

/**
 * A queue for each endpoint, and the limits on their attempts. An endpoint starts with two attempts at once; each success
 * doubles that up to eight, each failure halves it. One that answers fast has one more with each round of successes, up to
 * thirty-two, which is three hundred events a second for a server a tenth of a second away; and it has deliveries taken ahead, so
 * that the database is asked once for dozens of them. One that goes on hanging holds two connections and nothing else. All lines
 * together have a thousand attempts, handed out in turn, so that hundreds of hanging endpoints leave room for the good ones; and
 * only while half of them are free has one more than eight, so that a few that stop answering together do not take them all.
 *
 * An endpoint that fails is left alone for a moment, twice as long after each pause without a success, and its events stay in the
 * database meanwhile. One that refuses connections would otherwise be asked as fast as the database gives what is due for it.
 */
export function createLines<Item>(options: LinesOptions<Item>) {
  const { take, giveBack, attempt, log, pause_max_ms = PAUSE_MAX_MS } = options
  const lines = new Map<string, Line<Item>>()
  /** Lines with something to try that found the whole process busy, in the order they came. */
  const parked = new Set<Line<Item>>()
  const idleWaiters: (() => void)[] = []
  let underWay = 0
  let busy = 0
  let closed = false

  function lineOf(endpoint: EndpointKey): Line<Item> {
    const known = lines.get(endpoint.endpoint_id)
    if (known !== undefined) return known
    if (lines.size >= LINES_KEPT_MAX) forgetIdleLine()
    const line = {
      endpoint,
      bound: BOUND_MIN,
      mean_ms: null,
      brisk: false,
      underWay: 0,
      waiting: [],
      more: false,
      pulling: null,
      pauses: 0,
      resume: null,
    }
    lines.set(endpoint.endpoint_id, line)
    return line
  }

  function forgetIdleLine(): void {
    for (const [id, line] of lines) {
      if (line.underWay > 0 || line.waiting.length > 0 || line.pulling !== null || line.resume !== null) continue
      lines.delete(id)
      return
    }
  }

  /** Takes once. Deliveries due after that are taken later, and no caller waits for them. */
  function pull(line: Line<Item>): Promise<void> {
    line.more = true
    if (line.pulling !== null) return line.pulling
    if (closed || line.resume !== null || roomIn(line) <= 0) return Promise.resolve()
    line.pulling = work(() => takeOnce(line))
    return line.pulling
  }

  async function takeOnce(line: Line<Item>): Promise<void> {
    const room = roomIn(line)
    line.more = false
    let taken: Taken<Item>[]
    try {
      taken = await take(line, room)
    } finally {
      // In the same turn as the look at `more` below: a call after this starts anew, none falls between.
      line.pulling = null
    }
    // Or a call came while we asked, and what it came for may have been too late for the answer.
    if (taken.length >= room) line.more = true
    if (closed) return leave(line, taken)
    line.waiting.push(...taken)
    proceed(line)
  }

  /** A line that has less than its own bound because of the others goes on with the end of its own attempts: it has eight. */
  function boundNow({ bound }: Line<Item>): number {
    return Math.floor(underWay < PLENTY ? bound : Math.min(bound, BOUND))
  }

  function start(line: Line<Item>): void {
    while (line.waiting.length > 0 && line.underWay < boundNow(line) && line.resume === null && !closed) {
      if (underWay >= UNDER_WAY_MAX) {
        parked.add(line)
        return
      }
      const next = line.waiting.shift()!
      void work(() => run(line, next))
    }
  }

  async function run(line: Line<Item>, { item, taken_at }: Taken<Item>): Promise<void> {
    line.underWay += 1
    underWay += 1
    const attempted = await attempt(line, item, performance.now() - taken_at).catch((error) => {
      // A fault of ours would fail the next attempt too. The claimed deliveries come back when their lease ends.
      log.error({ error, ...line.endpoint }, 'webhook attempt failed by a fault of ours')
      line.waiting = []
      line.more = false
      return { outcome: 'untried' as const }
    })
    line.underWay -= 1
    underWay -= 1
    if (attempted.outcome !== 'untried') {
      adjust(line, attempted.outcome === 'succeeded', attempted.duration_ms)
      void work(() => attempted.written).catch((error) => log.warn({ error }, 'webhook attempt result not written'))
    }
    proceed(line)
  }

  function adjust(line: Line<Item>, succeeded: boolean, duration_ms: number): void {
    // Of the last ones: one that had a connection to make takes longer than the others, and each more at once makes one.
    if (succeeded) line.mean_ms = line.mean_ms === null ? duration_ms : line.mean_ms + (duration_ms - line.mean_ms) / 8
    line.brisk = succeeded && line.mean_ms! < BRISK_MS
    if (!succeeded) line.bound = Math.max(line.bound / 2, BOUND_MIN)
    else if (line.bound < BOUND) line.bound = Math.min(line.bound * 2, BOUND)
    else line.bound = line.brisk ? Math.min(line.bound + 1 / line.bound, BOUND_BRISK) : BOUND
    // The endpoint became slow: deliveries claimed ahead would wait for too long here, so they are given back.
    if (!line.brisk && line.waiting.length > line.bound) leave(line, line.waiting.splice(line.bound))
    if (succeeded) endPause(line)
    else pause(line)
  }

  /** Attempts that fail together are one pause. Those under way go on; when one succeeds, so does the line. */
  function pause(line: Line<Item>): void {
    if (line.resume !== null || closed) return
    const over = () => {
      clearTimeout(timer)
      line.resume = null
      proceed(line)
      if (busy === 0) setImmediate(tellIdle)
    }
    const timer = setTimeout(over, Math.min(PAUSE_MS * 2 ** line.pauses, pause_max_ms))
    line.pauses += 1
    line.resume = over
  }

  function endPause(line: Line<Item>): void {
    line.pauses = 0
    line.resume?.()
  }

  function leave(line: Line<Item>, taken: Taken<Item>[]): void {
    if (taken.length === 0) return
    void work(() => giveBack(taken.map(({ item }) => item)))
      .catch((error) =>
        log.warn({ error }, 'webhook deliveries claimed ahead not given back: they wait for the end of their lease'),
      )
      .then(() => {
        line.more = true
        proceed(line)
      })
  }

  function proceed(line: Line<Item>): void {
    for (const next of parked) {
      if (underWay >= UNDER_WAY_MAX) break
      parked.delete(next)
      start(next)
    }
    start(line)
    if (line.more) {
      pull(line).catch((error) => log.warn({ error }, 'due webhook deliveries not claimed: the sweep tries again'))
    }
  }

  async function work<Result>(task: () => Promise<Result>): Promise<Result> {
    busy += 1
    try {
      return await task()
    } finally {
      busy -= 1
      // After the callers of `task` had their say: they may have more to do.
      if (busy === 0) setImmediate(tellIdle)
    }
  }

  function tellIdle(): void {
    if (busy > 0 || idleWaiters.length === 0 || someGoOnLater()) return
    for (const tell of idleWaiters.splice(0)) tell()
  }

  function someGoOnLater(): boolean {
    return lines.values().some(({ resume, more, waiting }) => resume !== null && (more || waiting.length > 0))
  }

  function idle(): Promise<void> {
    return new Promise((resolve) => {
      idleWaiters.push(resolve)
      if (busy === 0) setImmediate(tellIdle)
    })
  }

  return {
    underWay: () => underWay,
    idle,
    /**
     * Resolves when some of what is due for the endpoint is taken, or at once when its line is full or makes a pause; it goes on by
     * itself, and no caller waits for attempts. @throws when nothing could be taken, or the lines are closed
     */
    wake(endpoint: EndpointKey): Promise<void> {
      if (closed) return Promise.reject(new Error('This process stops delivering.'))
      return pull(lineOf(endpoint))
    },
    async close(): Promise<void> {
      closed = true
      for (const line of lines.values()) {
        line.resume?.()
        leave(line, line.waiting.splice(0))
      }
      await idle()
    },
  }
}
