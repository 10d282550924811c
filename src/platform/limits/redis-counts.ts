import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Counter } from 'prom-client'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import type { Log } from '../log.ts'

/** The longest wait of a request for Redis. */
const PATIENCE_MS = 50

/** The pause without calls to Redis after such a wait. Meanwhile the client closes a dead connection. */
const PAUSE_MS = 1_000
const SILENCE_MAX_MS = 500

/** The lifetime of a minute's count: two minutes, so that a process whose clock lags still finds it. */
const MINUTE_KEPT_SECONDS = 120

/**
 * Counts that all processes share. If Redis is unavailable or slow, the answer is null, at once or within 50 ms, and the caller counts in
 * its own memory. (The library's own fallback has no bound and needs a promise.) Once Redis is back, it is used again by itself.
 * @param failures counts the calls that Redis did not answer
 */
export function createRedisCounts(
  url: string,
  windowSeconds: number,
  { log, failures }: { log: Log; failures: Counter },
) {
  const client = new Redis(url, {
    // A command does not wait for a connection: it fails at once.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: PAUSE_MS,
    socketTimeout: SILENCE_MAX_MS,
    retryStrategy: (times) => Math.min(50 * times, PAUSE_MS),
  })
  // `penalty` counts and `reward` removes; both ignore `points`: the caller knows the limit of each id.
  const counting = { storeClient: client, points: 1 }
  const ofMinute = new RateLimiterRedis({ ...counting, keyPrefix: 'limit', duration: MINUTE_KEPT_SECONDS })
  const ofPayer = new RateLimiterRedis({ ...counting, keyPrefix: 'attempts', duration: windowSeconds })
  let pausedUntil = 0
  let away = false

  function noteAway(error: unknown): void {
    if (!away) log.warn({ error }, 'limits: Redis unavailable, each process counts for itself')
    away = true
  }

  /** Returns the count of a command's answer, 0 for an unknown id. Null: Redis did not answer in time. */
  async function ask(command: Promise<{ consumedPoints: number } | null>): Promise<number | null> {
    try {
      const answer = await withPatience(command)
      if (away) log.info('limits: Redis available again, counts are shared')
      away = false
      return answer?.consumedPoints ?? 0
    } catch (error) {
      if (error === tooLate) pausedUntil = performance.now() + PAUSE_MS
      noteAway(error)
      failures.inc()
      return null
    }
  }

  // Every failed reconnection emits the same error, and the log gets it once.
  client.on('error', noteAway)

  return {
    /** Whether Redis is available. If not, do not call it. */
    usable: () => client.status === 'ready' && performance.now() >= pausedUntil,
    /** Counts a call of an id in a minute. Returns the number of calls, or null if Redis did not answer in time. */
    addToMinute: (kind: string, id: string, minute: number) => ask(ofMinute.penalty(`${kind}:${minute}:${id}`)),
    /** Removes a counted call of an id from a minute. */
    async takeFromMinute(kind: string, id: string, minute: number): Promise<void> {
      await ask(ofMinute.reward(`${kind}:${minute}:${id}`))
    },
    /** Returns the number of calls of an id in a minute, or null if Redis did not answer in time. */
    countOfMinute: (kind: string, id: string, minute: number) => ask(ofMinute.get(`${kind}:${minute}:${id}`)),
    /** Counts an attempt of a payer. Returns the number of attempts, or null if Redis did not answer in time. */
    addAttempt: (payer: string) => ask(ofPayer.penalty(payer)),
    /** Removes one attempt, if Redis still counts one, so that the removal never begins a new window. */
    async takeAttemptBack(payer: string): Promise<void> {
      if (((await ask(ofPayer.get(payer))) ?? 0) > 0) await ask(ofPayer.reward(payer))
    },
    /** Resolves when Redis is available, or after a second. */
    async ready(): Promise<void> {
      if (client.status === 'ready') return
      // The client repeats a failed connection meanwhile.
      const came = new Promise<void>((resolve) => void client.once('ready', resolve))
      await Promise.race([came, sleep(PAUSE_MS)])
    },
    close(): void {
      // Running calls fail now, which the log need not report.
      away = true
      client.disconnect()
    },
  }
}

const tooLate = new Error(`Redis did not answer within ${PATIENCE_MS} ms.`)

/**
 * Waits for an answer for a limited time. We do not use the client's `commandTimeout`: if our own process was late, it would discard answers
 * that have arrived in the socket. Node reads the socket before it runs `setImmediate`.
 */
function withPatience<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => setImmediate(reject, tooLate), PATIENCE_MS)
  answer.finally(() => clearTimeout(timer)).then(resolve, reject)
  return promise
}
