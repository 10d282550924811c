import { hash } from 'node:crypto'
import { Counter, type Registry } from 'prom-client'
import type { Msisdn } from '../../values/msisdn.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { createAttemptCounts } from './attempt-counts.ts'
import { createMinuteCounts } from './minute-counts.ts'
import { createRedisCounts } from './redis-counts.ts'

const MINUTE_MS = 60_000

/** The most ids of a kind in a minute, and the most payers, with their own count in the memory of a process. */
const IDS_MAX = 200_000
const PAYERS_MAX = 1_000_000

/**
 * The kinds of limits:
 * - all calls with an API key (`key`), and all from an IP address: of payers' pages (`page`), and all others (`address`);
 * - by IP address: wrong page addresses (`page_guess`), attempts to pay (`page_attempt`), questions for an operator (`page_proposal`), checks
 *   of receipts, and wrong passwords (`sign_in`);
 * - by merchant: checks of recipients, and numbers that its people ask for a payment (`payer_ask`);
 * - by e-mail address: tries to sign in (`sign_in_email`);
 * - by person: typed codes of command lines (`terminal_code`).
 */
const limitKinds = [
  'key',
  'address',
  'page',
  'page_guess',
  'page_attempt',
  'page_proposal',
  'payer_ask',
  'receipt_check',
  'recipient_check',
  'sign_in',
  'sign_in_email',
  'terminal_code',
] as const
export type LimitKind = (typeof limitKinds)[number]

/** The result of counting one call. */
export type Hit = {
  readonly passed: boolean
  /** The allowed calls in a minute. */
  readonly limit: number
  /** The remaining calls in this minute. */
  readonly remaining: number
  /** Seconds until the next minute begins, 1 to 60. */
  readonly reset_seconds: number
}

export type Limits = {
  /**
   * Counts a call, and returns whether it is among the first `cap` calls of this id in this minute of the clock: exactly `cap` pass, over
   * all processes with one Redis. When it counts in memory it returns no promise.
   */
  hit(kind: LimitKind, id: string, cap: number): Hit | Promise<Hit>
  /**
   * Counts a call if it is among `cap` calls of this id in this minute, over all processes with one Redis. Returns the function that removes
   * the call again, which never throws. Null: the minute has too many, and this one does not count.
   */
  take(kind: LimitKind, id: string, cap: number): Promise<(() => Promise<void>) | null>
  /** Removes a call that `hit` counted at this time. Never throws; need not be awaited. */
  giveBack(kind: LimitKind, id: string, counted_at: Date): void | Promise<void>
  /** The current count of an id in this minute, without counting a call. */
  look(kind: LimitKind, id: string, cap: number): Promise<Hit>
  payerAttempts: PayerAttempts
  /** Resolves when Redis is available, or after a second. Without Redis it resolves at once. */
  ready(): Promise<void>
  close(): void
}

/** Attempts on one payer's number, in one mode, across merchants. */
export type PayerAttempts = {
  /** Counts an attempt. False: the window has too many, and this one does not count. */
  take(livemode: boolean, msisdn: Msisdn): boolean | Promise<boolean>
  /** Removes an attempt that led to no payment. Never throws; need not be awaited. */
  giveBack(livemode: boolean, msisdn: Msisdn): void | Promise<void>
}

export type LimitsOptions = {
  /** Null: this process counts for itself. */
  redis_url: string | null
  payer_attempts: {
    max: number
    /** The window begins with a payer's first attempt. */
    window_seconds: number
    /** The key of the hash of each number, so that no number reaches Redis. */
    secret: Buffer
  }
  /** The clock. All processes need the same time, because Redis counts by the minute. */
  clock: Clock
  log: Log
  registry: Registry
}

/**
 * The rate limits of the service. Counts are in the memory of the process, or in Redis for all processes. While Redis is unavailable, each
 * process counts for itself, from zero. A request waits at most 50 ms for Redis.
 */
