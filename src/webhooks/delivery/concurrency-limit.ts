/** Concurrent attempts of one endpoint: at least, at most, and at most of an endpoint that answers fast. */
const LIMIT_MIN = 2
const LIMIT = 8
const LIMIT_FAST = 32
/** Deliveries claimed ahead for an endpoint that answers fast: a multiple of its limit, and a maximum. */
const AHEAD = 8
const AHEAD_MAX = 128
/** The longest mean duration of fast answers, in milliseconds. */
const FAST_MS = 500

/** The load that an endpoint has carried so far. */
export type ConcurrencyLimit = {
  /** The limit of concurrent attempts. It can be fractional: above eight, as many successes as the limit raise it by one. */
  readonly at_once: number
  /** The mean duration of the last successes, in milliseconds. Null when there was none. */
  readonly mean_ms: number | null
  /** Whether the endpoint answers fast and its last attempt succeeded. */
  readonly fast: boolean
}

/** The load of an endpoint without attempts so far. */
export const firstLimit: ConcurrencyLimit = { at_once: LIMIT_MIN, mean_ms: null, fast: false }

/**
 * The load after an attempt. A success doubles the limit up to eight, a failure halves it. Above eight, the limit of an endpoint that
 * answers fast grows by one with each round of successes, up to thirty-two.
 */
export function limitAfter(limit: ConcurrencyLimit, succeeded: boolean, duration_ms: number): ConcurrencyLimit {
  const { at_once, mean_ms } = limit
  if (!succeeded) return { at_once: Math.max(at_once / 2, LIMIT_MIN), mean_ms, fast: false }
  // A moving mean, because an attempt that opens a connection takes longer, and each further concurrent attempt opens one.
  const mean = mean_ms === null ? duration_ms : mean_ms + (duration_ms - mean_ms) / 8
  const fast = mean < FAST_MS
  if (at_once < LIMIT) return { at_once: Math.min(at_once * 2, LIMIT), mean_ms: mean, fast }
  return { at_once: fast ? Math.min(at_once + 1 / at_once, LIMIT_FAST) : LIMIT, mean_ms: mean, fast }
}

/** The current limit of concurrent attempts. At most eight while the process has few attempts left (`plenty` is false). */
export function atOnce({ at_once }: ConcurrencyLimit, plenty: boolean): number {
  return Math.floor(plenty ? at_once : Math.min(at_once, LIMIT))
}

/** The number of deliveries to hold, in progress and waiting together: dozens for an endpoint that answers fast. */
export function inHand({ at_once, fast }: ConcurrencyLimit): number {
  const whole = Math.floor(at_once)
  return fast ? Math.min(whole * AHEAD, AHEAD_MAX) : whole
}
