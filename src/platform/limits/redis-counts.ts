import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Counter } from 'prom-client'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import type { Log } from '../log.ts'

/** No request waits longer than this for Redis. */
const PATIENCE_MS = 50

/** After Redis has let a request wait that long, nobody asks it for so long; a dead connection is given up meanwhile. */
const PAUSE_MS = 1_000
const SILENCE_MAX_MS = 500

/** A minute's count is kept for two, so that a process whose clock lags still finds it. */
const MINUTE_KEPT_SECONDS = 120

/**
 * Counts that all processes share. When Redis is away or slow, the answer is null at once or within 50 ms, and the caller
 * counts in its own memory, which is bounded and answers without a promise, as the library's own insurance does not; when
 * Redis is back, it is used again without anything being done.
 * @param failures counts the calls that Redis did not answer
 */
export function createRedisCounts(
  url: string,
  windowSeconds: number,
  { log, failures }: { log: Log; failures: Counter },
) {
  const client = new Redis(url, {
    // Nothing waits for a connection: a command is answered now or not at all.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: PAUSE_MS,
    socketTimeout: SILENCE_MAX_MS,
    retryStrategy: (times) => Math.min(50 * times, PAUSE_MS),
  })
  // `penalty` counts without judging, so `points` has no say: the caller knows the cap of each id.
  const counting = { storeClient: client, points: 1 }
  const ofMinute = new RateLimiterRedis({ ...counting, keyPrefix: 'limit', duration: MINUTE_KEPT_SECONDS })
  const ofPayer = new RateLimiterRedis({ ...counting, keyPrefix: 'attempts', duration: windowSeconds })
  let pausedUntil = 0
  let away = false

  function noteAway(error: unknown): void {
    if (!away) log.warn({ error }, 'Redis is away: each process counts its own limits')
    away = true
  }

  /** The points that a command answers with, 0 of an id that has none; null when Redis did not answer in time. */
  async function ask(command: Promise<{ consumedPoints: number } | null>): Promise<number | null> {
    try {
      const answer = await withPatience(command)
      if (away) log.info('Redis is back: limits are shared again')
      away = false
      return answer?.consumedPoints ?? 0
    } catch (error) {
      if (error === tooLate) pausedUntil = performance.now() + PAUSE_MS
      noteAway(error)
      failures.inc()
      return null
    }
  }

  // Every failed attempt to connect again says the same.
  client.on('error', noteAway)

  return {
    /** False: it is away, do not ask. */
    usable: () => client.status === 'ready' && performance.now() >= pausedUntil,
    /** Counts one more call of an id in a minute; their number, or null when Redis did not answer in time. */
    addToMinute: (kind: string, id: string, minute: number) => ask(ofMinute.penalty(`${kind}:${minute}:${id}`)),
    /** The calls counted for an id in a minute, or null when Redis did not answer in time. */
    countOfMinute: (kind: string, id: string, minute: number) => ask(ofMinute.get(`${kind}:${minute}:${id}`)),
    /** Counts one more attempt of a payer; their number, or null when Redis did not answer in time. */
    addAttempt: (payer: string) => ask(ofPayer.penalty(payer)),
    /** Takes one attempt back, if one is still counted: a window that has ended is not begun again by it. */
    async takeAttemptBack(payer: string): Promise<void> {
      if (((await ask(ofPayer.get(payer))) ?? 0) > 0) await ask(ofPayer.reward(payer))
    },
    /** Resolves when Redis can be used, or when it did not come within a second. */
    async ready(): Promise<void> {
      if (client.status === 'ready') return
      // A connection that fails meanwhile is tried again.
      const came = new Promise<void>((resolve) => void client.once('ready', resolve))
      await Promise.race([came, sleep(PAUSE_MS)])
    },
    close(): void {
      // Calls still under way fail now, which nobody needs to hear.
      away = true
      client.disconnect()
    },
  }
}

const tooLate = new Error(`Redis did not answer within ${PATIENCE_MS} ms.`)

/**
 * The answer, when it comes in time. The client's own `commandTimeout` is not used: when it is we who were late, it gives up
 * answers that lie in the socket, which is read before what `setImmediate` runs.
 */
function withPatience<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => setImmediate(reject, tooLate), PATIENCE_MS)
  answer.finally(() => clearTimeout(timer)).then(resolve, reject)
  return promise
}
