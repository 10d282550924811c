import { hash } from 'node:crypto'
import { Counter, type Registry } from 'prom-client'
import type { Msisdn } from '../../values/msisdn.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { createAttemptCounts } from './attempt-counts.ts'
import { createMinuteCounts } from './minute-counts.ts'
import { createRedisCounts } from './redis-counts.ts'

const MINUTE_MS = 60_000

/** Counted one by one in the memory of a process: ids of a kind in a minute, and payers. */
const IDS_MAX = 200_000
const PAYERS_MAX = 1_000_000

/**
 * The kinds of limits: calls with an API key, calls from an address, and of an address also the acts that only a guesser or a
 * nuisance repeats often: invented page addresses, attempts to pay, proposals of an operator, checks of receipts. Of a merchant the checks
 * of recipients. And tries to sign in, of an address and of an e-mail address, invented invitations, and the codes of command lines that a person types.
 */
const limitKinds = [
  'key',
  'address',
  'page_guess',
  'page_attempt',
  'page_proposal',
  'receipt_check',
  'recipient_check',
  'sign_in',
  'sign_in_email',
  'invitation_guess',
  'terminal_code',
] as const
export type LimitKind = (typeof limitKinds)[number]

/** The result of counting a call. */
export type Hit = {
  readonly passed: boolean
  /** Calls in a minute. */
  readonly limit: number
  /** Calls left in this minute. */
  readonly remaining: number
  /** Seconds until the next minute begins, 1 to 60. */
  readonly reset_seconds: number
}

export type Limits = {
  /**
   * Counts a call and says whether it is within `cap` calls for this id in this minute of the clock: exactly `cap` pass,
   * over all processes when they share a Redis. Answers without a promise when it counts in memory.
   */
  hit(kind: LimitKind, id: string, cap: number): Hit | Promise<Hit>
  /** Where an id stands in this minute, without counting. */
  look(kind: LimitKind, id: string, cap: number): Promise<Hit>
  payerAttempts: PayerAttempts
  /** Resolves when counts are shared, or at once without Redis, or after a second when Redis does not come. */
  ready(): Promise<void>
  close(): void
}

/** Attempts on one payer's number, in one mode, across merchants. */
export type PayerAttempts = {
  /** Takes one; false: there were too many since the window began, and this one does not count. */
  take(livemode: boolean, msisdn: Msisdn): boolean | Promise<boolean>
  /** Gives one back that led to no payment. Never throws; need not be awaited. */
  giveBack(livemode: boolean, msisdn: Msisdn): void | Promise<void>
}

export type LimitsOptions = {
  /** Null: this process counts for itself. */
  redis_url: string | null
  payer_attempts: {
    max: number
    /** The window begins with a payer's first attempt. */
    window_seconds: number
    /** The key that hides numbers where Redis counts them, so that none reaches it. */
    secret: Buffer
  }
  /** The same time for all processes: the minute is part of what they count together. */
  clock: Clock
  log: Log
  registry: Registry
}

/**
 * The limits of the service. Counts are in the memory of the process, or in Redis for several processes; while Redis is
 * away each process counts for itself, from zero, and a request never waits for it longer than 50 ms.
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

  /** In the memory of this process: its digits, below zero in test mode. */
  function payerOf(livemode: boolean, msisdn: Msisdn): number {
    return livemode ? Number(msisdn.e164) : -Number(msisdn.e164)
  }

  /** For Redis: long enough that two numbers never meet, and of no use without the secret. */
  function hiddenPayerOf(livemode: boolean, msisdn: Msisdn): string {
    return hash('sha256', `${secretText} ${livemode} ${msisdn.e164}`, 'base64url')
  }

  async function takeShared(livemode: boolean, msisdn: Msisdn): Promise<boolean> {
    const payer = hiddenPayerOf(livemode, msisdn)
    const count = await redis!.addAttempt(payer)
    if (count === null) return attempts.take(payerOf(livemode, msisdn), clock.milliseconds())
    if (count <= max) return true
    // A refused attempt does not count, so that giving one back lets one more be made.
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