export function createLimits({ redis_url, payer_attempts, clock, log, registry }: LimitsOptions): Limits {
  const { max, window_seconds, secret } = payer_attempts
  const secretText = secret.toString('hex')
  const failures = new Counter({
    name: 'bandama_limits_redis_failures_total',
    help: 'Calls that Redis did not answer, counted in memory instead.',
    registers: [registry],
  })
  const redis = redis_url === null ? null : createRedisCounts(redis_url, window_seconds, { log, failures })
  const counts = Object.fromEntries(limitKinds.map((kind) => [kind, createMinuteCounts(IDS_MAX)])) as Record<
    LimitKind,
    ReturnType<typeof createMinuteCounts>
  >
  const attempts = createAttemptCounts(max, window_seconds * 1_000, PAYERS_MAX)

  /** The payer in the memory of this process: the digits of the number, negative in test mode. */
  function payerOf(livemode: boolean, msisdn: Msisdn): number {
    return livemode ? Number(msisdn.e164) : -Number(msisdn.e164)
  }

  /** The payer in Redis: a hash without collisions, of no use without the secret. */
  function hiddenPayerOf(livemode: boolean, msisdn: Msisdn): string {
    return hash('sha256', `${secretText} ${livemode} ${msisdn.e164}`, 'base64url')
  }

  async function takeShared(livemode: boolean, msisdn: Msisdn): Promise<boolean> {
    const payer = hiddenPayerOf(livemode, msisdn)
    const count = await redis!.addAttempt(payer)
    if (count === null) return attempts.take(payerOf(livemode, msisdn), clock.milliseconds())
    if (count <= max) return true
    // A refused attempt does not count, so that each removal allows exactly one more.
    void redis!.takeAttemptBack(payer)
    return false
  }

  return {
    hit(kind, id, cap) {
      const now = clock.milliseconds()
      const minute = Math.floor(now / MINUTE_MS)
      if (!redis?.usable()) return judge(counts[kind].add(id, minute), cap, now)
      return redis.addToMinute(kind, id, minute).then((count) => judge(count ?? counts[kind].add(id, minute), cap, now))
    },
    async take(kind, id, cap) {
      const minute = Math.floor(clock.milliseconds() / MINUTE_MS)
      const shared = redis?.usable() ? await redis.addToMinute(kind, id, minute) : null
      const count = shared ?? counts[kind].add(id, minute)
      const giveBack = async () => {
        if (shared === null) counts[kind].remove(id, minute)
        else await redis!.takeFromMinute(kind, id, minute)
      }
      if (count <= cap) return giveBack
      // A refused call does not count, so that each removal allows exactly one more.
      await giveBack()
      return null
    },
    giveBack(kind, id, counted_at) {
      const minute = Math.floor(counted_at.getTime() / MINUTE_MS)
      if (redis?.usable()) return redis.takeFromMinute(kind, id, minute)
      counts[kind].remove(id, minute)
    },
    async look(kind, id, cap) {
      const now = clock.milliseconds()
      const minute = Math.floor(now / MINUTE_MS)
      const shared = redis?.usable() ? await redis.countOfMinute(kind, id, minute) : null
      return judge(shared ?? counts[kind].of(id, minute), cap, now)
    },
    payerAttempts: {
      take(livemode, msisdn) {
        if (redis?.usable()) return takeShared(livemode, msisdn)
        return attempts.take(payerOf(livemode, msisdn), clock.milliseconds())
      },
      giveBack(livemode, msisdn) {
        const wasOurs = attempts.giveBack(payerOf(livemode, msisdn), clock.milliseconds())
        if (!wasOurs && redis?.usable()) return redis.takeAttemptBack(hiddenPayerOf(livemode, msisdn))
      },
    },
    ready: () => redis?.ready() ?? Promise.resolve(),
    close: () => redis?.close(),
  }
}

function judge(count: number, cap: number, now: number): Hit {
  return {
    passed: count <= cap,
    limit: cap,
    remaining: Math.max(cap - count, 0),
    reset_seconds: Math.ceil((MINUTE_MS - (now % MINUTE_MS)) / 1_000),
  }
}

/** The headers of a 429 (interface, Limits). */
export function headersFor({ limit, remaining, reset_seconds }: Hit): Record<string, string> {
  return {
    'Retry-After': String(reset_seconds),
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(reset_seconds),
  }
}
