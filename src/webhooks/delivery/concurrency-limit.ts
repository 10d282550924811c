/** How many attempts an endpoint may have at once: at least, any that answers, and one that answers fast. */
const LIMIT_MIN = 2
const LIMIT = 8
const LIMIT_FAST = 32
/** How many times its limit is taken ahead for an endpoint that answers fast, and how many at most. */
const AHEAD = 8
const AHEAD_MAX = 128
/** Answers that take longer than this in the mean are not fast. */
const FAST_MS = 500

/** The load that an endpoint has shown it can carry. */
export type ConcurrencyLimit = {
  /** Attempts it may have at once. Not always whole: above eight it grows by one with as many successes as it is. */
  readonly at_once: number
  /** The mean duration of the last successes, in milliseconds; null: there was none. */
  readonly mean_ms: number | null
  /** It answers fast, and its last attempt succeeded. */
  readonly fast: boolean
}

/** Of an endpoint that nothing is known of. */
export const firstLimit: ConcurrencyLimit = { at_once: LIMIT_MIN, mean_ms: null, fast: false }

/**
 * After an attempt. A success doubles the limit up to eight, a failure halves it. One that answers fast has one more with each round of
 * successes, up to thirty-two.
 */
export function limitAfter(limit: ConcurrencyLimit, succeeded: boolean, duration_ms: number): ConcurrencyLimit {
  const { at_once, mean_ms } = limit
  if (!succeeded) return { at_once: Math.max(at_once / 2, LIMIT_MIN), mean_ms, fast: false }
  // Of the last ones: one that had a connection to make takes longer than the others, and each more at once makes one.
  const mean = mean_ms === null ? duration_ms : mean_ms + (duration_ms - mean_ms) / 8
  const fast = mean < FAST_MS
  if (at_once < LIMIT) return { at_once: Math.min(at_once * 2, LIMIT), mean_ms: mean, fast }
  return { at_once: fast ? Math.min(at_once + 1 / at_once, LIMIT_FAST) : LIMIT, mean_ms: mean, fast }
}

/** Attempts it may have at once now. While the process has little left for the others (`plenty` is false), eight at most. */
export function atOnce({ at_once }: ConcurrencyLimit, plenty: boolean): number {
  return Math.floor(plenty ? at_once : Math.min(at_once, LIMIT))
}

/** Deliveries to have in hand, under way and waiting together: of an endpoint that answers fast, dozens. */
export function inHand({ at_once, fast }: ConcurrencyLimit): number {
  const whole = Math.floor(at_once)
  return fast ? Math.min(whole * AHEAD, AHEAD_MAX) : whole
}
