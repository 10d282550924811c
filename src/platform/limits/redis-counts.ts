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

export type RedisCounts = {
  /** False: it is away, do not ask. */
  usable(): boolean
  /** Counts one more call of an id in a minute; their number, or null when Redis did not answer in time. */
  addToMinute(kind: string, id: string, minute: number): Promise<number | null>
  /** The calls counted for an id in a minute, or null when Redis did not answer in time. */
  countOfMinute(kind: string, id: string, minute: number): Promise<number | null>
  /** Counts one more attempt of a payer; their number, or null when Redis did not answer in time. */
  addAttempt(payer: string): Promise<number | null>
  /** Takes one attempt back, if one is still counted. */
  takeAttemptBack(payer: string): Promise<void>
  /** Resolves when Redis can be used, or when it did not come within a second. */
  ready(): Promise<void>
  close(): void
}

/**
 * Counts that all processes share. When Redis is away or slow, the answer is null at once or within 50 ms, and the
 * caller counts in its own memory; when it is back, it is used again without anything being done.
 * @param failures counts the calls that Redis did not answer
 */
export function createRedisCounts(
  url: string,
  windowSeconds: number,
  { log, failures }: { log: Log; failures: Counter },
): RedisCounts {
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

  function noteBack(): void {
    if (away) log.info('Redis is back: limits are shared again')
    away = false
  }

  async function ask<Result>(command: () => Promise<Result>): Promise<Result | null> {
    try {
      const result = await withPatience(command())
      if (result !== tooLate) {
        noteBack()
        return result
      }
      pausedUntil = performance.now() + PAUSE_MS
      noteAway(new Error(`Redis did not answer within ${PATIENCE_MS} ms.`))
    } catch (error) {
      noteAway(error)
    }
    failures.inc()
    return null
  }

  // Every failed attempt to connect again says the same.
  client.on('error', noteAway)

  return {
    usable: () => client.status === 'ready' && performance.now() >= pausedUntil,
    async addToMinute(kind, id, minute) {
      const counted = await ask(() => ofMinute.penalty(`${kind}:${minute}:${id}`))
      return counted?.consumedPoints ?? null
    },
    async countOfMinute(kind, id, minute) {
      const counted = await ask(async () => (await ofMinute.get(`${kind}:${minute}:${id}`)) ?? { consumedPoints: 0 })
      return counted?.consumedPoints ?? null
    },
    async addAttempt(payer) {
      const counted = await ask(() => ofPayer.penalty(payer))
      return counted?.consumedPoints ?? null
    },
    async takeAttemptBack(payer) {
      // A window that has ended is not begun again by what is given back.
      const counted = await ask(() => ofPayer.get(payer))
      if (counted !== null && counted.consumedPoints > 0) await ask(() => ofPayer.reward(payer))
    },
    ready() {
      if (client.status === 'ready') return Promise.resolve()
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, PAUSE_MS)
        client.once('ready', () => {
          clearTimeout(timer)
          resolve()
        })
      })
    },
    close() {
      // What is still under way fails now, which is no news.
      away = true
      client.disconnect()
    },
  }
}

const tooLate = Symbol('too late')

function withPatience<Result>(answer: Promise<Result>): Promise<Result | typeof tooLate> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // When it is we who were late, the answer may lie in the socket: it is read before this runs.
      setImmediate(() => resolve(tooLate))
    }, PATIENCE_MS)
    answer.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
